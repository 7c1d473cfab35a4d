"""Which column made which, and what decided the rows: rules for the nodes of a query."""
