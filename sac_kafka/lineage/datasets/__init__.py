"""Identify the datasets that relations, tables and commands read or write."""
