"""Provide OpenLineage events as a source of events of the worker."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from sac_kafka.bridge.dead_letters import NOT_KEPT, RejectedEvents
from sac_kafka.bridge.intake import NOWHERE, Input, Intake
from sac_kafka.bridge.journal import Placed
from sac_kafka.bridge.reported_runs import ReportedRuns
from sac_kafka.guard import Guard
from sac_kafka.hook.event_source import Control, ControlHandler, ControlKind, UnsharedSource
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.log import logger
from sac_kafka.model import Outcome, Process
from sac_kafka.openlineage.events import EventError, OtherEventError, RunEvent, read_dataset, read_event, state
from sac_kafka.openlineage.open_runs import OpenRuns, RunKey
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from sac_kafka.stages.process_stages import pass_stages_of_datasets

_EVENT, _DUE, _MARKER, _END = "event", "due", "marker", "end"
AGAIN = "events of runs that were reported before a restart"
REJECTED = "rejected"
"""Prefix of the reasons for events that cannot be used."""
_MAX_LOGGED = 20


class OpenLineageSource(UnsharedSource):
    """The source of events of one bridge (`hook.event_source.EventSource`).

    Args:
        intake: Has the events.
        inputs: Bring them.
        runs: Combines them.
        pipeline: Takes their outcomes.
        guard: The guard of reading.
        clock: Returns seconds.
        dead_letters: Keep events that cannot be used; None to keep none.
        reported: The runs that earlier processes have reported; None without a journal.
    """

    def __init__(
        self,
        intake: Intake,
        inputs: Sequence[Input],
        runs: OpenRuns,
        pipeline: Pipeline,
        guard: Guard,
        clock: Callable[[], float],
        dead_letters: RejectedEvents | None = None,
        reported: ReportedRuns | None = None,
    ) -> None:
        self._intake = intake
        self._inputs = inputs
        self._runs = runs
        self._pipeline = pipeline
        self._guard = guard
        self._clock = clock
        self._dead_letters = dead_letters
        self._reported = reported
        self._arrived: deque[Placed] = deque()
        self._markers: deque[int] = deque()
        self._logged = 0
        self._needed = NOWHERE

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of events, and of what is no lineage, by reason."""
        return Counter(dict(self._runs.counts)) + Counter(dict(self._intake.counts))  # copies: others count, too

    @property
    def pending(self) -> frozenset[int]:
        """The files of the journal that have events of open runs."""
        return self._runs.places - {NOWHERE}

    def start(self) -> None:
        """Start the inputs."""
        for input_ in self._inputs:
            input_.start(self._intake)

    def prepare(self) -> None:
        """Load the stages."""
        with self._guard("lineage"):
            self._pipeline.state()

    def poll(self, wait_ms: int) -> Sequence[str]:
        """Return a word for each new event, which is kept here, then what else is to be done: markers, due runs, the end."""
        self._arrived = deque(self._intake.take(wait_ms / 1000))
        texts = [_EVENT] * len(self._arrived)
        texts.append(_DUE)
        while self._markers:
            texts.append(f"{_MARKER} {self._markers.popleft()}")
        if self._intake.is_over:
            texts.append(_END)
        return texts

    def is_event(self, text: str) -> bool:
        """Return whether a text has an event."""
        return text == _EVENT

    def read(self, text: str, on_control: ControlHandler) -> Iterator[ScheduledOutcome]:
        """Add an event to its run, or yield what comes of the runs that are due."""
        kind, _, rest = text.partition(" ")
        if kind == _EVENT:
            arrived = self._arrived.popleft()
            with self._guard("lineage"):
                yield from self._passed(self._add(arrived))
        elif kind == _DUE:
            with self._guard("lineage"):
                yield from self._passed(self._runs.due(self._clock()))
            if self._intake.journal is not None and self._intake.journal.is_filling:
                with self._guard("lineage"):
                    yield from self._passed(self._make_room(self._intake.journal.current))
                yield from self._pipeline.drain()  # a dropped table that is held back would keep all events
        elif kind == _MARKER:
            on_control(Control(ControlKind.MARKER, int(rest)))
        else:
            on_control(Control(ControlKind.END))

    def ended(self, *, goes_on: bool) -> Iterator[ScheduledOutcome]:
        """Yield what is held, unless a journal keeps it for the next start."""
        del goes_on
        if self._intake.journal is None:
            yield from self._passed(self._runs.all())
        else:
            yield from self._passed(self._runs.due(self._clock()))

    def confirm(self, pending: Iterable[int]) -> None:
        """Release the events whose outcomes are delivered or in the spool."""
        journal = self._intake.journal
        reported = self._runs.take_reported()
        if self._reported is not None:
            self._reported.add(reported)
        if journal is not None and journal.bytes:
            needed = [*pending]
            if not needed:
                journal.rotate()
            self._needed = min(needed, default=journal.current)
            journal.release(self._needed)

    def mark(self, number: int) -> None:
        """Return a marker behind everything that has arrived."""
        self._markers.append(number)
        self._intake.wake()

    def wake(self) -> None:
        """End the running poll, or the next one."""
        self._intake.wake()

    def end(self) -> None:
        """Stop the inputs."""
        self._intake.close()
        for input_ in self._inputs:
            with self._guard("end"):
                input_.stop()

    def close(self) -> None:
        """Close the journal, and the store of open runs."""
        if self._runs.store is not None:
            self._runs.store.close()
        if self._intake.journal is not None:
            self._intake.journal.close()

    def _make_room(self, current: int) -> Iterator[Sequence[Outcome]]:
        """Report the runs that alone keep the oldest file of the journal; the next ones only when that file is released."""
        oldest = min(self.pending, default=current)
        if oldest == self._needed < current:
            yield from self._runs.report_at(oldest)

    def _add(self, arrived: Placed) -> Iterator[Sequence[Outcome]]:
        """Add the events of a text to their runs; yield what those without a run mean."""
        place, value = arrived
        if isinstance(value, RunEvent):
            try:
                self._add_run(value, place)
            except EventError as error:
                self._reject(_text(state(value)), str(error))
            return
        if isinstance(value, str):
            if not value.strip():
                return
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                self._reject(str(arrived.event), "not JSON")
                return
        for item in value if isinstance(value, list) else [value]:
            yield self._add_value(item, arrived)

    def _add_value(self, value: object, arrived: Placed) -> Sequence[Outcome]:
        try:
            if (dataset := read_dataset(value)) is not None:
                return self._runs.define(*dataset)
            self._add_run(read_event(value), arrived.place)
        except OtherEventError as error:
            self._runs.counts[str(error)] += 1
            self._keep(_text(value, arrived.event))
        except EventError as error:
            self._reject(_text(value, arrived.event), str(error))
        return ()

    def _add_run(self, event: RunEvent, place: int) -> None:
        if self._is_reported(event.key, place):
            self._runs.counts[AGAIN] += 1
        else:
            self._runs.add(event, self._clock(), place)

    def _is_reported(self, key: RunKey, place: int) -> bool:
        journal = self._intake.journal
        if self._reported is None or journal is None or place == NOWHERE:
            return False
        return self._reported.has(key, is_left=journal.is_earlier(place))

    def _reject(self, text: str, reason: str) -> None:
        self._runs.counts[f"{REJECTED}: {reason}"] += 1
        self._logged += 1
        if self._logged <= _MAX_LOGGED:
            logger.warning("an event was rejected: %s", reason)
        self._keep(text)

    def _keep(self, text: str) -> None:
        if self._dead_letters is not None and not (text and self._dead_letters.keep(text)):
            self._runs.counts[NOT_KEPT] += 1

    def _passed(self, outcomes: Iterable[Sequence[Outcome]]) -> Iterator[ScheduledOutcome]:
        for group in outcomes:
            if group:
                yield from self._pipeline.add(partial(map, self._with_current_datasets, group))

    def _with_current_datasets(self, outcome: Outcome) -> Outcome:
        """Return a stream with its datasets as they are called now: the stages expect that of its batches."""
        if isinstance(outcome, Process) and outcome.stream is not None:
            return pass_stages_of_datasets(outcome, self._pipeline.state())
        return outcome


def _text(value: object, whole: object = "") -> str:
    """Return JSON as text; if it is nested too deeply for that, the text of the whole arrival, "" if it was parsed before."""
    try:
        return json.dumps(value)
    except RecursionError:
        return whole if isinstance(whole, str) else ""
