"""Build the processes of flows: their names, owners, column mappings and attributes."""
