"""JSON Schemas of every message that we send, from the type definitions: `python -m sac_kafka.atlas.schemas`."""
