"""Turn the events of streaming queries into outcomes, and assign to them what runs within their micro-batches.

Spark names neither the query nor the batch of an execution that a `foreachBatch` function runs in its own threads. It runs in
the session that Spark creates for the query, or reads rows of unknown origin. Candidates are held until a batch of that session,
or its query, ends. The end of its first batch is what shows the session of a query: until then, executions of any session that
is not known otherwise are candidates.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from sac_kafka.lineage.action_context import ActionContext
from sac_kafka.lineage.columns.origins import Origins
from sac_kafka.lineage.executions import Action, Ended, successful_plan
from sac_kafka.model import Outcome
from sac_kafka.model.bounds import Bounded
from sac_kafka.plan.execution import IncrementalExecution
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.relations import LogicalRDD
from sac_kafka.plan.streaming_events import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    RepeatedBatches,
)

if TYPE_CHECKING:
    from sac_kafka.lineage.streams.streams import Streams


class StreamActions:
    """The streaming queries of an application, and the actions held because they may belong to one."""

    def __init__(self, context: ActionContext) -> None:
        origins = context.origins
        self._context = context
        self.threads = FunctionThreads((origins.checkpoints, origins.driver_values), context.counts)

    @cached_property
    def _streams(self) -> Streams:
        """The streaming queries, whose rules the first event of one loads."""
        from sac_kafka.lineage.streams import streams

        context = self._context
        return streams.Streams(context.origins, context.state, context.counts)

    def start(self, event: QueryStartedEvent) -> None:
        """Add a run of a query that has started."""
        self._streams.start(event)

    def progress(self, event: QueryProgressEvent) -> None:
        """Add the counts of a batch that has ended."""
        self._streams.progress(event)

    def end(self) -> Iterator[Outcome]:
        """Yield what the end of the driver means for queries that still run."""
        if "_streams" in vars(self):
            yield from self._streams.end()

    def end_batch(self, batch: Ended, query: IncrementalExecution, within: list[Ended]) -> Iterator[Outcome]:
        """Yield the outcomes of a batch, with the executions within it."""
        thread_actions = self.threads.release_session(query.session)
        yield from self._catalog_changes(with_threads(within, thread_actions))
        yield from self._streams.batch(batch, within, thread_actions)

    def repeat(self, event: RepeatedBatches) -> Iterator[Outcome]:
        """Add batches that repeat an earlier one."""
        self._context.counts["executions"] += len(event.executions)
        self._context.open.forget(event.executions)
        thread_actions = self.threads.release_session(self._streams.session_of(event.run_id))
        yield from self._catalog_changes(with_threads((), thread_actions))
        yield from self._streams.repeat(event, thread_actions)

    def terminate(self, event: QueryTerminatedEvent) -> Iterator[Outcome]:
        """Yield the process of a query that has ended."""
        thread_actions = self.threads.release_session(self._streams.session_of(event.run_id), has_ended=True)
        yield from self._catalog_changes(with_threads((), thread_actions))
        failed_too = self._context.options.failed_too
        yield from (p for p in self._streams.terminate(event, thread_actions) if failed_too or p.run.failure is None)

    def release(self, batches: Iterable[int]) -> list[Action]:
        """Return the held actions that turned out not to belong to a batch, now that these have ended."""
        if not self._context.open.batches:
            self._context.origins.forget_notes()
        return self.threads.release_after(batches)

    def _catalog_changes(self, within: list[Ended]) -> Iterator[Outcome]:
        """Yield the catalog changes of commands that ran within a batch; their processes belong to the streaming query."""
        commands = [command for event, _ in within if (command := successful_plan(event)) is not None]
        return self._context.catalog.changes_within(commands, self._context.open.roots)


MAX_HELD = 1_000
"""Executions held until a batch ends; further ones are emitted at once."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """A held action, with its session."""

    action: Action
    session: str
    batches: set[int]  # root executions of the batches that were running then and still are


class FunctionThreads:
    """Actions held because they may belong to a batch; `others` are origins of leaves that belong to none."""

    def __init__(self, others: Sequence[Origins], counts: Counter[str]) -> None:
        self._others = others
        self._counts = counts
        self._held: list[_Held] = []
        self._sessions: set[str] = set()  # of queries
        self._ordinary: Bounded[str, None] = Bounded(MAX_HELD)  # in which actions ran that belong to no batch

    def hold(self, action: Action, batches: Iterable[int]) -> bool:
        """Hold an action if it may belong to a query or to one of these running batches.

        Returns:
            False if it does not, or if too many are held: the caller emits it at once.
        """
        event, is_open = action[0][0], set(batches)
        query = event.query_execution
        if query is None or query.analyzed is None or query.session is None:
            return False
        is_of_query = query.session in self._sessions
        is_candidate = query.session not in self._ordinary or self._has_unknown_rows(query.analyzed)
        if not is_of_query and not (is_open and is_candidate):
            self._ordinary[query.session] = None
            return False
        if len(self._held) >= MAX_HELD:
            self._counts["execution alongside a micro-batch not held: too many"] += 1
            return False
        self._held.append(_Held(action, query.session, is_open))
        return True

    def release_session(self, session: str | None, *, has_ended: bool = False) -> list[Action]:
        """Release the actions of the session of a query after one of its batches, or the query (`has_ended`), has ended."""
        if session is None:
            return []
        self._sessions.add(session)
        if has_ended:
            self._sessions.discard(session)
        released = [held.action for held in self._held if held.session == session]
        self._held = [held for held in self._held if held.session != session]
        return released

    def release_after(self, executions: Iterable[int]) -> list[Action]:
        """Release the actions that were not claimed by any batch that ran when they came, now that these batches have ended."""
        for held in self._held:
            held.batches.difference_update(executions)
        unclaimed = [held for held in self._held if not held.batches and held.session not in self._sessions]
        self._ordinary.update(dict.fromkeys(held.session for held in unclaimed))
        self._held = [held for held in self._held if held not in unclaimed]
        return [held.action for held in unclaimed]

    def release_all(self) -> list[Action]:
        """Release all actions."""
        held, self._held = self._held, []
        return [one.action for one in held]

    def _has_unknown_rows(self, plan: LogicalPlan) -> bool:
        leaves = (leaf for leaf in walk(plan) if isinstance(leaf, LogicalRDD) and _is_of_query(leaf))
        return any(all(other.origin_of(leaf) is None for other in self._others) for leaf in leaves)


def _is_of_query(leaf: LogicalRDD) -> bool:
    """Return whether a leaf's RDD is that of a query, like the rows of a batch, and not made from a list or by a map."""
    return leaf.rows is None or leaf.rows.rdd_id in leaf.rows.query_ids


def with_threads(within: Iterable[Ended], thread_actions: Iterable[Action]) -> list[Ended]:
    """Return the executions within a batch and those of its function's threads."""
    return [*within, *(execution for ended, inner in thread_actions for execution in (*inner, ended))]
