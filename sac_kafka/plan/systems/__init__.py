"""Declare the relations, tables and commands of connectors and table formats, one module per system."""
