"""Parse Atlas notifications back into lineage, combine them into a graph, and render both for people.

Used by the console sink (`atlas.client.type = console`), the commands and the demo. Only message texts are read, as by any
consumer of ATLAS_HOOK, so the output shows what was sent.
"""
