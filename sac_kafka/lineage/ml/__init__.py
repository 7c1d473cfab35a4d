"""Lineage of Spark ML models: training data, location, and the columns that they compute."""
