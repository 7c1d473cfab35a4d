"""Decide which datasets belong to a database."""

from __future__ import annotations

from sac_kafka.lineage.model import Database, Dataset, TableDataset


def is_in(dataset: Dataset, database: Database) -> bool:
    """Return whether a dataset is a table of a database or of a namespace within it."""
    if not isinstance(dataset, TableDataset) or dataset.catalog != database.catalog:
        return False
    return dataset.database == database.name or dataset.database.startswith(f"{database.name}.")
