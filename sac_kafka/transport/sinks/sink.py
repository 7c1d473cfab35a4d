"""What there is to know of a sink, as one value that the factory, the spool, `attach` and the commands ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from sac_kafka.settings import Settings
from sac_kafka.transport.base import Position, Transport
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.examining.findings import Finding

Row = tuple[str, str, str]
"""Key, value as it may be shown, and a remark, such as where it comes from."""


@dataclass(frozen=True, slots=True)
class Client:
    """What messages go through: `title` in words, what it is made with, and what is to be doubted.

    `place` is where messages go, and as whom, where the client's own settings say more of it than the hook's.
    """

    title: str = ""
    rows: tuple[Row, ...] = ()
    warnings: tuple[str, ...] = ()
    place: str = ""


class Peer(Enum):
    """Who takes what is sent: Atlas itself, Purview itself, a server that one of them reads from, or nobody but this machine."""

    ATLAS = "atlas"
    PURVIEW = "purview"
    BROKER = "broker"
    NOBODY = "nobody"


def joins_all(_: Settings) -> bool:
    """Say that whoever reads from the sink puts parts together."""
    return True


def takes_all(_: Settings) -> None:
    """Say that the sink knows no longest record."""
    return


def finds_nothing(_: Settings) -> Iterator[str]:
    """Say nothing: there is no place on the disk."""
    return iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink:
    """A sink. What its functions raise is a ConfigurationError: the settings of that sink are wrong.

    Attributes:
        make: Makes the transport; the driver is what it may ask of the driver's JVM, None outside of one.
        shown: Where messages go, and as whom, in words for people, without secrets.
        address: What tells two targets of this sink apart, however one logs in there: what was kept for one goes to no
            other. None where nothing lasts longer than the process.
        peer: Who takes what is sent.
        joins_parts: Whether whoever reads there puts the parts of a long message together.
        record_bytes: The longest record that it ever takes, whatever the settings say; None where only they tell.
        problems: What is wrong with the places on this disk that it names, a sentence each. Makes nothing.
        client: What `sac-kafka config` shows of the client, with defaults or without; None for nothing.
        examine: What `sac-kafka doctor` finds there, within so many seconds; None where to make the transport is all.
        confirm: Looks whether a record is where its transport has put it, within so many seconds; None where nobody can look.
    """

    make: Callable[[Settings, Driver | None], Transport]
    shown: Callable[[Settings], str]
    address: Callable[[Settings], str] | None
    peer: Peer = Peer.NOBODY
    joins_parts: Callable[[Settings], bool] = joins_all
    record_bytes: Callable[[Settings], int | None] = takes_all
    problems: Callable[[Settings], Iterator[str]] = finds_nothing
    client: Callable[[Settings, bool], Client] | None = None
    examine: Callable[[Settings, float, Driver | None], Iterator[Finding]] | None = None
    confirm: Callable[[Settings, Position, bytes, float, Driver | None], Iterator[Finding]] | None = None
