"""What a function of `foreachBatch` runs in threads of its own: Spark says of it neither the query nor the batch.

It runs in the session that Spark makes for the query, or reads rows of which nobody else knows where they come from. What may be
such is kept until a batch of that session, or its query, is over: then it is of that query.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from sac_kafka.lineage.columns.origins import Origins
from sac_kafka.lineage.executions import Ended
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.relations import LogicalRDD

MAX_KEPT = 200
"""Executions that are kept until a batch is over; one more is told at once."""

Action = tuple[Ended, list[Ended]]
"""An execution that is over and runs within no other one, with those within it."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    action: Action
    session: str
    batches: set[int]  # the root executions of those that were open, and are not over


class FunctionThreads:
    """Keeps what may be of a batch; `others` know the rows of leaves that are of none."""

    def __init__(self, others: Sequence[Origins], counts: Counter[str]) -> None:
        self._others = others
        self._counts = counts
        self._kept: list[_Kept] = []
        self._sessions: set[str] = set()  # of queries

    def keeps(self, action: Action, batches: Iterable[int]) -> bool:
        """Whether this is kept, while these batches are open."""
        event, is_open = action[0][0], set(batches)
        query = event.query_execution
        if query is None or query.analyzed is None or query.session is None:
            return False
        is_of_query = query.session in self._sessions
        if not is_of_query and not (is_open and self._has_unknown_rows(query.analyzed)):
            return False
        if len(self._kept) >= MAX_KEPT:
            self._counts["execution beside a micro-batch told at once: too many"] += 1
            return False
        self._kept.append(_Kept(action, query.session, is_open))
        return True

    def of_session(self, session: str | None, *, has_ended: bool = False) -> list[Action]:
        """What was kept of the session of a query, a batch of which is over, or all of it; it is kept no longer."""
        if session is None:
            return []
        self._sessions.add(session)
        if has_ended:
            self._sessions.discard(session)
        of_it, self._kept = _divided(self._kept, lambda each: each.session == session)
        return of_it

    def over(self, executions: Iterable[int]) -> list[Action]:
        """What no batch has asked for that was open when it came, now that these are over; it is kept no longer."""
        for kept in self._kept:
            kept.batches.difference_update(executions)
        of_none, self._kept = _divided(self._kept, lambda each: not each.batches and each.session not in self._sessions)
        return of_none

    def rest(self) -> list[Action]:
        """All that is kept; it is kept no longer."""
        kept, self._kept = _divided(self._kept, lambda _: True)
        return kept

    def _has_unknown_rows(self, plan: LogicalPlan) -> bool:
        leaves = (leaf for leaf in walk(plan) if isinstance(leaf, LogicalRDD) and _is_of_query(leaf))
        return any(all(other.of(leaf) is None for other in self._others) for leaf in leaves)


def _is_of_query(leaf: LogicalRDD) -> bool:
    """Whether the RDD is that of a query, as the rows of a batch are; of a list or of mapped rows it is another."""
    return leaf.rows is None or leaf.rows.rdd_id in leaf.rows.query_ids


def with_beside(within: Iterable[Ended], beside: Iterable[Action]) -> list[Ended]:
    """All executions of what ran within a batch and beside it."""
    return [*within, *(each for ended, inner in beside for each in (*inner, ended))]


def _divided(kept: list[_Kept], is_meant: Callable[[_Kept], bool]) -> tuple[list[Action], list[_Kept]]:
    meant = [each for each in kept if is_meant(each)]
    return [each.action for each in meant], [each for each in kept if each not in meant]
