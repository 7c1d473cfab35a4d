"""JSON Schemas of every message that we send, from the type definitions: `python -m dev.schemas`."""
