"""What statements prove to be gone (docs/lineage.md: What replaces), by the lineage that a server holds after their messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import sac_kafka
from sac_kafka.tools.graph.flows import Flow
from tests.cases.hive import hive_conf
from tests.helpers.catalog import building
from tests.helpers.live_runs import session
from tests.helpers.waiting import LONG_SECONDS
from tests.helpers.what_replaces import cases, left_of, run

pytestmark = [pytest.mark.spark, pytest.mark.subset]
CASES = cases("spark")


@pytest.fixture(scope="module")
def lineage(work: Path) -> Iterator[tuple[Flow, ...]]:
    """Run all cases in one driver, and return the lineage that a server holds afterwards."""
    conf = {
        **hive_conf(str(work)),
        **building.settings("mem"),
        **building.settings("rows", row_level=True),
        "spark.atlas.metadata.namespace": "ns",
        "spark.atlas.client.type": "memory",
        "spark.atlas.hook.spool.dir": str(work / "spool"),
    }
    spark = session(str(work), **conf)
    hook = sac_kafka.attach(spark)
    for name in ("mem", "rows"):
        spark.sql(f"create namespace if not exists {name}.db")  # other tests of this JVM may have made it
    for name in ("a", "b"):
        spark.sql(f"create table {name} using parquet as select id x, id y from range(3)")
    for case in CASES.values():
        run(spark, str(work), case)
    assert hook.flush(LONG_SECONDS)
    yield hook.lineage()
    hook.detach()
    spark.stop()


@pytest.mark.parametrize("name", CASES)
def test_what_is_gone_goes_and_all_else_stays(lineage: tuple[Flow, ...], name: str) -> None:
    assert left_of(CASES[name], lineage) == CASES[name].left
