"""Identifiers that are paths name one dataset, whatever uses them and however the path is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from sac_kafka.lineage import extract  # noqa: F401 its import registers all rules
from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.writes import writes_of
from sac_kafka.model import Dataset
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.streaming import StreamingDataSourceV2ScanRelation
from sac_kafka.plan.systems.delta import DeltaTable
from sac_kafka.plan.systems.iceberg import IcebergTable, PathIdentifier
from sac_kafka.plan.v2_tables import DataSourceV2Relation, Identifier, V2Table
from sac_kafka.plan.v2_writes import RowLevelWrite, V2WriteWithOptions

KINDS = ("/data/t", "file:/data/t", "file:///data/t", "/data/x/../t", "/data/t/", "/data//t")
"""Names of one table; the listener qualifies each."""
WHOLE = "file:/data/t"
_OF_TABLE = {"columns": (), "partitioning": ()}


def _delta(name: str, path: str | None) -> object:
    return DeltaTable(
        **_OF_TABLE, table_class="DeltaTableV2", name=name, path=path or name, comment=None, properties={}
    )


def _iceberg(name: str, path: str | None) -> object:
    properties = {"location": name, "provider": "iceberg"}
    reference = {"origin": None, "snapshot_id": None, "branch": None, "version": None}
    return IcebergTable(
        **_OF_TABLE, **reference, table_class="SparkTable", name=name, properties=properties, lies_at=path
    )


def _other(name: str, path: str | None) -> object:
    del path
    return V2Table(**_OF_TABLE, table_class="org.x.XTable", name=name, properties={"location": name})


FORMATS: Mapping[str, Callable[[str, str | None], object]] = {"delta": _delta, "iceberg": _iceberg, "other": _other}


def _read(table: object, identifier: Identifier) -> Dataset | None:
    leaf = DataSourceV2Relation(table=table, catalog="spark_catalog", identifier=identifier, options={}, output=())
    found = reading(leaf, ())
    return None if found is None else found.only


def _streamed(table: object, identifier: Identifier) -> Dataset | None:
    leaf = StreamingDataSourceV2ScanRelation(
        table=table, catalog="c", identifier=identifier, stream=None, options={}, topics=(), output=()
    )
    found = reading(leaf, ())
    return None if found is None else found.only


def _streamed_without_table(table: object, identifier: Identifier) -> Dataset | None:
    del table
    return _streamed(None, identifier)


def _written(table: object, identifier: Identifier) -> Dataset | None:
    return _target(V2WriteWithOptions(**_TO, table=table, identifier=identifier, options={}))


def _changed(table: object, identifier: Identifier) -> Dataset | None:
    return _target(RowLevelWrite(**_TO, table=table, identifier=identifier))


def _target(node: LogicalPlan) -> Dataset | None:
    found = writes_of(node, (), Counter())
    return found[0].dataset if found else None


_TO = {"catalog": "spark_catalog", "table_output": (), "query": LogicalPlan(), "query_output": ()}
APIS = {each.__name__: each for each in (_read, _streamed, _streamed_without_table, _written, _changed)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table_format", FORMATS)
def test_every_spelling_of_a_path_is_one_dataset(table_format: str, kind: str) -> None:
    table = FORMATS[table_format](kind, WHOLE)
    identifiers = [Identifier(namespace=("delta",), name=kind, path=WHOLE)]
    if table_format == "iceberg":
        identifiers.append(PathIdentifier(namespace=("/data",), name="t", location=WHOLE))
    found = {(api, i): call(table, of) for api, call in APIS.items() for i, of in enumerate(identifiers)}
    found.pop(("_streamed_without_table", 1), None)  # a stream of Iceberg has its own location
    assert {key: getattr(each, "path", each) for key, each in found.items()} == dict.fromkeys(found, WHOLE)


def test_table_with_a_location_is_that_location() -> None:
    table = _delta("/mnt/t", "abfss://c@a.dfs.core.windows.net/t")
    found = _written(table, Identifier(namespace=("delta",), name="/mnt/t", path="dbfs:/mnt/t"))
    assert found is not None and found.key == "path:abfss://c@a.dfs.core.windows.net/t"


def test_name_without_a_slash_is_no_path() -> None:
    found = _written(_other("t", None), Identifier(namespace=("d",), name="t"))
    assert found is not None and found.key == "table:spark_catalog.d.t"
