"""Two applications, one after the other: one makes a table, the other only reads its path, and no catalog knows it there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.messages import messages_in, names
from tests.live.jobs.running import run

pytestmark = [pytest.mark.spark]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("place")
    ran = run("place", str(work), "make")
    assert ran.status == 0, ran.log
    return work


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("as_table", "tables", "paths"),
    [("true", {"default.orders@test"}, {"out"}), ("false", set(), {"out", "warehouse/orders"})],
)
def test_the_next_application_reads_the_table(work: Path, as_table: str, tables: set[str], paths: set[str]) -> None:
    before = len(messages_in(work / "messages.jsonl"))
    ran = run("place", str(work), "read", as_table)
    assert ran.status == 0, ran.log
    sent = messages_in(work / "messages.jsonl")[before:]
    assert len(names(sent, "spark_process")) == 1
    assert names(sent, "spark_table") == tables
    assert names(sent, "fs_path") == {f"file:{work}/{path}@test" for path in paths}
