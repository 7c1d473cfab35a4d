"""Record the listener's lines (`atlas.hook.spark.record.path`), and replay recordings through the pipeline without Java.

The first line of a recording has the application and the version of sac_kafka; each following line is a line of the listener.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any, TextIO

from sac_kafka.atlas.context import Context, context_of
from sac_kafka.atlas.output import AtlasOutput
from sac_kafka.errors import ConfigurationError, ProjectionError
from sac_kafka.hook.destination import record_of
from sac_kafka.hook.dialects import output_of, receiver_of
from sac_kafka.hook.emitter import Emitter
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.pipeline_options import lineage_options, pipeline_options
from sac_kafka.hook.spark_events import SparkEvents
from sac_kafka.log import logger
from sac_kafka.model import Application, Engine, SessionFacts
from sac_kafka.plan import wire
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import QueryText
from sac_kafka.stages.output import FINISHED, Outgoing
from sac_kafka.stats import with_noun
from sac_kafka.transport import private_files
from sac_kafka.transport.base import Record
from sac_kafka.transport.factory import content_of
from sac_kafka.version import __version__

_UNSEEN = SessionFacts()
_NOT_RECORDED = "is not the application of a recorded batch"

GuardingLine = Callable[[int, str], AbstractContextManager[None]]
"""Returns the context manager for a stage; called with the number of the line (1 is the line after the application) and the
stage."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Recorded application with the listener's lines."""

    application: Application
    text: str
    session: SessionFacts = _UNSEEN


def recorder(path: str, application: Application, session: SessionFacts | None = None) -> TextIO:
    """Open the file for recording, readable by its owner only, and write the application's line if the file is new.

    Args:
        path: The path of the file.
        application: The application to record.
        session: Its session, as for `recorded_application`.

    Raises:
        ConfigurationError: The file cannot be written.
    """

    def private(name: str, flags: int) -> int:
        private_files.check_path(Path(name))
        return private_files.open_private(Path(name), flags)

    try:
        file = open(path, "a", encoding="utf-8", opener=private)  # noqa: SIM115 the worker closes it
    except OSError as e:
        raise ConfigurationError(
            f"atlas.hook.spark.record.path = {path}: {e.strerror}; set it to a writable file, or remove it"
        ) from e
    if file.tell() == 0:
        file.write(recorded_application(application, session) + "\n")
    return file


_MASKED = (
    "sac_kafka: SQL text is masked, although atlas.hook.spark.query.text is verbatim, because recordings contain no "
    "literals; to get verbatim text remove atlas.hook.spark.record.path"
)


def recorder_of(settings: Settings, application: Application, session: SessionFacts | None) -> TextIO | None:
    """Open the file that the settings name for recording; None if they name none. Arguments and errors as for `recorder`."""
    path = settings.driver.record_path
    if not path:
        return None
    if settings.content.query_text is QueryText.VERBATIM:
        logger.warning("%s", _MASKED)
    return recorder(path, application, session)


def recorded_application(application: Application, session: SessionFacts | None = None) -> str:
    """Return the first line of a recording; `session` is set if the dialect is purview, whose names depend on it."""
    seen = [] if session is None else [{**asdict(session), "configured_catalogs": sorted(session.configured_catalogs)}]
    return json.dumps(["application", asdict(application), __version__, *seen])


def _session(*, mounts: list[tuple[str, str]], is_hive: bool, configured_catalogs: list[str]) -> SessionFacts:
    """Convert the lists of JSON to tuples and sets."""
    return SessionFacts(
        mounts=tuple((str(point), str(source)) for point, source in mounts),
        is_hive=bool(is_hive),
        configured_catalogs=frozenset(map(str, configured_catalogs)),
    )


def read_first_line(line: str, place: str, remedy: str = "") -> tuple[Application, SessionFacts]:
    """Read the application and its session from the first line of a recording; the default session if the line has none.

    Args:
        line: The line.
        place: The name of the recording in errors.
        remedy: The fix to suggest if this is not a recording.

    Raises:
        ProjectionError: This is not a recording, or one of another version with other fields; or the session is invalid.
    """
    version = ""
    try:
        kind, values, *rest = json.loads(line)
        if kind != "application":
            raise ValueError(f"a line of kind {str(kind)[:40]!r}")
        version = str(rest[0])[:40] if rest else ""
        application = _application(values)
    except (ValueError, TypeError, RecursionError) as e:
        if version not in ("", __version__):
            remedy = f"it was recorded by sac-kafka {version}: replay it with that version"
        reason = str(e) if line else "it is empty"
        raise ProjectionError(f"{place}: line 1 {_NOT_RECORDED}: {reason}{remedy and f'; {remedy}'}") from e
    try:
        return application, _session(**rest[1]) if rest[1:] else _UNSEEN
    except (TypeError, ValueError) as e:
        raise ProjectionError(f"{place}: the session in line 1 is invalid: {e}; record the batch again") from e


