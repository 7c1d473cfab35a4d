"""The types of everything that we send, with all that they are made of.

A server that lacks them, or starts empty, can be given them (`sac-kafka types`). They are `../typedefs/*.json`, as a
server loads them: every type that Atlas ships is as in its release 2.5.0, and tested against its model files. The same
files say which relationship stands behind an attribute (`relationships`) and what `schemas/` demands.
"""
