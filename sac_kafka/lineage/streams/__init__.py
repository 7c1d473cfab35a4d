"""Lineage of streaming queries: one process per query and dataset, over all its micro-batches and restarts."""
