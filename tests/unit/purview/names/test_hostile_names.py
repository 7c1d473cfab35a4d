"""Names of any length and content: every family takes linear time and never raises."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from sac_kafka.model import Dataset, HBaseDataset, OtherDataset, RdbmsDataset, TableDataset, TopicDataset
from sac_kafka.names.jdbc_urls import named_table
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names import NAME_LIMIT, QUALIFIED_NAME_LIMIT, asset
from sac_kafka.purview.naming_context import NamingContext
from tests.helpers.every_row import every_row
from tests.helpers.hostile import fault, texts
from tests.helpers.text_readers import counted_patterns

SURROUNDINGS = NamingContext(workspace_host="adb-1.2.azuredatabricks.net", metastore_id="m", fabric_workspace="w")
ONELAKE = "abfss://{0}@onelake.dfs.fabric.microsoft.com/{0}/Tables/".format("0" * 8 + "-0000" * 3 + "-" + "0" * 12)


def _rdbms(kind: str, text: str, host: str | None = None) -> Dataset:
    return RdbmsDataset(rdbms_type=kind, host=text if host is None else host, database="d", schema="s", table=text)


MAKERS: dict[str, Callable[[str], Dataset]] = {
    "SQL Server": lambda text: _rdbms("sqlserver", text),
    "Azure SQL": lambda text: _rdbms("sqlserver", text, "s.database.windows.net"),
    "PostgreSQL": lambda text: _rdbms("postgresql", text),
    "Snowflake": lambda text: _rdbms("snowflake", text),
    "Databricks SQL": lambda text: _rdbms("databricks", text),
    "embedded": lambda text: _rdbms("h2", text, ""),
    "an unknown database": lambda text: _rdbms(text, text),
    "a name as SQL has it": lambda text: named_table("jdbc:sqlserver://h;databaseName=d", text) or _rdbms("", text),
    "a table": lambda text: TableDataset(catalog=text, database=text, name=text),
    "a table of Hive": lambda text: TableDataset(database=text, name=text),
    "a table with a location": lambda text: TableDataset(database="d", name="t", location=ONELAKE + text),
    "a table with any location": lambda text: TableDataset(database="d", name="t", location=text),
    "a topic": lambda text: TopicDataset(topic=text, servers=text, cluster=text),
    "HBase": lambda text: HBaseDataset(namespace=text, table=text),
    "Kusto": lambda text: OtherDataset(system="kusto", host=text, parts=(text, text)),
    "Cosmos DB": lambda text: OtherDataset(system="cosmos", host=text + ".documents.azure.com", parts=(text, text)),
    "synapsesql": lambda text: OtherDataset(system="com.microsoft.spark", host=text, parts=(text,)),
    "another system": lambda text: OtherDataset(system=text, host=text, parts=(text, text)),
}


def _asset(dataset: Dataset) -> Asset:
    return asset(dataset, SURROUNDINGS, is_output=False)


@pytest.fixture(scope="module")
def _counted() -> Iterator[None]:
    with counted_patterns():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize("kind", MAKERS)
def test_hostile_name_takes_linear_time(kind: str) -> None:
    make = MAKERS[kind]
    found = [fault(lambda text: _asset(make(text)), head, unit) for head, unit in [*texts()][::24]]
    assert [each for each in found if each] == []


@every_row("kind", MAKERS)
@every_row(
    "text",
    ["", " ", "/", "//", ".", "..", "\\", "%", "[", "]", "[]", '"', "@", ":", "\0", "\ud800", "🦆", "a" * 100_000],
)
def test_every_text_has_a_name(kind: str, text: str) -> None:
    found = _asset(MAKERS[kind](text))
    assert found.type_name and found.qualified_name and found.rule
    assert len(found.qualified_name) <= 3 * QUALIFIED_NAME_LIMIT and len(found.name) <= NAME_LIMIT


def test_long_names_that_differ_in_their_middle_stay_two() -> None:
    one, other = (TableDataset(catalog="c", database="d", name="a" * 20_000 + c + "a" * 20_000) for c in "xy")
    assert _asset(one).qualified_name != _asset(other).qualified_name
