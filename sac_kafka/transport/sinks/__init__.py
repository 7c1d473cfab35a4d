"""The sinks, one module each with a `SINK`."""