_LISTS = frozenset({"facts", "labels"})
"""The fields of an application that are tuples, and lists in JSON."""


def _application(values: dict[str, Any]) -> Application:
    values = {"spark_version": "", **values}
    version = values.pop("spark_version")  # of older recordings, which are all of Spark
    application = Application(**{**values, "engine": Engine(**values.get("engine", {"version": version}))})
    for field in fields(application):
        type_name = type(getattr(application, field.name)).__name__.replace("NoneType", "None")
        if field.name not in _LISTS and type_name not in str(field.type).split(" | "):
            raise TypeError(f"its {field.name} is of {type_name}, not {field.type}")
    facts, labels = tuple((name, fact) for name, fact in application.facts), tuple(application.labels)
    if not all(isinstance(text, str) for texts in (*facts, labels, astuple(application.engine)) for text in texts):
        raise TypeError("its facts, labels or engine are not texts")
    return replace(application, facts=facts, labels=labels)


def read_recording(path: str | Path) -> Recording:
    """Read a recording from a file.

    Raises:
        ProjectionError: The file does not begin with the application.
    """
    first, _, text = Path(path).read_text("utf-8").partition("\n")
    application, session = read_first_line(first, str(path))
    return Recording(application, text, session)


def replay(recording: Recording, settings: Settings, now_ms: int = 0) -> Iterator[Outgoing]:
    """Yield the messages of a recording, made by the same stages as in a driver.

    Raises:
        ProjectionError: A line of the recording is invalid.
    """
    lines = recording.text.split("\n")
    context = context_of_recording(recording.application, settings)
    return replay_lines(context, lines, settings, _strict, lambda: now_ms, session=recording.session)


def context_of_recording(application: Application, settings: Settings) -> Context:
    """Return the context of a recorded application under these settings."""
    return context_of(application, settings.names, content_of(settings), receiver=receiver_of(settings))


def replay_lines(
    context: Context,
    lines: Iterable[str],
    settings: Settings,
    guard: GuardingLine,
    clock: Callable[[], int],
    *,
    session: SessionFacts = _UNSEEN,
) -> Iterator[Outgoing]:
    """Yield the messages of the listener's lines, line by line.

    Args:
        context: The context of the recorded application.
        lines: The lines of the listener; empty ones are skipped.
        settings: The settings of the hook.
        guard: The guard of each stage of each line.
        clock: Returns epoch milliseconds for the messages.
        session: The recorded session.
    """
    number = 0

    def guard_line(stage: str) -> AbstractContextManager[None]:
        return guard(number, stage)

    pipeline = Pipeline(pipeline_options(context, settings), guard=guard_line, clock=clock)
    events = SparkEvents(pipeline, lineage_options(context, settings), guard_line)
    output = output_of(settings, context, session=session)
    emitter = Emitter(output, pipeline.stats.writes, guard_line, clock)
    for number, text in enumerate(lines, start=1):  # noqa: B007 used by the guard
        if text:
            yield from emitter.messages(events.run(text))
    yield from emitter.messages(pipeline.drain())
    yield from emitter.messages(events.end())
    yield from emitter.at_the_end(FINISHED)


def _strict(number: int, stage: str) -> AbstractContextManager[None]:
    return wire.add_line_number(number) if stage == "decode" else nullcontext()


class Damage:
    """Lines that cannot be replayed: their number, and the error of the first. The other lines are replayed."""

    def __init__(self) -> None:
        self._lines: set[int] = set()
        self._first = ""

    def __str__(self) -> str:
        """Return a one-line summary; "" without damaged lines."""
        count = len(self._lines)
        return f"{with_noun(count, 'line')} cannot be replayed: {self._first}" if count else ""

    @contextmanager
    def guard(self, number: int, stage: str) -> Iterator[None]:
        """Record an error of a stage; an invalid line can cause any exception."""
        try:
            yield
        except Exception as e:  # noqa: BLE001 the other lines are still replayed
            self.note(number, f"{type(e).__name__} in {stage}")

    def note(self, number: int, what: str) -> None:
        """Record a damaged line (1 is the line after the application); its text is not kept."""
        self._first = self._first or f"line {number + 1}: {what}"
        self._lines.add(number)


def records_of(messages: Iterable[Outgoing], context: Context, clock: Callable[[], int]) -> Iterator[Record]:
    """Yield the record of each message, as a driver sends it."""
    output = AtlasOutput(context)
    for message in messages:
        yield record_of(message, output.values(message), context.receiver.topic, clock())
