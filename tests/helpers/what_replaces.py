"""Cases of statements that replace or remove rows: files of statements, and the lineage that a server has after them.

`== NAME`, then statements, or Python after `>>> `, then `-> ` with what is left: columns `a.x>t.x`, or `a>t` for a flow without
any. `{t}` and `{u}` are tables of the case, `{p}` is a directory, `{load}` a file; tables `a` and `b` are for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import sac_kafka
from sac_kafka.hook.hook import Hook
from sac_kafka.tools.graph.flows import Flow
from tests.cases.hive import hive_conf
from tests.helpers.catalog import building
from tests.helpers.live_runs import session
from tests.helpers.waiting import LONG_SECONDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "what_replaces"


class Case(NamedTuple):
    """Statements, and what they leave."""

    prefix: str
    steps: tuple[str, ...]
    left: frozenset[str]


def cases(name: str) -> Mapping[str, Case]:
    """Return the cases of a file by their names; each has tables of its own."""
    found = {}
    blocks = (FIXTURES / f"{name}.txt").read_text("utf-8").split("== ")[1:]
    for number, block in enumerate(blocks):
        title, *steps, left = block.rstrip().split("\n")
        found[title] = Case(f"c{number}", tuple(steps), frozenset(re.findall(r"\S+>[^,\s]+", left.removeprefix("->"))))
    return found


def run_all(spark: SparkSession, work: Path, found: Mapping[str, Case]) -> Hook:
    """Run all cases in one driver, and return its hook, whose messages are in memory."""
    hook = sac_kafka.attach(spark, client_type="memory", metadata_namespace="ns", hook_spool_dir=str(work / "spool"))
    for name in ("a", "b"):
        spark.sql(f"create table default.{name} using parquet as select id x, id y from range(3)")
    for case in found.values():
        run(spark, str(work), case)
    assert hook.flush(LONG_SECONDS)
    return hook


@contextmanager
def spark_cases(work: Path) -> Iterator[Hook]:
    """Yield the hook of a driver that has run the cases of Spark's own tables."""
    conf = {
        **hive_conf(str(work)),
        **building.settings("mem"),
        **building.settings("rows", row_level=True),
    }
    building.on_class_path()
    spark = session(str(work), **conf)
    for name in ("mem", "rows"):
        spark.sql(f"create namespace if not exists {name}.db")  # other tests of this JVM may have made it
    hook = run_all(spark, work, cases("spark"))
    yield hook
    hook.detach()
    spark.stop()


def run(spark: SparkSession, work: str, case: Case) -> None:
    """Run the steps of a case."""
    Path(work, f"{case.prefix}_load").write_text("1\n")
    for step in case.steps:
        own = re.sub(r"\{([tu])\}", rf"{case.prefix}_\1", step)
        own = re.sub(r"\{(p|load)\}", rf"{work}/{case.prefix}_\1", own)
        if own.startswith(">>> "):
            eval(own.removeprefix(">>> "), {"spark": spark})
        else:
            spark.sql(own)


def left_of(case: Case, lineage: Iterable[Flow]) -> set[str]:
    """Return the lineage of the tables and directories of a case, as the file has it."""
    found: set[str] = set()
    for flow in lineage:
        if any(f"{case.prefix}_" in each for each in (*flow.inputs, *flow.outputs)):
            pairs = [(source, column) for column, sources in flow.columns.items() for source in sources]
            pairs = pairs or [(each, flow.outputs[0]) for each in flow.inputs]
            found |= {f"{_short(source)}>{_short(target)}" for source, target in pairs}
    return found


def _short(name: str) -> str:
    """Return a table, directory or column without what precedes its own name."""
    return re.sub(r".*/|[a-z_]+\.(?=[a-z]+\.|[abc][\d_]*(?:_|$|\.))|c\d+_", "", name).replace("#", ".")
