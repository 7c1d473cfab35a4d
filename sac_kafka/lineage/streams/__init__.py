"""Lineage of streaming queries: one process per query, over all its micro-batches and restarts."""
