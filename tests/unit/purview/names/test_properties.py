"""Properties of all names of tables: two tables are two assets, whatever their names contain."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sac_kafka.lineage.datasets.systems.warehouses import snowflake
from sac_kafka.model import Dataset, OtherDataset, RdbmsDataset, TableDataset
from sac_kafka.names.jdbc_urls import named_table
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names import databases, others, tables
from sac_kafka.purview.naming_context import NamingContext

SURROUNDINGS = NamingContext(
    workspace_host="adb-1.2.azuredatabricks.net", metastore_id="m-1", configured_catalogs=frozenset({"lake"})
)
NAMES = st.text(alphabet="aAbB0_.-/% 2F#$'Ü", min_size=1, max_size=8)
"""Names that are ambiguous when joined: with separators, escapes and both cases of letters."""
SMALL_NAMES = NAMES.map(str.lower)
Levels = tuple[str, str, str]


def _rdbms(kind: str, host: str) -> Callable[[Levels], Dataset]:
    return lambda levels: RdbmsDataset(
        rdbms_type=kind, host=host, port=1, database=levels[0], schema=levels[1], table=levels[2]
    )


def _snowflake(levels: Levels) -> Dataset:
    database, schema, table = (f'"{level}"' for level in levels)
    found = snowflake({"sfurl": "a.snowflakecomputing.com", "dbtable": f"{database}.{schema}.{table}"}, ())
    assert found is not None
    return found


def _table(catalog: str | None = None) -> Callable[[Levels], Dataset]:
    return lambda levels: TableDataset(catalog=catalog, database=levels[1], name=levels[2])


def _unity(levels: Levels) -> Dataset:
    return TableDataset(catalog=levels[0], database=levels[1], name=levels[2])


def _other(system: str, host: str, first: int = 0) -> Callable[[Levels], Dataset]:
    return lambda levels: OtherDataset(system=system, host=host, parts=levels[first:])


KINDS: dict[str, tuple[Callable[[Levels], Dataset], slice]] = {
    "Azure SQL": (_rdbms("sqlserver", "s.database.windows.net"), slice(3)),
    "managed instance": (_rdbms("sqlserver", "s.z.database.windows.net"), slice(3)),
    "Synapse": (_rdbms("sqlserver", "w.sql.azuresynapse.net"), slice(3)),
    "SQL Server": (_rdbms("sqlserver", "h"), slice(3)),
    "Azure PostgreSQL": (_rdbms("postgresql", "p.postgres.database.azure.com"), slice(3)),
    "PostgreSQL": (_rdbms("postgresql", "h"), slice(3)),
    "Azure MySQL": (_rdbms("mysql", "m.mysql.database.azure.com"), slice(0, 3, 2)),
    "Oracle": (_rdbms("oracle", "h"), slice(3)),
    "Teradata": (_rdbms("teradata", "h"), slice(3)),
    "embedded": (_rdbms("h2", ""), slice(3)),
    "BigQuery": (_rdbms("bigquery", ""), slice(3)),
    "Snowflake": (_snowflake, slice(3)),
    "Kusto": (_other("kusto", "c.westeurope.kusto.windows.net", 1), slice(1, 3)),
    "Cosmos DB": (_other("cosmos", "a.documents.azure.com", 1), slice(1, 3)),
    "another system": (_other("mongodb", "h"), slice(3)),
    "another catalog": (_table("lake"), slice(1, 3)),
}
"""For each kind of table: its constructor from three names, and which of these it has."""
OF_SMALL_NAMES: dict[str, tuple[Callable[[Levels], Dataset], slice]] = {
    "Unity Catalog": (_unity, slice(3)),
    "Hive metastore": (_table(), slice(1, 3)),
}
"""Catalogs that store names in lower case."""


def _asset(dataset: Dataset) -> Asset:
    if isinstance(dataset, RdbmsDataset):
        return databases.asset(dataset, SURROUNDINGS, is_output=True)
    if isinstance(dataset, TableDataset):
        return tables.asset(dataset, SURROUNDINGS, is_output=True)
    assert isinstance(dataset, OtherDataset)
    return others.asset(dataset, SURROUNDINGS, is_output=True)


@st.composite
def pairs(draw: st.DrawFn, names: st.SearchStrategy[str]) -> tuple[Levels, Levels]:
    """Return pairs of table names; every second pair has the same words in another arrangement."""
    one = (draw(names), draw(names), draw(names))
    if draw(st.booleans()):
        return one, (draw(names), draw(names), draw(names))
    separator = draw(st.sampled_from(("/", "%2F", ".", "`", " ")))
    separators = st.sampled_from((separator, separator, "/", "%2F"))
    words = draw(st.lists(st.sampled_from(("a", "b", "0")), min_size=4, max_size=6))
    one, other = (_cut(words, draw(separators), draw(st.permutations(range(1, len(words))))[:2]) for _ in range(2))
    return one, other


def _cut(words: list[str], separator: str, at: list[int]) -> Levels:
    first, second = sorted(at)
    return separator.join(words[:first]), separator.join(words[first:second]), separator.join(words[second:])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(pair=pairs(NAMES))
def test_two_tables_are_two_assets(kind: str, pair: tuple[Levels, Levels]) -> None:
    (make, used), (one, other) = KINDS[kind], pair
    is_same = one[used] == other[used]
    assert (_asset(make(one)).qualified_name == _asset(make(other)).qualified_name) is is_same


@pytest.mark.parametrize("kind", OF_SMALL_NAMES)
@settings(max_examples=15)
@given(pair=pairs(SMALL_NAMES))
def test_two_tables_of_a_catalog_are_two_assets(kind: str, pair: tuple[Levels, Levels]) -> None:
    (make, used), (one, other) = OF_SMALL_NAMES[kind], pair
    is_same = one[used] == other[used]
    assert (_asset(make(one)).qualified_name == _asset(make(other)).qualified_name) is is_same


@settings(max_examples=15)
@given(name=NAMES.filter(lambda name: name.strip() == name))
def test_brackets_and_quotes_are_no_part_of_a_name(name: str) -> None:
    url = "jdbc:sqlserver://s.database.windows.net;databaseName=d"
    written = [named_table(url, f"{start}s{end}.{start}{name}{end}") for start, end in ("[]", '""')]
    found = {_asset(table).qualified_name for table in written if table is not None}
    assert len(found) == 1
