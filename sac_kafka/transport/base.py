"""The protocol of all transports: records go in, each record's outcome comes back exactly once.

All methods of a transport are called from one thread (the worker). Nothing here knows Kafka or Atlas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class MessageKind(Enum):
    """What a message is about: `flow`, a process with what it needs; `catalog`, what became of a catalog's things."""

    FLOW = "flow"
    CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class Record:
    """A message on its way; `key` keeps an application's messages in order.

    `values` are its parts, each the text of a Kafka record as UTF-8 JSON: one, unless the message is too long for one.
    The server puts parts together, so they are sent one after the other, and all again when one of them failed.
    `created_ms` is epoch milliseconds.
    """

    topic: str
    key: bytes | None
    values: tuple[bytes, ...]
    kind: MessageKind = MessageKind.FLOW
    created_ms: int = 0

    @property
    def size(self) -> int:
        """The bytes of all parts."""
        return sum(map(len, self.values))


class Trouble(Enum):
    """What a failure says of the records that follow.

    `passing`: the broker or the way to it; the same record may get through at any moment. `blocked`: nothing gets
    through until a person has done something (password, certificate, topic, permission), so it is tried again seldom.
    `rejected`: this record will never be taken, others will.
    """

    PASSING = "passing"
    BLOCKED = "blocked"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a record was not delivered: `reason` is one line without secrets that ends in what to do.

    `is_ambiguous`: nobody can tell whether it is the server's trouble or this record's own.
    """

    trouble: Trouble
    reason: str
    is_ambiguous: bool = False

    def __str__(self) -> str:
        """The reason."""
        return self.reason


@dataclass(frozen=True, slots=True)
class Position:
    """Where a record was put: from `start` to `end` (exclusive) of a log that only grows.

    `log` names it so that one that was made anew has another name, or has not grown that far yet.
    """

    log: str
    start: int
    end: int


DeliveryCallback = Callable[["Failure | None"], None]
"""Told once for each record: None when it was delivered."""


class Transport(Protocol):
    """A way for messages to the server.

    It keeps the order of records. After a failure that is not `rejected` all records that were sent later fail, too,
    before `send` takes the next one: whoever keeps failed records can send them again in their order.
    """

    @property
    def name(self) -> str:
        """What logs call it, such as `kafka localhost:9093 (SASL_SSL)`."""

    @property
    def flush_slice_seconds(self) -> float:
        """How short a `flush` may be to be repeated; infinite where one that is cut off would do harm."""

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Take a record. Its outcome may come at once, or in a later call of any method; trouble is no exception."""

    def service(self, timeout_seconds: float) -> None:
        """Report outcomes that are due, waiting for the first at most this long (not at all with nothing under way).

        Never raises.
        """

    def flush(self, timeout_seconds: float) -> int:
        """Wait at most this long for outcomes and give the number of records that still have none."""

    def close(self, timeout_seconds: float) -> None:
        """Flush, give every record that is left its outcome with a reason, and let go of everything. Idempotent."""

    def problem(self) -> str | None:
        """Give the last known trouble in one masked line, None when records get through."""

    def retry_after(self) -> float:
        """Give the seconds for which `send` fails at once; 0.0 where it tries."""

    def position(self) -> Position | None:
        """Give where the last delivered record was put, None where nobody can tell. May ask the broker, for 2 s."""


class CountingTransport(Transport, Protocol):
    """A transport that also says what became of records: the spool, around another one."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Records delivered, spooled, dropped and rejected so far, and those replayed for other drivers."""

    @property
    def under_way(self) -> int:
        """How many records have no end yet and are in no file."""

    @property
    def trouble(self) -> Trouble | None:
        """What keeps messages from getting through, None while they do."""

    @property
    def is_busy(self) -> bool:
        """Whether it has to be served often: records are under way or wait for their turn, or something keeps them."""


class Immediate:
    """What is the same in transports whose `send` gives the outcome at once: nothing is ever under way."""

    flush_slice_seconds = math.inf
    _problem: str | None = None

    def service(self, timeout_seconds: float) -> None:
        """Do nothing."""

    def flush(self, timeout_seconds: float) -> int:  # noqa: ARG002 (the protocol's signature)
        """Give 0."""
        return 0

    def close(self, timeout_seconds: float) -> None:
        """Do nothing."""

    def problem(self) -> str | None:
        """Give why the last record could not be delivered: `send` keeps that in `_problem`."""
        return self._problem

    def retry_after(self) -> float:
        """Give 0.0: it always tries."""
        return 0.0

    def position(self) -> Position | None:
        """Give None: what it was told is gone with the process."""
        return None


def as_line(value: bytes) -> bytes:
    """Give JSON as one line with its end of line. Outside of strings JSON has line breaks only as blanks."""
    return value.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
