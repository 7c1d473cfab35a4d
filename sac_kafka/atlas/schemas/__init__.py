"""JSON Schemas of every message that we send, from the declarations of `types`: `python -m sac_kafka.atlas.schemas`."""
