"""Read the lineage tables of Unity Catalog by the REST interfaces of a workspace of Databricks, and send their flows."""
