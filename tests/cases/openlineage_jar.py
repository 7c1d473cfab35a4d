"""Compare the hook with OpenLineage's own jar in one driver: `python -m tests.cases.openlineage_jar JAR [case …]`.

Runs all cases of the installed Spark (or those that are named; `1/3` is the first third of all), and compares what the hook
means by each with the events that the jar writes to a file, read as the bridge reads them, through the same stages. Only what
the jar states is compared. Prints one line per difference, and the number of flows, names and columns by result.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import messages
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.pipeline_options import lineage_options, pipeline_options
from sac_kafka.hook.recording import context_of_recording
from sac_kafka.hook.spark_events import SparkEvents
from sac_kafka.model import ColumnLineage, Process
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.flows import FlowOptions
from sac_kafka.openlineage.open_runs import OpenRuns
from tests.cases.all_cases import CASES, prepare
from tests.cases.every_case import names
from tests.helpers import everyday
from tests.helpers.catalog import building
from tests.helpers.live_runs import APPLICATION, Capture, session
from tests.helpers.recorded_flows import SETTINGS

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


class _Side:
    """What one side means by each case: the pipeline of a hook or a bridge, which lives as long as the driver."""

    def __init__(self) -> None:
        self._context = context_of_recording(APPLICATION, SETTINGS)
        self._options = pipeline_options(self._context, SETTINGS)

    def name_of(self, flow: Process) -> str:
        """Return the name of the process in Atlas; "" if nothing of the flow is sent."""
        sent = messages(flow, context=self._context, remembered=Remembered(max_age_ms=0), now_ms=0)
        entities = (entity for message in sent for entity in message.notification.entities)  # type: ignore[union-attr]
        return next((entity.id.qualified_name for entity in entities if entity.id.type_name == "spark_process"), "")


class HookSide(_Side):
    """The flows of the listener's text."""

    def __init__(self) -> None:
        super().__init__()
        self._pipeline = Pipeline(self._options, clock=lambda: 0)
        self._events = SparkEvents(self._pipeline, lineage_options(self._context, SETTINGS), lambda _: nullcontext())

    def flows(self, text: str) -> list[Process]:
        steps = [step for line in filter(None, text.split("\n")) for step in self._events.run(line)]
        outcomes = (step.outcome for step in (*steps, *self._pipeline.drain()))
        return [each for each in outcomes if isinstance(each, Process) and each.outputs and not each.defines_view]


class JarSide(_Side):
    """The flows of the jar's events, as a bridge reports them."""

    def __init__(self) -> None:
        super().__init__()
        self._pipeline = Pipeline(replace(self._options, joins_runs=False), clock=lambda: 0)

    def flows(self, lines: Iterable[str]) -> list[Process]:
        runs = OpenRuns(FlowOptions(namespace="test"))
        for line in lines:
            runs.add(read_event(json.loads(line)), 0.0)
        steps = [step for group in runs.all() for step in self._pipeline.add(partial(iter, group))]
        outcomes = (step.outcome for step in (*steps, *self._pipeline.drain()))
        return [each for each in outcomes if isinstance(each, Process)]


def compare(case: str, hook: list[Process], jar: list[Process], counts: Counter[str]) -> Iterator[Difference]:
    """Yield what the jar states otherwise; count what is equal, and what the jar does not state."""
    side, theirs = _Side(), list(jar)
    for flow in hook:
        rivals = [other for other in theirs if keys(other.outputs) == keys(flow.outputs)]
        if not rivals:
            counts["flows that the jar does not state"] += 1
            continue
        other = max(rivals, key=lambda each: keys(each.inputs) == keys(flow.inputs))
        theirs.remove(other)
        is_equal = keys(flow.inputs) == keys(other.inputs)
        counts["flows with equal datasets" if is_equal else "flows with other inputs"] += 1
        if not is_equal:
            yield Difference(case, "inputs", str(sorted(keys(flow.inputs))), str(sorted(keys(other.inputs))))
        elif (ours := side.name_of(flow)) != (name := side.name_of(other)):
            counts["process names: other"] += 1
            yield Difference(case, "process", ours, name)
        else:
            counts[f"process names: {EQUAL}"] += 1
        yield from _columns(case, flow, other, counts)
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


def _chosen(words: list[str], version: str) -> list[str]:
    known = sorted(names(version), key=lambda name: -everyday.cover().get((everyday.KINDS[0], name), 0))
    if not words or "/" not in words[0]:
        return words or known
    part, parts = map(int, words[0].split("/"))
    return known[part - 1 :: parts]


def main() -> None:
    """Run the cases, those that say most first, and print the comparison; of those that were run, if it is interrupted."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    jar, *words = sys.argv[1:]
    building.on_class_path()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="sac_kafka-") as folder:
        events = Path(folder, "events.jsonl")
        spark = session(folder, **jar_conf(jar, events))
        hook, bridge = HookSide(), JarSide()
        capture = Capture(spark)
        prepare(spark, folder)
        hook.flows(capture.drain())
        lines = drain(spark, events, 0)
        bridge.flows(lines)
        seen = len(lines)
        with suppress(KeyboardInterrupt):
            for name in _chosen(words, spark.version):
                try:
                    CASES[name](spark, folder)
                except Exception as error:  # noqa: BLE001 the jar itself fails some; the others are still compared
                    print(f"{name}: not run: {traceback.format_exception_only(error)[-1].strip()[:200]}")
                    counts["cases that failed"] += 1
                flows = hook.flows(capture.drain())
                lines = drain(spark, events, seen)
                seen += len(lines)
                for difference in compare(name, flows, bridge.flows(lines), counts):
                    print(str(difference).replace(folder, "{work}"), flush=True)
                counts["cases"] += 1
        print(f"Spark {version('pyspark')}, {Path(jar).name}")
        for what, number in sorted(counts.items()):
            print(f"{number:5} {what}", flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
