"""An input: the lineage tables of Unity Catalog, whose rows become processes."""
