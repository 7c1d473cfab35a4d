"""Lineage of values that pass through the driver's Python between two queries."""
