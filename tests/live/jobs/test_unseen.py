"""The hook is invisible: programs return, print, raise and leave the same with and without it, and so does Spark.

What may differ stands in `ALLOWED`, each with its reason; everything else that differs fails.
"""

from __future__ import annotations

import difflib
import itertools
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.live.jobs.running import JOB_SECONDS, Ran, run
from tests.live.jobs.unseen_programs import FIRST, PROGRAMS

pytestmark = [pytest.mark.spark, pytest.mark.timeout(2 * JOB_SECONDS)]

ALLOWED = {
    r"log: sac_kafka: (attached to|ended on) .*": "the two lines of every driver's log (docs/user-guide.md)",
    r"module .*": "modules that the hook has loaded; none of them is a user's",
    r"thread .*sac[-_]kafka.*": "the hook's own threads, in Python and in the JVM, are named after it",
    r"thread (Worker Monitor .*|.*N.*)": "threads of Spark's pools come and go",
    r"signal SIGTERM: .*": "the hook is drained before the driver leaves; a handler that was there is called first",
    r"event log > .*\bsac_kafka-reads(-\d+)+.*": "a statement with values of reads has a tag (docs/driver-python.md)",
    r"event log > Properties > spark\.job\.tags: spark-session-\S+$": "the same, without",
}
"""Regular expressions of whole lines that may be there with the hook, or without it, alone."""

_SAME: tuple[tuple[str, str], ...] = (
    (r"#\d+(L?)", r"#\1"),
    (r"\[plan_id=\d+\]", "[plan_id]"),
    (r"0x[0-9a-f]{6,}|@[0-9a-f]{4,8}\b", "@"),
    (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "UUID"),
    (r"\b\d{2}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}\b|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?\b", "TIME"),
    (r"\b(?:app|local|job|attempt|task)[-_]\d{10,}\w*", "RUN"),
    (r"\b\d{13}\b", "TIME"),
    (
        r"(?:Generated(?:Method|Constructor)Accessor\d+|Native(?:Method|Constructor)AccessorImpl|Delegating\w+AccessorImpl)",
        "Accessor",
    ),
    (r"(?m)^.*\bat .*\bAccessor\.\w+\(.*\)\n?", ""),  # the JVM calls by generated code what it has called often
    (r"(?:localhost|127\.0\.0\.1):\d{2,5}\b", "HOST:PORT"),
    (r"port(?:=|: ?)\d+", "port"),
    (r"part-\d{5}-\S+", "part"),
    (r"(?:Task|executor|stage|Stage|TID|partition|index|attempt)[ =]\d+(?:\.\d+)?", "NUMBER"),
    (r"\d+(?:\.\d+)? (?:ms|s|B|KiB|MiB)\b", "MEASURED"),
    (r"\r[^\n]*?\r", ""),
    (r"\bGeneratedIteratorForCodegenStage\d+", "Generated"),
    (r"\$\d{6,}", "$"),
    (r"fd=\d+, |\('127\.0\.0\.1', \d+\)", ""),  # sockets that PySpark leaves to the garbage collector
    (r"calling o\d+\.", "calling an object of the JVM: "),  # Py4J numbers the objects that Python holds
    (r"\$\$Lambda\$\d+", "$$Lambda"),
    (r"_[0-9a-f]{12,32}\b", "_UID"),
    (r"'spark\.driver\.port', '\d+'", "'spark.driver.port'"),
    (r"((?:sql\.classic|ml\.\w+)\.\w+\.\w+)\(\w+\.scala:\d+\)", r"\1"),  # Py4J may call a method or its bridge
    (r'(?m)("logger": "\w+", "msg": "[^"]{0,200}).*$', r"\1"),  # these frames, on one line
)
_EVENTS = (
    "SparkListenerJobStart",
    "SparkListenerJobEnd",
    "SparkListenerStageCompleted",
    "SparkListenerEnvironmentUpdate",
    "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
    "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd",
)
_TOLD = {
    "Job ID", "Properties", "Stage IDs", "Job Result", "executionId", "rootExecutionId", "description", "details",
    "physicalPlanDescription", "modifiedConfigs", "jobTags", "jobGroupId", "errorMessage", "Spark Properties", "Stage Name",
    "Details", "Number of Tasks", "Stage ID", "Failure Reason",
}  # fmt: skip
"""What of these events is compared: all that is not a time or a measurement."""


