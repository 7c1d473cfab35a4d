"""Compare the hook with OpenLineage's own jar in one driver: `python -m tests.cases.openlineage_jar JAR [case …]`.

Runs the cases of `make test` (or those that are named), and compares what the hook means by each with the events that the jar
writes to a file, read as the bridge reads them. Only what the jar states is compared. Prints one line per difference, and the
number of flows and columns by result.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sac_kafka.model import ColumnLineage, Outcome, Process
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.flows import FlowOptions
from sac_kafka.openlineage.open_runs import OpenRuns
from tests.cases.all_cases import CASES, prepare
from tests.cases.every_case import names
from tests.helpers import everyday
from tests.helpers.catalog import building
from tests.helpers.live_runs import Capture, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EQUAL = "equal"
LISTENER = "io.openlineage.spark.agent.OpenLineageSparkListener"
_INFLUENCES = "influences of columns"


@dataclass(frozen=True, slots=True)
class Difference:
    """What the jar states otherwise: `what` is the kind, `case` where, and the two values."""

    case: str
    what: str
    hook: str
    jar: str

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.case}: {self.what}: hook {self.hook} | jar {self.jar}"


def jar_conf(jar: str, events: Path) -> dict[str, str]:
    """Return the configuration of a session with the jar, which appends its events to a file."""
    return {
        "spark.jars": jar,
        "spark.driver.extraClassPath": jar,
        "spark.extraListeners": LISTENER,
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(events),
        "spark.openlineage.namespace": "test",
        "spark.openlineage.columnLineage.datasetLineageEnabled": "true",
    }


def flows_of(lines: Iterable[str]) -> list[Process]:
    """Return the flows of the jar's events."""
    runs = OpenRuns(FlowOptions(namespace="test"))
    for line in lines:
        runs.add(read_event(json.loads(line)), 0.0)
    return [outcome for group in runs.all() for outcome in group if isinstance(outcome, Process)]


def compare(case: str, hook: Iterable[Outcome], jar: list[Process], counts: Counter[str]) -> Iterator[Difference]:
    """Yield what the jar states otherwise; count what is equal, and what the jar does not state."""
    theirs = list(jar)
    for flow in hook:
        if not isinstance(flow, Process) or not flow.outputs or flow.defines_view:
            continue
        outputs = keys(flow.outputs)
        found = next((other for other in theirs if keys(other.outputs) == outputs), None)
        if found is None:
            counts["flows that the jar does not state"] += 1
            continue
        theirs.remove(found)
        is_equal = keys(flow.inputs) == keys(found.inputs)
        counts["flows with equal datasets" if is_equal else "flows with other inputs"] += 1
        if not is_equal:
            yield Difference(case, "inputs", str(sorted(keys(flow.inputs))), str(sorted(keys(found.inputs))))
        yield from _columns(case, flow, found, counts)
    for other in theirs:
        counts["flows that only the jar states"] += 1
        yield Difference(case, "flow", "none", f"{sorted(keys(other.inputs))} -> {sorted(keys(other.outputs))}")


def keys(datasets: Iterable[object]) -> frozenset[str]:
    """Return the keys of datasets."""
    return frozenset(dataset.key for dataset in datasets)  # type: ignore[attr-defined]


def _columns(case: str, hook: Process, jar: Process, counts: Counter[str]) -> Iterator[Difference]:
    theirs = {(column.dataset, column.column): column for column in jar.columns}
    for ours in hook.columns:
        other = theirs.get((ours.dataset, ours.column))
        if other is None or not other.sources:
            counts["columns that the jar does not state" if ours.sources else f"columns: {EQUAL}"] += 1
            continue
        for what, one, two in (
            ("values of columns", _values(ours), _values(other)),
            (_INFLUENCES, _influences(ours), _influences(other)),
        ):
            counts[f"{what}: {EQUAL if one == two else 'other'}"] += 1
            if one != two:
                yield Difference(case, f"{what}, {ours.column}", str(sorted(one)), str(sorted(two)))


def _values(column: ColumnLineage) -> frozenset[tuple[str, str, str]]:
    return frozenset((source.dataset, source.column, source.dependency.value) for source in column.values)


def _influences(column: ColumnLineage) -> frozenset[tuple[str, str, str]]:
    return frozenset((source.dataset, source.column, source.dependency.value) for source in column.influences)


def drain(spark: SparkSession, events: Path, seen: int) -> list[str]:
    """Return the lines that the jar has written after the first `seen`, when all listeners are done."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    return events.read_text("utf-8").splitlines()[seen:] if events.exists() else []


def main() -> None:
    """Run the cases and print the comparison."""
    jar, *chosen = sys.argv[1:]
    building.on_class_path()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="sac_kafka-") as folder:
        events = Path(folder, "events.jsonl")
        spark = session(folder, **jar_conf(jar, events))
        prepare(spark, folder)
        capture = Capture(spark)
        seen = len(drain(spark, events, 0))
        for name in chosen or [
            name for name in names(spark.version) if everyday.is_everyday((everyday.KINDS[0], name))
        ]:
            outcomes = capture.outcomes_of(capture.text_of(lambda name=name: CASES[name](spark, folder)))
            lines = drain(spark, events, seen)
            seen += len(lines)
            for difference in compare(name, outcomes, flows_of(lines), counts):
                print(str(difference).replace(folder, "{work}"))
            counts["cases"] += 1
        version = spark.version
        spark.stop()
        print(f"Spark {version}, {Path(jar).name}")
        for what, number in sorted(counts.items()):
            print(f"{number:5} {what}")


if __name__ == "__main__":
    main()
