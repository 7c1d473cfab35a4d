"""Combine the lineage of messages into a graph, compare and follow it, and draw it as text."""
