"""Reads what an Atlas server has logged since a point of time: its complaints, and the messages that it dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_ENTRY = re.compile(r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (?P<level>[A-Z]+) +- \[(?P<rest>.*)")
_DROPPED = re.compile(r"^\S+ \S+ \[DROPPED_NOTIFICATION\] (?P<message>.*)$")
COMPLAINTS = frozenset({"WARN", "ERROR", "FATAL"})


@dataclass(frozen=True, slots=True)
class LogMark:
    """A point of time, as the sizes in bytes that the logs had then."""

    application: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of application.log; the text has the lines that follow it (an exception's) as well."""

    time: str
    level: str
    text: str

    def __str__(self) -> str:
        """Return the first line and every cause, for a person."""
        first, *more = self.text.splitlines()
        causes = [line for line in more if not line.startswith(("\t", " ")) and line.strip()]
        return "\n    ".join([f"{self.time} {self.level} {first}", *causes])


@dataclass(frozen=True, slots=True)
class AtlasLogs:
    """The logs in a folder (`atlas.log.dir`)."""

    folder: Path

    @property
    def application(self) -> Path:
        """Everything the server logs, of level INFO and above for Atlas' own classes."""
        return self.folder / "application.log"

    @property
    def failed(self) -> Path:
        """The messages that the server gave up (`atlas.notification.log.failed.messages`)."""
        return self.folder / "failed.log"

    @property
    def output(self) -> Path:
        """What the Java process printed itself."""
        return self.folder / "output.log"

    def mark(self) -> LogMark:
        """Return the present point of time."""
        return LogMark(_size(self.application), _size(self.failed))

    def entries(self, since: LogMark = LogMark()) -> list[LogEntry]:
        """Return the entries of application.log since a mark, of all levels."""
        return parse_entries(_read(self.application, since.application))

    def complaints(self, since: LogMark = LogMark()) -> list[LogEntry]:
        """Return the entries of level WARN and above since a mark."""
        return [entry for entry in self.entries(since) if entry.level in COMPLAINTS]

    def dropped(self, since: LogMark = LogMark()) -> list[str]:
        """Return the JSON of each message that the server dropped since a mark."""
        lines = _read(self.failed, since.failed).splitlines()
        return [found["message"] for line in lines if (found := _DROPPED.match(line))]


def parse_entries(text: str) -> list[LogEntry]:
    r"""Read entries; lines that begin none belong to the entry before them.

    >>> parse_entries("2026-01-02 03:04:05,678 WARN  - [main:] ~ no\njava.lang.Exception: no\n")
    [LogEntry(time='2026-01-02 03:04:05,678', level='WARN', text='[main:] ~ no\njava.lang.Exception: no')]
    """
    entries: list[LogEntry] = []
    lines: list[str] = []
    found: re.Match[str] | None = None
    for line in [*text.splitlines(), None]:
        begins = None if line is None else _ENTRY.match(line)
        if begins or line is None:
            if found:
                entries.append(LogEntry(found["time"], found["level"], "\n".join(lines)))
            found, lines = begins, [f"[{begins['rest']}"] if begins else []
        elif found:
            lines.append(line)
    return entries


def _size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def _read(log: Path, offset: int) -> str:
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(offset)
        return file.read().decode(errors="replace")
