"""Column lineage: rules that derive the sources of columns, and the clauses that decide rows, from the nodes of a plan."""
