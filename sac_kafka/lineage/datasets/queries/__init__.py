"""Analyze queries that another system executes: the tables that they read, and the sources of their columns.

The entry point is `parsing.py`. The other modules need sqlglot, an optional dependency, and are imported with the first query.
"""
