"""The stages in order: projected text → events → processes → messages. Pure but for what it remembers of the application.

`replay` runs a recorded batch through the same stages, without Java.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sac_kafka.atlas.column_lineage import ColumnLineageMode
from sac_kafka.atlas.dialect import Context, Message, messages
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.naming import Naming
from sac_kafka.errors import ProjectionError
from sac_kafka.lineage.actions import Actions
from sac_kafka.lineage.model import Application, Process
from sac_kafka.plan import wire
from sac_kafka.settings import Settings


class Pipeline:
    """The pipeline of one application."""

    def __init__(self, application: Application, context: Context, settings: Settings) -> None:
        self.application = application
        self.context = context
        self.remembered = Remembered()
        self._query_text = (settings.query_text, settings.query_text_length)
        self._actions = Actions(application, tuple(re.compile(p) for p in settings.path_patterns))
        self._notes: Counter[str] = Counter()
        self._microseconds = 0

    @property
    def counts(self) -> Mapping[str, int]:
        """What was seen, and what was not understood (reason to how often)."""
        return {**self._actions.counts, **self._notes}

    @property
    def projecting_microseconds(self) -> int:
        """The time that the driver's JVM spent on projecting."""
        return self._microseconds

    def processes(self, line: wire.Projected) -> Iterator[Process]:
        """The processes that an event completes."""
        self._notes.update(line.notes)
        self._microseconds += line.microseconds
        for process in self._actions.add(line.event):
            yield _with_query_text(process, *self._query_text)

    def messages(self, process: Process, now_ms: int) -> tuple[Message, ...]:
        """The messages of a process, in order of sending."""
        return messages(process, context=self.context, remembered=self.remembered, now_ms=now_ms)


def atlas_context(settings: Settings, application: Application, source_ip: str = "") -> Context:
    """What the messages of an application have in common; `source_ip` is the driver's address."""
    return Context(
        naming=Naming(namespace=settings.namespace),
        user=application.user,
        source_ip=source_ip,
        created_by=application.user,
        column_lineage=ColumnLineageMode(settings.column_lineage),
        max_bytes=settings.message_max_bytes,
        max_entities=settings.message_max_entities,
    )


def _with_query_text(process: Process, mode: str, longest: int) -> Process:
    text = process.run.query_text
    if text is None or (mode != "off" and len(text) <= longest):
        return process
    shown = None if mode == "off" or not longest else text[:longest]
    return replace(process, run=replace(process.run, query_text=shown))


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded batch: the application, and the listener's lines."""

    application: Application
    text: str


def recorded_application(application: Application) -> str:
    """The first line of a recording."""
    return json.dumps(["application", asdict(application)])


def read_recording(path: str | Path) -> Recording:
    """Read a recorded batch.

    Raises:
        ProjectionError: The file does not begin with the application.
    """
    first, _, text = Path(path).read_text("utf-8").partition("\n")
    try:
        kind, application = json.loads(first)
        if kind != "application":
            raise ValueError(f"a line of kind {kind!r}")
        return Recording(Application(**application), text)
    except (ValueError, TypeError) as e:
        raise ProjectionError(f"{path}: line 1 is not the application of a recorded batch: {e}") from e


def replay(recording: Recording, settings: Settings, now_ms: int = 0) -> Iterator[Message]:
    """The messages of a recorded batch.

    Raises:
        ProjectionError: A line of the batch is not what the listener writes.
    """
    context = atlas_context(settings, recording.application)
    pipeline = Pipeline(recording.application, context, settings)
    for line in wire.read(recording.text):
        if isinstance(line, wire.Projected):
            for process in pipeline.processes(line):
                yield from pipeline.messages(process, now_ms)
