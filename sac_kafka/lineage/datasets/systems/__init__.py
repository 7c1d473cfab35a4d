"""Identify the datasets of data systems, and of formats with their own commands: one module each, listed in `SOURCES`."""
