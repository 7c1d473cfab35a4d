"""Streaming queries: one process each, however many micro-batches it has and however often it is started."""
