"""Build the entities of flows (applications, processes, column lineage), and delete those that later runs replace."""
