"""A recorded batch, `atlas.hook.spark.record.path`: what the listener has said, and its way through the pipeline, without Java.

The first line names the application and the version that recorded it, each that follows is a line of the listener.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TextIO

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.messages import Message
from sac_kafka.dialects import dialect_of, is_purview
from sac_kafka.errors import ConfigurationError, ProjectionError
from sac_kafka.lineage.model import Application
from sac_kafka.pipeline import Outgoing, Pipeline, selection_of
from sac_kafka.plan import wire
from sac_kafka.purview.naming_context import SessionFacts
from sac_kafka.settings import Settings
from sac_kafka.stats import counted
from sac_kafka.transport import private_files
from sac_kafka.transport.factory import content_of, sink_of
from sac_kafka.version import __version__

_UNSEEN = SessionFacts()
_NOT_RECORDED = "is not the application of a recorded batch"

GuardingLine = Callable[[int, str], AbstractContextManager[None]]
"""Gives what a stage runs under: the number of the line, from 1 behind the application's, and the stage."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded batch: the application, and the listener's lines."""

    application: Application
    text: str
    session: SessionFacts = _UNSEEN


def recorder(path: str, application: Application, session: SessionFacts | None = None) -> TextIO:
    """The file that batches are recorded to: readable by its owner only; `session` as of `recorded_application`.

    Raises:
        ConfigurationError: It cannot be written.
    """

    def private(name: str, flags: int) -> int:
        return private_files.opened(Path(name), flags)

    try:
        file = open(path, "a", encoding="utf-8", opener=private)  # noqa: SIM115 the worker closes it
    except OSError as e:
        raise ConfigurationError(
            f"atlas.hook.spark.record.path = {path}: {e.strerror}; name a file of your own that can be written, or unset it"
        ) from e
    if file.tell() == 0:
        file.write(recorded_application(application, session) + "\n")
    return file


def recorded_application(application: Application, session: SessionFacts | None = None) -> str:
    """The first line of a recording; `session` is what names in Purview depend on, where messages are made for it."""
    seen = [] if session is None else [{**asdict(session), "configured_catalogs": sorted(session.configured_catalogs)}]
    return json.dumps(["application", asdict(application), __version__, *seen])


def read_session(line: str, place: str) -> SessionFacts:
    """Read what the first line of a recording says of the session; the defaults, where it says nothing.

    Args:
        line: The line, of which `read_application` has read the rest.
        place: What errors call the recording.

    Raises:
        ProjectionError: It says something else.
    """
    seen = json.loads(line)[3:4]
    try:
        return _session(**seen[0]) if seen else _UNSEEN
    except (TypeError, ValueError) as e:
        raise ProjectionError(f"{place}: line 1 does not tell of a session: {e}; record the batch again") from e


def _session(*, mounts: list[tuple[str, str]], is_hive: bool, configured_catalogs: list[str]) -> SessionFacts:
    """JSON knows no tuples and no sets."""
    return SessionFacts(
        mounts=tuple((str(point), str(source)) for point, source in mounts),
        is_hive=bool(is_hive),
        configured_catalogs=frozenset(map(str, configured_catalogs)),
    )


def read_application(line: str, place: str, cure: str = "") -> Application:
    """Read the first line of a recording.

    Args:
        line: The line.
        place: What errors call the recording.
        cure: What to do where it is none.

    Raises:
        ProjectionError: It is none, or one of another version that says more, or less, of an application.
    """
    version = ""
    try:
        kind, values, *rest = json.loads(line)
        if kind != "application":
            raise ValueError(f"a line of kind {str(kind)[:40]!r}")
        version = str(rest[0])[:40] if rest else ""
        return _application(values)
    except (ValueError, TypeError, RecursionError) as e:
        if version not in ("", __version__):
            cure = f"it was recorded by sac-kafka {version}: replay it with that version"
        told = str(e) if line else "it is empty"
        raise ProjectionError(f"{place}: line 1 {_NOT_RECORDED}: {told}{cure and f'; {cure}'}") from e


def _application(values: dict[str, Any]) -> Application:
    application = Application(**values)
    for each in fields(application):
        found = type(getattr(application, each.name)).__name__.replace("NoneType", "None")
        if each.name != "facts" and found not in str(each.type).split(" | "):
            raise TypeError(f"its {each.name} is of {found}, not {each.type}")
    facts = tuple((name, fact) for name, fact in application.facts)  # JSON knows no tuples
    if not all(isinstance(each, str) for fact in facts for each in fact):
        raise TypeError("its facts are no texts")
    return replace(application, facts=facts)


def read_recording(path: str | Path) -> Recording:
    """Read a recorded batch.

    Raises:
        ProjectionError: The file does not begin with the application.
    """
    first, _, text = Path(path).read_text("utf-8").partition("\n")
    return Recording(read_application(first, str(path)), text, read_session(first, str(path)))


def replay(recording: Recording, settings: Settings, now_ms: int = 0) -> Iterator[Message]:
    """The messages of a recorded batch, by the same way as in a driver.

    Raises:
        ProjectionError: A line of the batch is not what the listener writes.
    """
    lines = recording.text.split("\n")
    said = replayed(recording.application, lines, settings, _strict, lambda: now_ms, session=recording.session)
    return (each.message for each in said)


def replayed(
    application: Application,
    lines: Iterable[str],
    settings: Settings,
    guard: GuardingLine,
    clock: Callable[[], int],
    *,
    session: SessionFacts = _UNSEEN,
) -> Iterator[Outgoing]:
    """The messages of the listener's lines, and the records that carry them, as soon as each is known.

    Args:
        application: Whose lines these are.
        lines: The lines; empty ones are passed over.
        settings: The hook's.
        guard: What each stage of each line runs under.
        clock: Epoch milliseconds, for the messages.
        session: What the driver showed of its session.
    """
    number = 0
    joins_parts = sink_of(settings).joins_parts(settings)
    context = context_of(
        application, settings.names, content_of(settings), joins_parts=joins_parts, is_purview=is_purview(settings)
    )
    pipeline = Pipeline(
        context,
        settings.sink.topic,
        dialect=dialect_of(settings, application, session),
        selection=selection_of(settings.filters),
        follows_rdds=settings.driver.follows_rdds,
        guard=lambda stage: guard(number, stage),
        clock=clock,
    )
    for number, text in enumerate(lines, start=1):  # noqa: B007 the guard names it
        if text:
            yield from pipeline.run(text)
    yield from pipeline.rest()
    yield from pipeline.ended()


def _strict(number: int, stage: str) -> AbstractContextManager[None]:
    return wire.numbered(number) if stage == "decode" else nullcontext()


class Damage:
    """The lines that cannot be replayed: how many, and what is wrong with the first; the others are replayed."""

    def __init__(self) -> None:
        self._lines: set[int] = set()
        self._first = ""

    def __str__(self) -> str:
        """In a few words; "" for none."""
        count = len(self._lines)
        return f"{counted(count, 'line')} cannot be replayed: {self._first}" if count else ""

    @contextmanager
    def guard(self, number: int, stage: str) -> Iterator[None]:
        """Note an error of a stage; what a foreign line provokes may be anything."""
        try:
            yield
        except Exception as e:  # noqa: BLE001 one bad line is not the end
            self.note(number, f"{type(e).__name__} in {stage}")

    def note(self, number: int, what: str) -> None:
        """A line, counted from 1 behind the application's, cannot be replayed; its text is not shown."""
        self._first = self._first or f"line {number + 1}: {what}"
        self._lines.add(number)
