"""The projecting listener of one SparkContext, seen from Python: load, start, poll, mark, detach.

Called by `attachment` (start, mark, detach) and by the worker (poll). Every call that can be made while the
JVM is going away raises `GoneError` instead of Py4J's errors.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.errors import AttachError, ServedError, SourceError
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.spark import processes
from sac_kafka.spark.java_classes import LISTENER, LoadedClass, class_by_name, load
from sac_kafka.spark.java_errors import brief, refusal
from sac_kafka.version import __version__

POLL_CHARACTERS = 4_000_000
"""About how much text one poll brings at most."""


class GoneError(SourceError):
    """The driver's JVM, or the connection to it, is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerSettings:
    """Settings of the listener.

    `handoff_events` hold live Spark objects, so they are few. `stack_bytes` are reserved for the capturing thread, for
    deep plans; only the part in use takes memory. `looks_up_catalog` is False where the metastore is remote: another
    hook watches it, and no call of ours reaches it. `foreign_kinds` are the kinds of databases whose queries travel, and what is
    special in their SQL (`ForeignText.java`). `job_keys` are the properties of jobs that identify a notebook or task.
    """

    literals: bool
    bounds: DriverBounds = field(default_factory=DriverBounds)
    handoff_events: int = 256
    stack_bytes: int = 256 * 1024 * 1024
    looks_up_catalog: bool = True
    redact_keys: tuple[str, ...] = ()
    redact_values: tuple[str, ...] = ()
    foreign_kinds: Mapping[str, str] = field(default_factory=dict)
    job_keys: tuple[str, ...] = ()

    def text(self, specification: str) -> str:
        """Return one setting per line, key and value separated by a tab; the first is a digest of all others."""
        lines = self._lines()
        # The order of the classes depends on that of imports.
        classes = sorted(each.strip() for each in f"\n{specification}".split("\nclass\t"))
        kind = hashlib.sha256("\n".join((__version__, *classes, *lines)).encode()).hexdigest()
        return "\n".join((f"kind\t{kind}", f"owner\t{processes.own()}", f"version\t{__version__}", *lines))

    def _lines(self) -> list[str]:
        pairs = [
            ("handoff.events", self.handoff_events),
            ("queue.events", self.bounds.queue_events),
            ("queue.chars", self.bounds.queue_bytes),
            ("event.values", self.bounds.event_values),
            ("stuck.ms", int(self.bounds.stuck_seconds * 1000)),
            ("stop.wait.ms", int(self.bounds.stop_wait_seconds * 1000)),
            ("stack.bytes", self.stack_bytes),
            ("literals", str(self.literals).lower()),
            ("catalog", str(self.looks_up_catalog).lower()),
            *(("foreign.kind", f"{kind} {special}") for kind, special in sorted(self.foreign_kinds.items())),
            *(("job.key", key) for key in self.job_keys),
            *(("redact.key", pattern) for pattern in self.redact_keys),
            *(("redact.value", pattern) for pattern in self.redact_values),
        ]
        return [f"{key}\t{value}" for key, value in pairs]