def same(text: str, work: str) -> str:
    """Return a text without what differs from run to run."""
    text = text.replace(work, "WORK")
    for pattern, replacement in _SAME:
        text = re.sub(pattern, replacement, text)
    return text


def lines(seen: Any, path: str = "") -> Iterator[str]:
    """Flatten what was seen into lines with their places."""
    if isinstance(seen, dict):
        for key, value in seen.items():
            yield from lines(value, f"{path} > {key}")
    elif isinstance(seen, list):
        for value in seen:
            yield from lines(value, path)
    else:
        yield from (f"{path}: {line}" for line in str(seen).splitlines())


def log(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what is compared of Spark's event log, in its order but for events of jobs that end side by side."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    for line in "".join(file.read_text() for file in files if not file.name.startswith("appstatus")).splitlines():
        event = json.loads(line)
        if event["Event"] in _EVENTS:
            properties = event.get("Properties") or {}
            if "spark.job.tags" in properties:
                properties["spark.job.tags"] = ",".join(sorted(properties["spark.job.tags"].split(",")))
            event.get("Job Result", {}).get("Exception", {}).pop("Stack Trace", None)  # frames of the JVM's threads
            yield {"Event": event["Event"]} | {
                k: v for k, v in {**event, **event.get("Stage Info", {})}.items() if k in _TOLD
            }


def _place(event: Mapping[str, Any]) -> tuple[str, int]:
    """Return where an event is compared: what ends side by side ends in any order."""
    number = next((event[key] for key in ("executionId", "Job ID", "Stage ID") if key in event), 0)
    return event["Event"], number


def all_seen(ran: Ran, work: Path) -> list[str]:
    """Return all that can be seen of a run, as lines."""
    seen = json.loads((work / "seen.json").read_text())
    process = seen.pop("the process")
    threads = [*process.pop("threads"), *process.pop("threads of the JVM")]
    modules, signals = process.pop("modules"), process.pop("signals")
    found = [
        f"status: {ran.status}",
        *lines(ran.output, "output"),
        *lines(ran.log, "log"),
        *lines(seen),
        *lines(process, "process"),
        *(f"module {name}" for name in modules),
        *(f"signal {name}: {handler}" for name, handler in signals.items()),
        *(f"thread {name}" for name in sorted({re.sub(r"\d+", "N", name) for name in threads})),
    ]
    for event in sorted(log(work / "log"), key=_place):
        found += lines(event, "event log")
    return [line for line, _ in itertools.groupby(same("\n".join(found), str(work)).splitlines())]


def differing(without: Sequence[str], with_it: Sequence[str]) -> list[str]:
    """Return the lines of a comparison that nothing allows."""
    allowed = re.compile("|".join(f"(?:{pattern})" for pattern in ALLOWED))
    compared = difflib.unified_diff(without, with_it, "without the hook", "with the hook", lineterm="", n=0)
    return [line for line in compared if not line.startswith(("---", "+++", "@@")) and not allowed.match(line[1:])]


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(FIRST, id="one of each kind", marks=pytest.mark.subset),
        pytest.param([n for n in PROGRAMS if n not in FIRST], id="the others", marks=pytest.mark.exhaustive),
    ],
)
def test_the_hook_is_invisible_to_programs(names: list[str], tmp_path: Path) -> None:
    seen = {}
    work = tmp_path / "work"  # of both: Spark cuts long paths in its plans
    for hook in (False, True):
        work.mkdir()
        ran = run("unseen", str(work), *names, hook=hook)
        assert ran.output.endswith("job ends\n"), ran.log
        seen[hook] = all_seen(ran, work)
        shutil.rmtree(work)
    assert not (found := differing(seen[False], seen[True])), "\n".join(found)
    has_threads = [any(re.match("thread .*sac[-_]kafka", line) for line in of_run) for of_run in seen.values()]
    assert has_threads == [False, True]  # there was a hook in the second run alone
