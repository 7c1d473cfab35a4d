"""An output: processes and changes become OpenLineage run events. It shares with the reading of events the names of facets."""
