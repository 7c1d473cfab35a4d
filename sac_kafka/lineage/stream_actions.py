"""Turn the events of streaming queries into outcomes, and assign to them what runs within their micro-batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from sac_kafka.lineage.action_context import ActionContext
from sac_kafka.lineage.executions import Ended, successful_plan
from sac_kafka.lineage.streams.function_threads import Action, FunctionThreads, with_threads
from sac_kafka.model import Outcome
from sac_kafka.plan.execution import IncrementalExecution
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
        self._threads = FunctionThreads((origins.checkpoints, origins.driver_values), context.counts)

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

    def hold(self, action: Action) -> bool:
        """Hold an action if it may belong to a batch; return whether it is held."""
        return self._threads.hold(action, self._context.open.batches)

    def end_batch(self, batch: Ended, query: IncrementalExecution, within: list[Ended]) -> Iterator[Outcome]:
        """Yield the outcomes of a batch, with the executions within it."""
        thread_actions = self._threads.release_session(query.session)
        yield from self._catalog_changes(with_threads(within, thread_actions))
        yield from self._streams.batch(batch, within, thread_actions)

    def repeat(self, event: RepeatedBatches) -> Iterator[Outcome]:
        """Add batches that repeat an earlier one."""
        self._context.counts["executions"] += len(event.executions)
        self._context.open.forget(event.executions)
        thread_actions = self._threads.release_session(self._streams.session_of(event.run_id))
        yield from self._catalog_changes(with_threads((), thread_actions))
        yield from self._streams.repeat(event, thread_actions)

    def terminate(self, event: QueryTerminatedEvent) -> Iterator[Outcome]:
        """Yield the process of a query that has ended."""
        thread_actions = self._threads.release_session(self._streams.session_of(event.run_id), has_ended=True)
        yield from self._catalog_changes(with_threads((), thread_actions))
        failed_too = self._context.options.failed_too
        yield from (p for p in self._streams.terminate(event, thread_actions) if failed_too or p.run.failure is None)

    def release(self, batches: Iterable[int]) -> list[Action]:
        """Return the held actions that turned out not to belong to a batch, now that these have ended."""
        if not self._context.open.batches:
            self._context.origins.forget_notes()
        return self._threads.release_after(batches)

    def release_all(self) -> list[Action]:
        """Return all actions that are held."""
        return self._threads.release_all()

    def _catalog_changes(self, within: list[Ended]) -> Iterator[Outcome]:
        """Yield the catalog changes of commands that ran within a batch; their processes belong to the streaming query."""
        commands = [command for event, _ in within if (command := successful_plan(event)) is not None]
        return self._context.catalog.changes_within(commands, self._context.open.roots)
