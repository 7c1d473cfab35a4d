"""Provide the definitions of all types that are sent, and of the types that these depend on.

`sac-kafka types` creates them on a server that lacks them. They are `../typedefs/*.json` in Atlas' own format: the types that
Atlas ships are those of release 2.5.0, which tests compare with Atlas' model files. `relationships` and `schemas/` are
derived from the same files.
"""
