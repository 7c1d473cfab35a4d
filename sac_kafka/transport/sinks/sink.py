"""Describe a sink as one value for the factory, the spool, `attach` and the commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from sac_kafka.settings import Settings
from sac_kafka.stages.output import Position
from sac_kafka.transport.base import Transport
from sac_kafka.transport.driver import Driver

if TYPE_CHECKING:
    from sac_kafka.transport.diagnostics.findings import Finding

Row = tuple[str, str, str]
"""Key, masked value, and a remark, such as its source."""


@dataclass(frozen=True, slots=True)
class Client:
    """Client of a sink: `title` in words, the settings it is created with, and warnings.

    `place` is the target and the user, if the client's own settings say more of it than the hook's.
    """

    title: str = ""
    rows: tuple[Row, ...] = ()
    warnings: tuple[str, ...] = ()
    place: str = ""


class Peer(Enum):
    """Receiver of messages: Atlas, Purview, another server of events, a broker that one of them reads from, or this machine."""

    ATLAS = "atlas"
    PURVIEW = "purview"
    RECEIVER = "receiver"
    BROKER = "broker"
    LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink:
    """A sink. Its functions raise ConfigurationError for invalid settings of that sink.

    Attributes:
        make: Creates the transport; the driver gives access to the driver's JVM, None outside of one.
        describe: Target and user, in words and without secrets.
        address: Identity of the target, whatever the credentials: spooled records are sent to the same target only. None if
            the target does not outlive the process.
        peer: Receiver of messages.
        joins_parts: Whether the reader joins the parts of a long message.
        record_bytes: Maximum record size whatever the settings say; None if only they limit it.
        problems: Problems with paths on this disk that the settings name, one sentence each. Creates nothing.
        client: Client for `sac-kafka config`, with or without default settings; None for a sink without one.
        examine: Checks of `sac-kafka doctor`, with a timeout in seconds; None if creating the transport checks everything.
        confirm: Checks whether a record is at the position its transport reported, with a timeout in seconds; None if that
            cannot be checked.
    """

    make: Callable[[Settings, Driver | None], Transport]
    describe: Callable[[Settings], str]
    address: Callable[[Settings], str] | None
    peer: Peer = Peer.LOCAL
    joins_parts: Callable[[Settings], bool] = lambda _: True
    record_bytes: Callable[[Settings], int | None] = lambda _: None
    problems: Callable[[Settings], Iterator[str]] = lambda _: iter(())
    client: Callable[[Settings, bool], Client] | None = None
    examine: Callable[[Settings, float, Driver | None], Iterator[Finding]] | None = None
    confirm: Callable[[Settings, Position, bytes, float, Driver | None], Iterator[Finding]] | None = None
