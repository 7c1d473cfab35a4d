"""Flows as entities: applications, processes, column lineage, and what of them later runs replace."""
