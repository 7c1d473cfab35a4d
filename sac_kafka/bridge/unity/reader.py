"""Read new lineage in passes: which hours have new rows, then the rows of these hours, by day and catalog.

A query returns the flows of a few hours of one catalog in their order, so that a bridge holds one chunk of its result, and the
rows of one statement.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from sac_kafka.bridge.unity.names import WorkspaceNames
from sac_kafka.bridge.unity.state import ReadState
from sac_kafka.bridge.unity.tables import TableDefinitions
from sac_kafka.bridge.unity.warehouse import Warehouse
from sac_kafka.model import Process
from sac_kafka.model.bounds import Budget
from sac_kafka.names.paths import Patterns
from sac_kafka.settings.unity import Unity
from sac_kafka.unity.flows import UnityFlow, flows_of, process_of
from sac_kafka.unity.queries import HOUR, HourCount, count_of, day_of, overview_query, quote_schema, row_of, rows_query

EVENTS = "events"
READS = "reads without a target"
WRITES = "writes without a source"
HOOKED = "flows that the hook on the same compute reports"
LATE = "flows reported again: rows came late"
_HOURS_PER_DAY = 24
_WINDOW_HOURS = 7 * _HOURS_PER_DAY
_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state after what was read before."""

    state: bytes


@dataclass(frozen=True, slots=True)
class FlowNaming:
    """What names flows: `names` the jobs, `tables` the definitions of tables, `patterns` and `budget` as in the settings."""

    names: WorkspaceNames
    tables: TableDefinitions
    patterns: Patterns
    budget: Budget


class Reader:
    """The reader of one workspace. Not thread-safe.

    Args:
        warehouse: Runs the queries.
        workspace_id: The id of the workspace, as rows have it.
        unity: The settings.
        naming: Names what is read.
        state: What was read; it is changed.
        counts: Counts what is read, and what is no flow.
        clock: Returns epoch seconds.

    Raises:
        ConfigurationError: The name of the schema is invalid.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        workspace_id: str,
        unity: Unity,
        naming: FlowNaming,
        state: ReadState,
        counts: Counter[str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._warehouse = warehouse
        self._workspace_id = workspace_id
        self._unity = unity
        self._schema = quote_schema(unity.schema)
        self._naming = naming
        self._state = state
        self._counts = counts
        self._clock = clock

    def read(self) -> Iterator[Process | Checkpoint]:
        """Yield the new flows, and checkpoints after parts of them.

        Raises:
            SacKafkaError: A query has failed, or the workspace cannot be reached; what was yielded before a checkpoint is valid.
        """
        self._naming.names.forget()
        self._naming.tables.forget()
        state, now = self._state, int(self._clock() * _SECOND)
        until = (now - int(self._unity.delay_seconds * _SECOND)) // HOUR
        first = now // HOUR - self._unity.since_days * _HOURS_PER_DAY
        since = state.watermark - self._unity.overlap_hours if state.watermark else first
        for begin in range(since, until, _WINDOW_HOURS):
            end = min(begin + _WINDOW_HOURS, until)
            yield from self._window(begin, end)
            state.watermark = max(state.watermark, end)
            yield self._checkpoint()
        if state.watermark < until:
            state.watermark = until
            yield self._checkpoint()

    def _checkpoint(self) -> Checkpoint:
        self._state.prune(self._state.watermark - self._unity.overlap_hours - 1)
        return Checkpoint(self._state.encode())

    def _window(self, since: int, until: int) -> Iterator[Process | Checkpoint]:
        """Read the changed hours of some days, so that a long history is not in memory."""
        query = overview_query(self._schema, self._workspace_id, since * HOUR, until * HOUR)
        changed = [each for row in self._warehouse.rows(query) if self._is_changed(each := count_of(row))]
        order = sorted(changed, key=lambda each: (day_of(each.hour * HOUR), each.catalog, each.hour))
        for (_, catalog), hours in groupby(order, key=lambda each: (day_of(each.hour * HOUR), each.catalog)):
            for run in _runs(hours):
                # A late row may be of a flow that has begun in the hour before.
                yield from self._flows(catalog, (run[0].hour - 1) * HOUR, (run[-1].hour + 1) * HOUR)
                for each in run:
                    self._note(each)
            yield self._checkpoint()

    def _is_changed(self, count: HourCount) -> bool:
        """Return whether an hour has other edges than those read; what is no edge is only counted."""
        known = self._state.hours.get((count.hour, count.catalog))
        if count.edges != (known.edges if known else 0):
            return True
        self._note(count)
        return False

    def _note(self, count: HourCount) -> None:
        hour = self._state.hour((count.hour, count.catalog))
        for reason, more in ((READS, count.reads - hour.reads), (WRITES, count.writes - hour.writes)):
            if more > 0:
                self._counts[reason] += more
        hour.edges, hour.reads, hour.writes = count[2:]

    def _flows(self, catalog: str, since: int, until: int) -> Iterator[Process]:
        query = rows_query(self._schema, self._workspace_id, catalog, since, until)
        for flow in flows_of(map(row_of, self._warehouse.rows(query))):
            if self._is_new(flow, catalog):
                self._counts[EVENTS] += 1
                runner = self._naming.names.runner(flow.row)
                if runner.has_hook:
                    self._counts[HOOKED] += 1
                else:
                    naming = self._naming
                    yield process_of(flow, runner.application, naming.tables.describe, naming.patterns, naming.budget)
            self._state.hour((flow.row.started // HOUR, catalog)).flows[flow.identity] = flow.content

    def _is_new(self, flow: UnityFlow, catalog: str) -> bool:
        hour = self._state.hours.get((flow.row.started // HOUR, catalog))
        known = hour.flows.get(flow.identity) if hour else None
        if known is not None and known != flow.content:
            self._counts[LATE] += 1
        return known != flow.content


def _runs(hours: Iterable[HourCount]) -> Iterator[list[HourCount]]:
    """Yield the hours that follow each other, together."""
    for _, run in groupby(enumerate(hours), key=lambda each: each[1].hour - each[0]):
        yield [hour for _, hour in run]
