"""Define the protocol of all transports: records go in, each record's outcome is reported exactly once.

All methods of a transport are called from one thread (the worker). This module knows neither Kafka nor Atlas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from sac_kafka.escaping import escape
from sac_kafka.guard import Guard
from sac_kafka.stages.output import Position


class MessageKind(Enum):
    """Subject of a message: `flow`, a process and its datasets; `catalog`, a change of a catalog object."""

    FLOW = "flow"
    CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class Record:
    """A message to deliver; records with the same `key` are delivered in order.

    `values` are its parts, each the value of a Kafka record as UTF-8 JSON: one part, unless the message exceeds the size
    limit of a record. The server joins parts, so they are sent consecutively, and all again if one of them failed.
    `created_ms` is epoch milliseconds.
    """

    topic: str
    key: bytes | None
    values: tuple[bytes, ...]
    kind: MessageKind = MessageKind.FLOW
    created_ms: int = 0

    @property
    def size(self) -> int:
        """Size of all parts in bytes."""
        return sum(map(len, self.values))


class FailureKind(Enum):
    """Classification of a failure by its effect on later records.

    `transient`: the broker or the network failed; a retry may succeed at any time. `needs_action`: no record gets through
    until a person fixes something (password, certificate, topic, permission), so retries are rare. `rejected`: this record
    will never be accepted, others may be.
    """

    TRANSIENT = "transient"
    NEEDS_ACTION = "needs_action"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason why a record was not delivered: `reason` is one line without secrets that ends in the fix.

    `is_ambiguous`: the cause may be either the server or this record.
    """

    kind: FailureKind
    reason: str
    is_ambiguous: bool = False

    def __post_init__(self) -> None:
        """Escape unsafe characters of the reason: servers and names contain them."""
        object.__setattr__(self, "reason", escape(self.reason))

    def __str__(self) -> str:
        """Return the reason."""
        return self.reason


DeliveryCallback = Callable[["Failure | None"], None]
"""Called exactly once per record: with None if it was delivered, else with the failure."""


class Transport(Protocol):
    """A way to deliver records to a server, in order.

    After a failure that is not `rejected`, all records sent later fail too before `send` accepts the next one. A caller
    that keeps failed records can therefore send them again in their order.
    """

    @property
    def name(self) -> str:
        """Name for logs, such as `kafka localhost:9093 (SASL_SSL)`."""

    @property
    def flush_slice_seconds(self) -> float:
        """Shortest useful `flush` in a loop of flushes; infinite if an interrupted `flush` could send records twice."""

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Accept a record. Its outcome is reported now or during a later call of any method; failures are not raised."""

    def service(self, timeout_seconds: float) -> None:
        """Report outcomes that are known, waiting for the first at most this long (not at all with no record in flight).

        Never raises.
        """

    def flush(self, timeout_seconds: float) -> int:
        """Wait at most this long for outcomes. Return the number of records still without one."""

    def close(self, timeout_seconds: float) -> None:
        """Flush, fail all remaining records with a reason, and release all resources. Idempotent."""

    def problem(self) -> str | None:
        """Return the current failure as one masked line, None while records get through."""

    def retry_after(self) -> float:
        """Return the remaining circuit-breaker time in seconds; 0.0 if `send` would try."""

    def position(self) -> Position | None:
        """Return the location of the last delivered record, None if unknown. May query the broker for up to 2 s."""


class Immediate:
    """Base of transports whose `send` reports the outcome at once: no record is ever in flight."""

    flush_slice_seconds = math.inf
    _problem: str | None = None

    def service(self, timeout_seconds: float) -> None:
        """Do nothing."""

    def flush(self, timeout_seconds: float) -> int:  # noqa: ARG002 (the protocol's signature)
        """Return 0."""
        return 0

    def close(self, timeout_seconds: float) -> None:
        """Do nothing."""

    def problem(self) -> str | None:
        """Return why the last record was not delivered, which `send` stores in `_problem`."""
        return self._problem

    def retry_after(self) -> float:
        """Return 0.0: `send` always tries."""
        return 0.0

    def position(self) -> Position | None:
        """Return None: the record does not outlive the process."""
        return None


@contextmanager
def guard_transport(
    guard: Guard, name: Callable[[], str], numbers: Callable[[], Iterable[int]], settle: Callable[[int, Failure], None]
) -> Iterator[None]:
    """Fail the records in flight if a transport raises, against its contract; the guard counts that.

    `name` returns the transport's name, `numbers` those in flight, `settle` reports one. All are called only within the guard.
    """
    with guard("transport"):
        try:
            yield
        except Exception as error:
            reason = f"{name()} failed with {type(error).__name__}; it will be retried"
            for number in numbers():
                settle(number, Failure(FailureKind.TRANSIENT, reason, is_ambiguous=True))
            raise


def as_line(value: bytes) -> bytes:
    """Return JSON as one line with its line end. JSON contains line breaks only as whitespace between tokens."""
    return value.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
