"""Read messages from files, spools and topics, and parse them back into lineage.

Only message texts are read, as by any consumer of ATLAS_HOOK, so the output shows what was sent.
"""
