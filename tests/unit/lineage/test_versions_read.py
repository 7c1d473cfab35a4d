"""The version of an input that a query reads reaches its process, under the input's name there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from sac_kafka.lineage import flow
from sac_kafka.lineage.columns.checkpoints import Checkpoints
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.extract import extract, origin
from sac_kafka.lineage.flow import MAX_VERSIONS, TraversalOptions
from sac_kafka.model import PathDataset, Process, Run, TableDataset
from sac_kafka.names.files import Patterns
from sac_kafka.plan.commands import InsertIntoDataSourceDirCommand
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Union
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRDD, LogicalRelation
from sac_kafka.stages.tables import Tables
from tests.helpers.live_runs import APPLICATION

ID = Attribute(name="id", type="int", nullable=True, expr_id=1)


@pytest.fixture(autouse=True)
def versions_by_format(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Read a source of the format `3` at the version 3."""
    known = flow.reading

    def reading(leaf: LogicalPlan, patterns: Patterns) -> Reading | None:
        found = known(leaf, patterns)
        if not isinstance(leaf, LogicalRelation) or found is None:
            return found
        relation = leaf.relation
        assert isinstance(relation, HadoopFsRelation)
        return Reading(datasets=found.datasets, version=relation.file_format)

    monkeypatch.setattr(flow, "reading", reading)
    yield


def _read(path: str, version: str) -> LogicalRelation:
    relation = HadoopFsRelation(root_paths=(path,), file_format=version)
    return LogicalRelation(relation=relation, catalog_table=None, output=(ID,))


def _written(*queries: LogicalPlan, options: TraversalOptions = TraversalOptions()) -> Process:  # noqa: B008 a frozen value
    query = queries[0]
    if len(queries) > 1:
        query = Union(children=queries)
    command = InsertIntoDataSourceDirCommand(
        children=(query,),
        is_command=True,
        path="file:/out",
        provider="parquet",
        query=query,
        overwrite=True,
        query_output=(ID,),
    )
    (process,) = extract(command, Run(execution_id=1), APPLICATION, options).processes
    return process


def test_each_version_is_listed_once() -> None:
    process = _written(_read("file:/a", "4"), _read("file:/a", "3"), _read("file:/a", "4"), _read("file:/b", "1"))
    assert process.versions_read == (("path:file:/a", "3"), ("path:file:/a", "4"), ("path:file:/b", "1"))


def test_number_of_versions_is_bounded() -> None:
    process = _written(*(_read("file:/a", str(n)) for n in range(MAX_VERSIONS + 5)))
    assert len(process.versions_read) == MAX_VERSIONS


def test_read_from_a_checkpoint_has_the_version_of_its_source() -> None:
    checkpoints = Checkpoints()
    checkpoints.add(origin(_read("file:/a", "3"), APPLICATION, Counter()))
    again = LogicalRDD(output=(ID,), rdd_id=7)
    assert _written(again, options=TraversalOptions(origins=(checkpoints,))).versions_read == (("path:file:/a", "3"),)


def test_version_of_a_path_that_is_a_table_has_the_tables_name() -> None:
    tables = Tables()
    tables.learn(TableDataset(database="d", name="t", location="file:/a", table_type="MANAGED"))
    process = tables.substitute_paths(_written(_read("file:/a", "3")))
    assert [d.key for d in process.inputs] == ["table:spark_catalog.d.t"]
    assert process.versions_read == (("table:spark_catalog.d.t", "3"),)
    assert isinstance(process.outputs[0], PathDataset)
