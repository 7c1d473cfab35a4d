"""Turn the events of streaming queries into outcomes, and assign to them what runs within their micro-batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sac_kafka.lineage.action_context import ActionContext
from sac_kafka.lineage.executions import Ended, successful_plan
from sac_kafka.lineage.streams.definitions import BatchDefinitions
from sac_kafka.lineage.streams.function_threads import Action, FunctionThreads, with_threads
from sac_kafka.lineage.streams.streams import Streams
from sac_kafka.model import Outcome
from sac_kafka.plan.execution import IncrementalExecution
from sac_kafka.plan.streaming_events import QueryTerminatedEvent, RepeatedBatches


class StreamActions:
    """The streaming queries of an application, and the actions held because they may belong to one.

    `outcomes` yields those of an action that belongs to no streaming query.
    """

    def __init__(self, context: ActionContext, outcomes: Callable[[Action], Iterable[Outcome]]) -> None:
        origins = context.origins
        self._context = context
        self._outcomes = outcomes
        self._threads = FunctionThreads((origins.checkpoints, origins.driver_values), context.counts)
        self.definitions = BatchDefinitions()
        self.streams = Streams(
            origins.executions,
            context.catalog.current,
            origins.remember,
            context.counts,
            context.unreported,
            origins.batch_notes,
        )

    def action_ended(self, action: Action) -> Iterator[Outcome]:
        """Yield the outcomes of an action that is, or may belong to, a batch; hold those of which that is not known yet."""
        (event, _), within = action
        query = event.query_execution
        if isinstance(query, IncrementalExecution):
            thread_actions = self._threads.release_session(query.session)
            yield from self._catalog_changes(with_threads(within, thread_actions))
            yield from self.streams.batch(action[0], within, thread_actions)
            yield from self._batches_ended((event.execution_id,))
        elif not self._threads.hold(action, self._context.open.batches):
            yield from self._outcomes(action)

    def repeated(self, event: RepeatedBatches) -> Iterator[Outcome]:
        """Add batches that repeat an earlier one."""
        self._context.counts["executions"] += len(event.executions)
        self._context.open.forget(event.executions)
        thread_actions = self._threads.release_session(self.streams.session_of(event.run_id))
        yield from self._catalog_changes(with_threads((), thread_actions))
        yield from self.streams.repeated(event, thread_actions)
        yield from self._batches_ended(event.executions)

    def terminated(self, event: QueryTerminatedEvent) -> Iterator[Outcome]:
        """Yield the process of a query that has ended."""
        thread_actions = self._threads.release_session(self.streams.session_of(event.run_id), has_ended=True)
        yield from self._catalog_changes(with_threads((), thread_actions))
        failed_too = self._context.options.failed_too
        yield from (p for p in self.streams.terminated(event, thread_actions) if failed_too or p.run.failure is None)

    def release_all(self) -> Iterator[Outcome]:
        """Yield the outcomes of all actions that are held."""
        for action in self._threads.release_all():
            yield from self._outcomes(action)

    def _batches_ended(self, executions: Iterable[int]) -> Iterator[Outcome]:
        """Yield the outcomes of held actions that turned out not to belong to a batch, now that these have ended."""
        if not self._context.open.batches:
            self._context.origins.batch_notes.clear()
        for action in self._threads.release_ended(executions):
            yield from self._outcomes(action)

    def _catalog_changes(self, within: list[Ended]) -> Iterator[Outcome]:
        """Yield the catalog changes of commands that ran within a batch; their processes belong to the streaming query."""
        catalog = self._context.catalog
        commands = [command for event, _ in within if (command := successful_plan(event)) is not None]
        for command in commands:
            catalog.complete_from(command)
        yield from catalog.ready(self._context.open.roots)
        for command in commands:
            changes, _ = catalog.apply(command, (), has_written=True)
            yield from self.definitions.tracked(changes)
