"""Flows as a user of Purview sees them: the chain from workspace to process, and the mapping of columns."""
