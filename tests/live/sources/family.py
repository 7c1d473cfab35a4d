"""A family of cases over one format or database: the jars it needs, the session it has, its cases.

A case takes a session and a folder. What it does before its `yield` is prepared, what it does behind it is recorded and must
mean what `fixtures/lineage/<family>_cases.txt` has; a case without a `yield` is recorded whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sac_kafka.spark.listener import ListenerSettings
from tests.cases.expected import sections, text
from tests.helpers.live_runs import SETTINGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Case = Callable[["SparkSession", str], Any]
RECORDED = Path(__file__).resolve().parents[2] / "fixtures" / "sources"
WORK = "/work-of-the-case"


@dataclass(frozen=True, kw_only=True)
class Family:
    """What runs in one session.

    Attributes:
        name: Of its cases file, its recordings and, before an underscore, of its cases.
        jars: The list of `stack/jars` by Spark's version, as far as that matters ("3.5", "4"); none where none are needed.
        conf: The configuration of its session, by the folder of the run.
        prepare: What its cases read.
        missing: What to do where what it needs is not on this machine; None where it is.
        texts: Parts of the listener's text that differ in each run, and their replacements.
        settings: The settings of its listener.
        excluded: The names of executions that recordings omit, as a regular expression: a format reads much of its own
            log, without a write. Live runs have all of it.
    """

    name: str
    jars: Mapping[str, str] = field(default_factory=dict)
    conf: Callable[[str], Mapping[str, str]] = lambda _: {}
    prepare: Case = lambda *_: None
    missing: Callable[[], str | None] = lambda: None
    texts: Callable[[], Mapping[str, str]] = dict
    settings: ListenerSettings = SETTINGS
    excluded: str | None = None
    cases: dict[str, Case] = field(default_factory=dict)
    changing: set[str] = field(default_factory=set)
    since: dict[str, str] = field(default_factory=dict)
    until: dict[str, str] = field(default_factory=dict)

    def case(self, function: Case) -> Case:
        """Return a case."""
        return self.case_called(function.__name__, function)

    def case_called(self, name: str, function: Case) -> Case:
        """Return a case of another name than its function's."""
        assert name not in self.cases, name
        self.cases[name] = function
        return function

    def changing_case(self, function: Case) -> Case:
        """Return a case whose expectation includes changes of the catalog."""
        self.changing.add(function.__name__)
        return self.case(function)

    def only(self, *, since: str = "0", until: str = "99") -> Callable[[Case], Case]:
        """Return a case of some Sparks, by major and minor version, both ends included."""

        def mark(function: Case) -> Case:
            self.since[function.__name__], self.until[function.__name__] = since, until
            return self.case(function)

        return mark

    def names(self, spark_version: str) -> list[str]:
        """Return the cases that this Spark can run."""
        here = _number(spark_version)[:2]
        return [n for n in self.cases if _number(self.since.get(n, "0")) <= here <= _number(self.until.get(n, "99"))]

    def list_of_jars(self, spark_version: str) -> str | None:
        """Return the list of `stack/jars` for this Spark; None where none are needed.

        Raises:
            LookupError: there are none for it.
        """
        if not self.jars:
            return None
        for version, name in self.jars.items():
            if f"{spark_version}.".startswith(f"{version}."):
                return name
        raise LookupError(f"{self.name} has no jars for Spark {spark_version}, only for {', '.join(self.jars)}")

    def recording(self, spark_version: str) -> Path:
        """Return the file with the listener's text of all cases on this Spark."""
        return RECORDED / self.name / f"{spark_version}.txt"

    def recordings(self) -> dict[str, dict[str, str]]:
        """By the Spark of each recording the batches of its cases."""
        files = sorted((RECORDED / self.name).glob("*.txt"))
        return {file.stem: {n: "\n".join(lines) for n, lines in sections(file).items()} for file in files}

    def settled(self, batch: str) -> str:
        """Return the listener's text, the same in each run."""
        for found, fixed in self.texts().items():
            batch = batch.replace(found, fixed)
        return batch

    def record(self, spark_version: str, batches: Mapping[str, str]) -> None:
        """Replace the listener's text of some cases by a new one."""
        file = self.recording(spark_version)
        file.parent.mkdir(parents=True, exist_ok=True)
        known = {name: lines for name, lines in sections(file).items() if name in self.cases}
        known.update({name: without(batch.splitlines(), self.excluded) for name, batch in batches.items()})
        file.write_text(text(known), "utf-8")


def without(lines: list[str], names: str | None) -> list[str]:
    """Return a batch without the executions of those names, from their start to their end."""
    if names is None:
        return lines
    ended = re.compile(rf'.*\["(\d+)","(?:{names})"(?:,[^,]*){{3}}\]\]\]$')
    gone = {found[1] for line in lines if (found := ended.match(line))}
    started = re.compile(r'.*SparkListenerSQLExecutionStart".*\["o",\d+,\["(\d+)"')
    return [
        line
        for line in lines
        if not ((found := ended.match(line) or started.match(line)) is not None and found[1] in gone)
    ]


def steps(case: Case, spark: SparkSession, work: str) -> Iterator[Callable[[], object]]:
    """Yield what is left to do of a case when it is prepared."""
    started = case(spark, work) if _is_generator(case) else None
    if started is None:
        yield lambda: case(spark, work)
        return
    next(started)
    yield lambda: list(started)


def _is_generator(case: Case) -> bool:
    import inspect

    return inspect.isgeneratorfunction(case)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def spark_jars(lists: Iterable[str | None]) -> dict[str, str]:
    """Return the configuration that puts the jars of some lists where `--packages` would."""
    from stack import jars

    paths = [
        str(found.folder / jar.file_name)
        for name in lists
        if name
        for found in [jars.provide(name)]
        for jar in found.jars
    ]
    return {"spark.jars": ",".join(paths)} if paths else {}
