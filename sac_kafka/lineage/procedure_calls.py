"""Recognize the queries of a procedure and the reads of its result: only the first of them reports the CALL."""

from __future__ import annotations

from sac_kafka.model.bounds import Bounded
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.systems.iceberg import ProcedureCall

_MAX_CALLS = 100
_RESULTS = frozenset({"imported_files_count", "added_files_count"})
"""Columns of the results of Iceberg's `snapshot` and `add_files` (`SnapshotTableProcedure`, `AddFilesProcedure`)."""


class ProcedureCalls:
    """The calls of an application that are reported.

    Spark 3.5 has one execution per CALL. On Spark 4 each query that the procedure runs has its CALL, and so has each later
    read of the result, because both have its text.
    """

    def __init__(self) -> None:
        self._running: tuple[object, ...] = ()
        self._names: set[str | None] = set()
        self._reported: Bounded[tuple[object, ...], None] = Bounded(_MAX_CALLS)

    def is_reported(self, name: str | None, call: ProcedureCall, session: object, analyzed: LogicalPlan) -> bool:
        """Return whether the call of an execution is reported; if not, it counts as reported from now on.

        `name` is that of the execution's action: a second query of one name belongs to the next CALL of the same procedure.
        """
        called = (session, call.procedure, call.source, call.table)
        if analyzed.is_command:
            is_known = False
        elif _RESULTS & {attribute.name for leaf in walk(analyzed) for attribute in getattr(leaf, "output", ())}:
            is_known = called in self._reported
        else:
            is_known = called == self._running and name not in self._names
            self._names = {*(self._names if is_known else ()), name}
            self._running = called
        self._reported[called] = None
        return is_known

    def end(self) -> None:
        """Record that another statement has run: the same call after it is a new one."""
        self._running = ()
