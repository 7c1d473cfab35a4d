"""Queries that another system runs: which of its tables they read, and what their columns are made of.

`parsing.py` is the way in; the rest needs sqlglot, which is optional, and is imported with the first query.
"""
