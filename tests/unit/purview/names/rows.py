"""Rows of the tables of names: Spark's description of a dataset, and its asset in Purview."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.lineage.datasets.sources import reading_by_options, source_of
from sac_kafka.lineage.datasets.tables import catalog_dataset
from sac_kafka.lineage.datasets.v2_tables import named_dataset
from sac_kafka.model import Dataset
from sac_kafka.plan.catalog import CatalogStorageFormat, CatalogTable, TableIdentifier
from sac_kafka.plan.v2_tables import Identifier, V2Table
from sac_kafka.purview.naming_context import NamingContext

CERTAINTIES = frozenset({"documented", "tested", "practice", "uncertain", "own"})
"""Evidence for a name: documentation; tests of a public project; observation; inference; our own name."""


@dataclass(frozen=True)
class Row:
    """A row. `format` is what Spark is given, or `table` for one of a catalog; `options` are a source's, or facts of a table."""

    id: str
    format: str
    options: dict[str, str]
    surroundings: NamingContext
    type: str
    qualified_name: str
    source: str
    certainty: str

    @property
    def dataset(self) -> Dataset:
        """Return the dataset, made in the same way as from a plan."""
        found = _table(self.options) if self.format == "table" else _named(self.format, self.options)
        assert found is not None, self.id
        return found


def rows(name: str) -> list[Row]:
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
        return [_row(each) for each in csv.DictReader(file)]


def _row(cells: dict[str, str]) -> Row:
    options, surroundings = _pairs(cells.pop("options")), _surroundings(_pairs(cells.pop("surroundings")))
    return Row(options=options, surroundings=surroundings, **cells)


def _pairs(cell: str) -> dict[str, str]:
    return {key: value for pair in cell.split(" | ") if pair for key, _, value in (pair.partition("="),)}


def _surroundings(facts: dict[str, str]) -> NamingContext:
    texts = {key: facts[key] for key in facts.keys() - {"configured_catalogs", "is_hive"}}
    catalogs = frozenset(facts.get("configured_catalogs", "").split())
    return NamingContext(configured_catalogs=catalogs, is_hive=bool(facts.get("is_hive", "yes")), **texts)


def _named(spark_format: str, options: dict[str, str]) -> Dataset | None:
    source = source_of(spark_format)
    if source is not None:
        return source.identify(options, ())
    found = reading_by_options(spark_format, options, ())
    return None if found is None else found.only


def _table(facts: dict[str, str]) -> Dataset | None:
    """Of the session catalog, or of another catalog as a V2 table shows it."""
    catalog, table_type = facts.get("catalog"), facts.get("table_type")
    if catalog in (None, "spark_catalog") or table_type:
        identifier = TableIdentifier(table=facts["name"], database=facts["database"], catalog=catalog)
        formats = {"input_format": None, "output_format": None, "serde": None, "compressed": False}
        table = CatalogTable(
            identifier=identifier,
            table_type=table_type or "MANAGED",
            provider=facts.get("provider"),
            owner="me",
            create_time=0,
            comment=None,
            storage=CatalogStorageFormat(location=facts.get("location"), **formats),
            fields=(),
            partition_column_names=(),
        )
        return catalog_dataset(table)
    properties = {key: facts[key] for key in ("provider", "location") if key in facts}
    found = V2Table(table_class="T", name=facts["name"], columns=(), partitioning=(), properties=properties)
    return named_dataset(catalog, Identifier(namespace=tuple(facts["database"].split(".")), name=facts["name"]), found)
