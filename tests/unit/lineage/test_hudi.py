"""Hudi lineage that the lines of its cases do not show."""

from __future__ import annotations

import re

import pytest

from sac_kafka.lineage.datasets.leaves import relation_reading
from sac_kafka.model import Column, PathDataset
from sac_kafka.plan.systems.hudi import HudiRelation
from tests.cases.expected import expected
from tests.helpers.live_runs import Capture
from tests.live.sources.hudi_cases import HUDI

OF = (Column(name="id", type="int"),)


@pytest.mark.parametrize(
    ("case", "statement"),
    [("insert", "insert into"), ("ctas", "create table"), ("update", "update"), ("merge", "merge into")],
)
def test_a_statement_has_its_text(case: str, statement: str) -> None:
    """Find the text, although Hudi replaces the user's commands by its own."""
    batch = next(iter(HUDI.recordings().values()))[case]
    assert (Capture.processes_of(batch)[0].run.query_text or "").startswith(statement)


@pytest.mark.parametrize("case", ["update", "update_of_another", "delete", "delete_of_another", "merge", "merge_stars"])
def test_copy_on_write_and_merge_on_read_have_the_same_lineage(case: str) -> None:
    lines = expected(f"hudi_{case}")
    half = len(lines) // 2
    assert lines[:half] == [
        re.sub(r"_read\b", "", line) if "orders_read" not in line else line for line in lines[half:]
    ]


def test_metadata_columns_of_hudi_are_never_outputs() -> None:
    """Drop them from `INSERT INTO … SELECT *`, whose query has them."""
    written = [line.split()[0] for line in expected("hudi_insert_by_name") if line.startswith("  ")]
    assert written == ["id", "customer", "amount"] * 2


def test_tables_of_older_hudi_are_their_paths_and_its_metadata_is_nothing() -> None:
    table = relation_reading(HudiRelation(base_path="s3a://lake/orders"), OF, ())
    notes = relation_reading(HudiRelation(base_path="s3a://lake/orders/.hoodie/metadata"), OF, ())
    nothing = relation_reading(HudiRelation(), OF, ())
    assert table is not None
    assert table.only == PathDataset(
        path="s3a://lake/orders", format="hudi", columns=OF, locations=("s3a://lake/orders",)
    )
    assert notes is not None
    assert notes.datasets == ()
    assert nothing is None
