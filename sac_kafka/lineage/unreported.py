"""Report writes for which no process can be made because their target is not understood."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sac_kafka.lineage.executions import Ended, Executions
from sac_kafka.lineage.model import Application

UnreportedWriteHandler = Callable[[Application, str], None]
"""Called once per unreported write with the application (under the session's job name) and the reason."""


def ignore(_application: Application, _reason: str) -> None:
    """Ignore an unreported write."""


class UnreportedWrites:
    """Reporter of the writes of successful executions for which there is no process."""

    def __init__(self, executions: Executions, handler: UnreportedWriteHandler) -> None:
        self._executions = executions
        self._handler = handler

    def report(self, ended: Ended, reasons: Iterable[str]) -> None:
        """Report the writes of an execution that have no process, one per reason; do nothing if the execution failed."""
        event, opened = ended
        query = event.query_execution
        if event.failure is None and query is not None:
            for reason in reasons:
                self._handler(self._executions.application(opened, query), reason)
