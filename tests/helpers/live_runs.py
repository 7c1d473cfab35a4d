"""A real Spark in this process, and the listener's text for a few statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sac_kafka.guard import Guard
from sac_kafka.model import Application, Outcome, Process
from sac_kafka.plan import wire
from sac_kafka.plan.specification import specification
from sac_kafka.settings.declarations.choices import StatementValues
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.spark.calls import instrument
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.listener import Listener, ListenerSettings
from tests.helpers.sessions import local_session
from tests.helpers.staged import Actions
from tests.helpers.waiting import LONG_SECONDS, until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

APPLICATION = Application(job="test", application_id="local-1", name="test", user="tester")
SETTINGS = ListenerSettings(literals=False, handoff_events=100_000, bounds=DriverBounds(stuck_seconds=600))
"""Bounds that nothing comes to by itself, however long the projecting thread has to wait for a processor."""
_CALLS: list[Instrumentor] = []
"""The calls that notify the last `Capture`: each note goes to all listeners of the bus, so one is enough."""


def session(work: str, **conf: str) -> SparkSession:
    """Return a small local session whose tables, metastore and logs stay below `work`."""
    return local_session("test", f"{work}/warehouse", conf, log_level="ERROR")


def stop_notifying() -> None:
    """Stop notifying any `Capture` of calls in this process."""
    while _CALLS:
        _CALLS.pop().restore()


class Capture:
    """A listener without a worker: the text it projects, on demand."""

    def __init__(
        self, spark: SparkSession, settings: ListenerSettings = SETTINGS, specified: str | None = None
    ) -> None:
        """Listen, with the specification of the hook or with another one."""
        self.listener = Listener.start(
            spark.sparkContext, specification() if specified is None else specified, settings
        )
        self.watch(Guard())
        self._marker = 0
        self.drain()

    def watch(self, guard: Guard, values: StatementValues = StatementValues.STRONG) -> Instrumentor:
        """Notify this listener of calls in this process from now on, and no longer the previous one."""
        stop_notifying()
        _CALLS.append(instrument(self.listener, guard, statement_values=values))
        return _CALLS[0]

    def drain(self, seconds: float = LONG_SECONDS) -> str:
        """Return what was projected since the last time; `seconds` is how long the listener may be silent."""
        self._marker += 1
        self.listener.mark(self._marker)
        lines: list[str] = []
        marker = f'["marker",{self._marker}]'

        def is_out() -> bool:
            came = [line for line in (self.listener.poll(500) or "").split("\n") if line]
            lines.extend(came)
            return marker in came

        until(
            is_out, lambda: "the marker did not come out of the listener's queue", seconds, progress=lambda: len(lines)
        )
        lines.remove(marker)
        return "\n".join(lines)

    def text_of(self, action: Callable[[], object]) -> str:
        action()
        return self.drain()

    @staticmethod
    def outcomes_of(text: str, actions: Actions | None = None) -> list[Outcome]:
        """Return the processes and changes of a text's events, in order."""
        actions = actions or Actions(APPLICATION)
        return [o for line in wire.read(text) if isinstance(line, wire.Projected) for o in actions.add(line.event)]

    @classmethod
    def processes_of(cls, text: str) -> list[Process]:
        return [o for o in cls.outcomes_of(text) if isinstance(o, Process)]
