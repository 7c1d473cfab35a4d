"""Writes of which nothing can be told, because what they wrote is not understood: who wrote so, and why it is not told."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sac_kafka.lineage.executions import Ended, Executions
from sac_kafka.lineage.model import Application

TellUnsaid = Callable[[Application, str], None]
"""Is given the application, under its job, and the reason."""


def nobody(_application: Application, _reason: str) -> None:
    """Where nobody wants to know."""


class UnsaidWrites:
    """Tells them, each once."""

    def __init__(self, executions: Executions, tell: TellUnsaid) -> None:
        self._executions = executions
        self._tell = tell

    def of(self, ended: Ended, reasons: Iterable[str]) -> None:
        """Tell those of an execution; one that has failed has none."""
        event, opened = ended
        query = event.query_execution
        if event.failure is None and query is not None:
            for reason in reasons:
                self._tell(self._executions.application(opened, query), reason)
