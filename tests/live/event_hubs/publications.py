"""Produce requests and their answers: what is published to which event hub, how large it is, how it is compressed.

Versions 3 to 7, whose fields are the same; answers differ by one field from version 5 on.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.live.event_hubs.wire import Error, Reader, array, data_of, numbers, string

_ATTRIBUTES_AT = 21  # of a batch: offset, length, leader's epoch, magic number and checksum before
_CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@dataclass(frozen=True, slots=True)
class Publication:
    """A batch of records for a partition of an event hub."""

    hub: str
    partition: int
    batch: bytes

    @property
    def codec(self) -> str:
        """How its records are compressed."""
        (attributes,) = struct.unpack_from(">h", self.batch, _ATTRIBUTES_AT)
        return _CODECS[attributes & 7]


@dataclass(frozen=True, slots=True)
class Produce:
    """What a client wants written, and how long it waits for the answer."""

    transaction: str | None
    acks: int
    timeout_ms: int
    publications: tuple[Publication, ...]

    @classmethod
    def read(cls, body: bytes) -> Produce:
        reader = Reader(body)
        transaction, acks, timeout_ms = reader.string(), reader.number("h"), reader.number("i")
        publications: list[Publication] = []
        for _ in range(reader.number("i")):
            hub = reader.string() or ""
            count = reader.number("i")
            publications += [Publication(hub, reader.number("i"), reader.data()) for _ in range(count)]
        return cls(transaction, acks, timeout_ms, tuple(publications))

    def written(self) -> bytes:
        """Return the body of a request."""
        head = string(self.transaction) + numbers("hi", self.acks, self.timeout_ms)
        return head + array(
            string(each.hub) + array([numbers("i", each.partition) + data_of(each.batch)]) for each in self.publications
        )

    def renamed(self, names: Sequence[str]) -> Produce:
        """Return the same with these names of event hubs, one for each publication."""
        pairs = zip(self.publications, names, strict=True)
        return replace(self, publications=tuple(replace(each, hub=name) for each, name in pairs))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a publication."""

    hub: str
    partition: int
    error: int
    offset: int = -1
    time: int = -1
    start: int = -1


def read_outcomes(body: bytes, version: int) -> list[Outcome]:
    """Return the outcomes in an answer."""
    reader = Reader(body)
    outcomes = []
    for _ in range(reader.number("i")):
        hub = reader.string() or ""
        for _ in range(reader.number("i")):
            partition, error, offset, time = (reader.number(form) for form in "ihqq")
            start = reader.number("q") if version >= 5 else -1
            outcomes.append(Outcome(hub, partition, error, offset, time, start))
    return outcomes


def written_outcomes(outcomes: Sequence[Outcome], version: int, throttle_ms: int) -> bytes:
    """Return an answer."""
    return array(string(each.hub) + array([_partition(each, version)]) for each in outcomes) + numbers("i", throttle_ms)


def _partition(outcome: Outcome, version: int) -> bytes:
    fields = numbers("ihqq", outcome.partition, outcome.error, outcome.offset, outcome.time)
    return fields + (numbers("q", outcome.start) if version >= 5 else b"")


def refused(publication: Publication, error: Error) -> Outcome:
    """Return the outcome of one without an event hub or permission."""
    return Outcome(publication.hub, publication.partition, error)
