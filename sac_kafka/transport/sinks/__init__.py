"""The sinks, a file each, called as `atlas.client.type` calls it; what a file declares as `SINK` is all that others ask."""
