"""Unknown V1 sinks: the directory of `path`, else counted by the provider's class."""

from __future__ import annotations

from collections import Counter

import pytest

from sac_kafka.lineage.extract import extract
from sac_kafka.model import Application, PathDataset, Run
from sac_kafka.plan.commands import SaveIntoDataSourceCommand
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.relations import RowsWithoutDataset

APPLICATION = Application(job="test", application_id="local-1", name="test", user="tester")
ID = Attribute(expr_id=1, name="id", type="bigint", nullable=False)
QUERY = RowsWithoutDataset(class_name="org.apache.spark.sql.catalyst.plans.logical.Range", output=(ID,))


def saved(
    data_source: str, path: str | None, short_name: str | None = None, mode: str = "Append"
) -> SaveIntoDataSourceCommand:
    return SaveIntoDataSourceCommand(
        class_name="org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand",
        is_command=True,
        data_source=data_source,
        short_name=short_name or data_source,
        query=QUERY,
        query_output=(ID,),
        path=path,
        mode=mode,
    )


@pytest.mark.parametrize(
    ("data_source", "short_name", "file_format"),
    [
        ("com.databricks.spark.xml.DefaultSource", None, "xml"),
        ("org.apache.spark.sql.delta.sources.DeltaDataSource", "delta", "delta"),
        ("org.apache.hudi.Spark3DefaultSource", "hudi_v1", "hudi_v1"),
    ],
)
def test_sink_with_a_path_is_the_path(data_source: str, short_name: str | None, file_format: str) -> None:
    found = extract(saved(data_source, "file:/out/x/", short_name), Run(execution_id=1), APPLICATION)
    (process,) = found.processes
    (output,) = process.outputs
    assert isinstance(output, PathDataset)
    assert (output.key, output.format, output.is_replaced) == ("path:file:/out/x", file_format, False)
    assert [c.column for c in process.columns] == ["id"]
    assert found.counts == {}


def test_extent_of_an_overwrite_is_unknown() -> None:
    command = saved("org.apache.spark.sql.delta.sources.DeltaDataSource", "file:/out/x", "delta", mode="Overwrite")
    (process,) = extract(command, Run(execution_id=1), APPLICATION).processes
    (output,) = process.outputs
    assert isinstance(output, PathDataset)
    assert (process.replaces_output, output.is_replaced) == (False, False)


@pytest.mark.parametrize(
    ("data_source", "path", "named"),
    [
        ("com.example.Sink", None, "com.example.Sink"),
        (
            "org.elasticsearch.spark.sql.DefaultSource15",
            "hdfs://nn/user/me/orders/doc",
            "Elasticsearch without an index",
        ),
    ],
)
def test_a_sink_without_a_path_is_counted_and_named(data_source: str, path: str | None, named: str) -> None:
    found = extract(saved(data_source, path), Run(execution_id=1), APPLICATION)
    assert found.processes == ()
    assert found.counts == Counter({f"sink not understood: {named}": 1})
