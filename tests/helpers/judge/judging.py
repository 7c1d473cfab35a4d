"""The judge as a process: Atlas' own classes behind a filter, which stays open for the whole test run.

It starts with the first message and ends with this process: its standard input closes then. Where there is no Java, no
compiler or no jars, the run fails with the fix.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stack import compiling
from stack.errors import StackError
from stack.jars import provide
from stack.java import find_java

ROOT = Path(__file__).resolve().parents[3]
JARS = "atlas-judge-2.4.0"
SOURCES = tuple(sorted(Path(__file__).parent.glob("*.java")))
TYPEDEFS = tuple(ROOT / "sac_kafka" / dialect / "typedefs" for dialect in ("atlas", "atlas/types", "purview"))
COMPILED = ROOT / "build" / "judge"
OPTIONS = ("-Xss16m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
TIMEOUT_SECONDS = 900
"""For all questions of a test: of those there are thousands, and the first ones wait for the JVM."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a server would make of one record; see Verdict.java."""

    result: str
    type: str
    entities: int
    violations: tuple[str, ...]
    warnings: tuple[str, ...]
    remarks: tuple[str, ...]
    shells: tuple[str, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """What must not be in a message that the project makes."""
        return (*self.violations, *self.warnings)


class Judge:
    """One running judge. Used by one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        java = find_java().path
        jars = provide(JARS).class_path
        classes = compiling.compiled("the judge of messages", SOURCES, COMPILED, java=java, class_path=jars)
        # An unread pipe would fill up.
        self._stderr = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 `close` closes it
        self._process = subprocess.Popen(
            [str(java), *OPTIONS, "-cp", f"{classes}:{jars}", "AtlasJudge", *map(str, TYPEDEFS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            encoding="utf-8",
        )

    def verdicts(self, values: Iterable[str]) -> list[Verdict]:
        """Judge records in order, as the first that a server sees.

        Raises:
            StackError: the judge has ended, or does not answer.
        """
        with self._lock, self._watched():
            self._request("")
            return [
                Verdict(
                    **{
                        key: tuple(part) if isinstance(part, list) else part
                        for key, part in self._request(each).items()
                    }
                )
                for each in values
            ]

    def close(self) -> None:
        """End the process."""
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        self._process.wait(TIMEOUT_SECONDS)
        if self._process.stdout:
            self._process.stdout.close()
        self._stderr.close()

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Set one deadline for all requests of a test: a judge that hangs is killed, and the request fails."""
        watch = threading.Timer(TIMEOUT_SECONDS, self._process.kill)
        watch.start()
        try:
            yield
        finally:
            watch.cancel()

    def _request(self, value: str) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        try:
            self._process.stdin.write(" ".join(value.splitlines()) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self._process.kill()
            self._process.wait()
            self._stderr.seek(0)
            printed = self._stderr.read()
            raise StackError(f"the judge of messages has ended: {printed.strip()[-2000:] or 'no output'}")
        result: dict[str, Any] = json.loads(answer)
        return result


@cache
def judge() -> Judge:
    """Return the judge of this test run."""
    return Judge()


def assert_good(values: Iterable[str]) -> None:
    """Raise AssertionError if a server would drop one of the records, or do with it something unwanted.

    A record is judged once in a run: most are seen when a test reads them and when it ends, many in several tests.
    """
    records = [each for each in dict.fromkeys(values) if hash(each) not in _good]
    if not records:
        return
    wrong = [
        f"  {problem}\n    in {record[:2000]}"
        for record, verdict in zip(records, judge().verdicts(records), strict=True)
        for problem in verdict.problems
    ]
    more = f"\n  … and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    assert not wrong, f"what a server would make of {len(records)} message(s):\n" + "\n".join(wrong[:5]) + more
    _good.update(map(hash, records))


_good: set[int] = set()
"""Hashes of the records that were judged good: 64 bits, so that a run need not keep their texts."""


def close() -> None:
    """End the judge of this run, if it was started."""
    if judge.cache_info().currsize:
        judge().close()
        judge.cache_clear()
