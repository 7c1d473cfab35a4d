"""Define the port of inputs: where the outcomes of a hook come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from sac_kafka.stages.outcome_scheduler import ScheduledOutcome


class ControlKind(Enum):
    """What a source reports in addition to its events.

    MARKER: everything before `EventSource.mark` has been returned. QUESTION: another process asks something. END: nothing
    follows.
    """

    MARKER = "marker"
    QUESTION = "question"
    END = "end"


@dataclass(frozen=True, slots=True)
class Control:
    """A report of a source to the worker: the number of the marker or question, and the text of the question."""

    kind: ControlKind
    number: int = 0
    text: str = ""


ControlHandler = Callable[[Control], None]


class EventSource(Protocol):
    """A source of events. All calls are made by the worker's thread, but for `mark` and `wake`."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of events, and of what was not understood, by reason."""

    @property
    def pending(self) -> frozenset[int]:
        """The events that are needed again by who takes over, because their outcomes are still to come."""

    @property
    def has_failed(self) -> bool:
        """Whether an error or a signal has ended the application."""

    def start(self) -> None:
        """Begin; early, because no thread can be started while the interpreter exits."""

    def prepare(self) -> None:
        """Load what the first event needs, so that it is read as fast as the later ones."""

    def poll(self, wait_ms: int) -> Sequence[str]:
        """Return the new events, as text, waiting for the first at most this long.

        Raises:
            SourceError: The source cannot be reached.
        """

    def is_event(self, text: str) -> bool:
        """Return whether a text is lost if it is not read: an event, and no control."""

    def read(self, text: str, on_control: ControlHandler) -> Iterator[ScheduledOutcome]:
        """Read one event, and yield what comes of it after the stages (`Pipeline.add`)."""

    def ended(self, *, goes_on: bool) -> Iterator[ScheduledOutcome]:
        """Yield what is held until the end; `goes_on`: only the hook ends, and the application continues."""

    def confirm(self, pending: Iterable[int]) -> None:
        """Confirm all events that were read but those that are pending: what came of the others is delivered or kept.

        Raises:
            SourceError: The source cannot be reached.
        """

    def mark(self, number: int) -> None:
        """Have a marker returned behind everything that has happened so far. Safe in any thread.

        Raises:
            SourceError: The source cannot be reached.
        """

    def wake(self) -> None:
        """End the running poll, or the next one. Safe in any thread and in signal handlers."""

    @property
    def goes_on_without(self) -> bool:
        """Whether the application may go on although the source cannot be reached."""

    def others(self) -> bool:
        """Return whether other processes have attached to the application, one of which takes over at the end."""

    def release(self) -> None:
        """Leave the source to the other processes."""

    def end(self) -> None:
        """End what `start` has begun: no poll follows."""

    def close(self) -> None:
        """Release what the source holds here."""


class UnsharedSource:
    """The answers of a source that ends with this process, because no other process shares it."""

    @property
    def has_failed(self) -> bool:
        """Return False: a run that has failed is no failure of the process that reports it."""
        return False

    @property
    def goes_on_without(self) -> bool:
        """Return False: what is read ends with this process."""
        return False

    def others(self) -> bool:
        """Return False: no other process shares the source."""
        return False

    def release(self) -> None:
        """Do nothing: no other process takes over."""
