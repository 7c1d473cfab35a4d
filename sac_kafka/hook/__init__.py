"""Provide the `Hook` of a SparkContext, and assemble, run and end its parts in a background thread."""