class Listener:
    """The `ProjectionListener` of this process: on the bus, or passing on all calls to the one of another process.

    Attributes:
        java: The Java object.
        compiled_because: Why it was compiled in the driver; None if the precompiled classes fit.
    """

    def __init__(self, java_listener: Any, compiled_because: str | None = None) -> None:  # noqa: ANN401 a Py4J object
        self.java = java_listener
        self._process = processes.own()
        self.compiled_because = compiled_because
        self._notes = java_listener.call("notes", self._process)

    @classmethod
    def start(cls, spark_context: Any, specification: str, settings: ListenerSettings) -> Listener:  # noqa: ANN401 a SparkContext
        """Load the listener into the driver and put it on its own queue of the bus.

        Raises:
            AttachError: The context is stopped, or the driver lacks or forbids something that the listener needs.
            ServedError: Another Python process serves this SparkContext.
        """
        if getattr(spark_context, "_jsc", None) is None:
            raise AttachError("the SparkContext is stopped: attach to a running one")
        scala_context = spark_context._jsc.sc()
        try:
            loaded = _load(spark_context._gateway, scala_context)
            packed = zlib.compress(specification.encode(), 1)  # Py4J reads text character by character
            arguments = (scala_context, packed, settings.text(specification))
            made = _construct(spark_context._gateway, loaded.java_class, *arguments)
            made.call("poll", 0, POLL_CHARACTERS, processes.own())  # fail before listening if calling it is not allowed
            served_by = _start(made)
            is_joined = served_by is not None and made.join() is not None
            listener = None if served_by is not None and not is_joined else cls(made, loaded.compiled_because)
        except Exception as e:
            raise refusal(e) or AttachError(f"the listener cannot be started in this driver: {brief(e)}") from e
        if served_by is not None:
            raise ServedError(
                f"the Python process {processes.shown(served_by)} serves this SparkContext with another version of "
                "sac_kafka, and reports all that runs on it as its own job's; install the same version for all Python processes "
                "of the driver",
                listener,
            )
        assert listener is not None
        return listener

    # ---- for the process that serves

    def poll(self, wait_ms: int) -> str | None:
        """Return the pending lines; None if there are none within `wait_ms`.

        Raises:
            GoneError: The JVM is unreachable.
        """
        return self._call("poll", wait_ms, POLL_CHARACTERS, self._process)  # type: ignore[no-any-return]

    def confirm(self, number: int, needed: Sequence[int]) -> None:
        """Confirm the event lines up to a number, except those with some numbers. Raises GoneError."""
        self._call("confirm", number, " ".join(map(str, needed)))

    def wake(self) -> None:
        """End the poll in progress, or else the next one. Raises GoneError."""
        self._call("wake")

    def mark(self, marker: int) -> None:
        """Post a flush marker on the bus. Raises GoneError."""
        self._call("mark", marker)

    def answer(self, question: int, text: str) -> None:
        """Answer a question of another process. Raises GoneError."""
        self._call("answer", question, text)

    def others(self) -> tuple[str, ...]:
        """Return the other processes that have attached and still run. Raises GoneError."""
        known = self._call("processes").split("\n")
        return tuple(each for each in known if each != self._process and processes.is_running(each))

    def release(self) -> None:
        """Leave the listener to the other processes: the first that takes over continues. Raises GoneError."""
        self._call("release", self._process)

    def detach(self) -> None:
        """Leave the listener bus; events received so far are still projected. Raises GoneError."""
        self._call("detach")

    # ---- for every process

    def register(self, text: str) -> None:
        """Register this process with what is known of it (`lineage.runs.attribution.PythonProcess`). Raises GoneError."""
        self._call("register", self._process, text)

    def own(self, session: Any) -> bool:  # noqa: ANN401 a Java SparkSession
        """Register a session of this process, with the properties of this thread; return if it has any. Raises GoneError."""
        return bool(self._call("own", session, self._process))

    # ---- for a process that is served by another

    def owner(self) -> str:
        """Return the process that serves, "" without one. Raises GoneError."""
        return self._call("owner")  # type: ignore[no-any-return]

    def server(self) -> str | None:
        """Return what the serving process has registered; None if the application has ended. Raises GoneError."""
        return self._call("server")  # type: ignore[no-any-return]

    def ask(self, text: str, *, is_behind: bool) -> int:
        """Put a question to the process that serves; return its number. Raises GoneError.

        Args:
            text: The question.
            is_behind: Whether it is answered after all events that were posted before it.
        """
        return self._call("ask", text, is_behind)  # type: ignore[no-any-return]

    def wait_for_answer(self, question: int, wait_ms: int) -> str | None:
        """Return the answer to a question; None at the timeout. Raises GoneError."""
        return self._call("await", question, wait_ms)  # type: ignore[no-any-return]

    def end_question(self, question: int) -> None:
        """Stop waiting for an answer. Raises GoneError."""
        self._call("endQuestion", question)

    def part(self, *, has_failed: bool) -> None:
        """Unregister this process, which an error or a signal may have ended. Raises GoneError."""
        self._call("part", self._process, has_failed)

    # ---- notes

    def note(self, kind: str, text: str, dataset: Any = None) -> None:  # noqa: ANN401 a Java Dataset
        """Post a note of the driver's Python (`plan.driver_notes`), with the plan of a DataFrame. Raises GoneError."""
        self._note("note", kind, text, None if dataset is None else dataset.queryExecution())

    def note_rdd(self, kind: str, rdd: Any, dataset: Any) -> None:  # noqa: ANN401 a Java RDD, a Java Dataset
        """Post a note that an RDD was made of a DataFrame, with its plan; nothing where it was not. Raises GoneError."""
        self._note("noteRdd", kind, rdd.rdd(), dataset.queryExecution())

    def note_checkpoint(self, kind: str, made: Any, dataset: Any) -> None:  # noqa: ANN401 Java Datasets
        """Post a note that a DataFrame was made as a checkpoint of another, with the plan of that. Raises GoneError."""
        self._note("noteCheckpoint", kind, made.queryExecution(), dataset.queryExecution())

    def note_rows(self, kind: str, rdd: Any, text: str = "") -> None:  # noqa: ANN401 a Java RDD
        """Post a note about an RDD, with the current sources of its rows; an empty `text` means its id. Raises GoneError."""
        self._note("noteRows", kind, text, rdd.rdd())

    def model(
        self,
        kind: str,
        text: str,
        *,
        path: str | None = None,
        read: Any = None,  # noqa: ANN401 a Java Dataset, and so are the others
        before: Any = None,  # noqa: ANN401
        after: Any = None,  # noqa: ANN401
    ) -> None:
        """Post a note about a model (`plan.ml_events.ModelNote`).

        `path` is as it was given; `read` is what a model is fitted to, `before` and `after` are what a transform was given, and
        gave. Raises GoneError.
        """
        plans = (None if each is None else each.queryExecution() for each in (read, before, after))
        self._note("model", kind, text, path, *plans)

    def literals(self, dataset: Any) -> tuple[str, ...]:  # noqa: ANN401 a Java Dataset
        """Return the literals of a DataFrame's plan as text, at most 500, and its remembered texts. Raises GoneError."""
        text = self._note("literals", dataset.queryExecution())
        return tuple(text.split("\0")) if text else ()

    def remember(self, dataset: Any, text: str) -> None:  # noqa: ANN401 a Java Dataset
        """Remember a DataFrame: those made of it have `text` among their literals. Raises GoneError."""
        self._note("remember", dataset.queryExecution(), text)

    def _call(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 what the method returns
        return _call_java(self.java, "call", method, *arguments)

    def _note(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 as above
        return _call_java(self._notes, method, *arguments)


def _start(made: Any) -> str | None:  # noqa: ANN401 a Py4J object
    """Start listening, or take over from a process that has ended; return the process that listens, None if it is this one."""
    while (other := made.start()) is not None and not processes.is_running(other):
        if made.takeOver(other):
            return None
    return other  # type: ignore[no-any-return]


def _call_java(java: Any, method: str, *arguments: object) -> Any:  # noqa: ANN401 a Py4J object, what the method returns
    try:
        return getattr(java, method)(*arguments)
    except Exception as e:
        raise GoneError(f"{method}: {brief(e)}") from e


_LOADED: dict[int, tuple[Any, LoadedClass]] = {}  # by id of a gateway, which is kept so that its id is not reused


def _load(gateway: Any, scala_context: Any) -> LoadedClass:  # noqa: ANN401 Py4J objects
    """Return the listener's class, loaded once per JVM.

    The parent is the class loader of SparkContext, not the context class loader: libraries on the users' class paths
    (another Jackson with userClassPathFirst, artifacts of Connect sessions) must not affect it.
    """
    known = _LOADED.get(id(gateway))
    if known is None or known[0] is not gateway:
        loader = scala_context.getClass().getClassLoader()
        known = (gateway, load(gateway, loader, loader, LISTENER))
        _LOADED[id(gateway)] = known
    return known[1]


def _construct(gateway: Any, java_class: Any, *arguments: object) -> Any:  # noqa: ANN401 Py4J objects
    values = gateway.new_array(class_by_name(gateway, "java.lang.Object"), len(arguments))
    for i, argument in enumerate(arguments):
        values[i] = argument
    return java_class.getConstructors()[0].newInstance(values)
