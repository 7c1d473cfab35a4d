"""Messages as people read them: which datasets and columns flowed into which, drawn for a terminal.

What `atlas.client.type = console`, `sac-kafka show` and the demo print. It reads messages back, as any consumer of
ATLAS_HOOK could, so what it shows is what was sent.
"""
