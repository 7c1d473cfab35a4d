"""Kafka's protocol, as far as the endpoint touches it: frames, and the fields of versions before the flexible ones."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

T = TypeVar("T")
LENGTH = struct.Struct(">i")
_HEAD = struct.Struct(">hhi")  # of a request: which, its version, its number


class Api(IntEnum):
    """The requests that the endpoint looks into, or passes on."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    FIND_COORDINATOR = 10
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    INIT_PRODUCER_ID = 22
    SASL_AUTHENTICATE = 36


class Error(IntEnum):
    """Kafka's numbers of errors."""

    NONE = 0
    UNKNOWN_TOPIC_OR_PARTITION = 3
    MESSAGE_TOO_LARGE = 10
    TOPIC_AUTHORIZATION_FAILED = 29
    UNSUPPORTED_SASL_MECHANISM = 33
    UNSUPPORTED_VERSION = 35
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43
    POLICY_VIOLATION = 44
    SASL_AUTHENTICATION_FAILED = 58


@dataclass(frozen=True, slots=True)
class Request:
    """A request: `body` is what follows its header, `frame` the whole of it without its length."""

    api: int
    version: int
    number: int
    body: bytes
    frame: bytes

    @classmethod
    def read(cls, frame: bytes) -> Request:
        """Read one. The client's id, which ends the header, has its old form in every version of a header."""
        api, version, number = _HEAD.unpack_from(frame)
        reader = Reader(frame[_HEAD.size :])
        reader.string()
        return cls(api, version, number, reader.rest(), frame)


class Reader:
    """Reads fields one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(f">{form}", self._data, self._at)
        self._at += struct.calcsize(f">{form}")
        return int(value)

    def string(self) -> str | None:
        length = self.number("h")
        return None if length < 0 else self._take(length).decode()

    def data(self) -> bytes:
        return self._take(max(0, self.number("i")))

    def array(self, read: Callable[[Reader], T]) -> list[T] | None:
        count = self.number("i")
        return None if count < 0 else [read(self) for _ in range(count)]

    def rest(self) -> bytes:
        return self._data[self._at :]

    def _take(self, length: int) -> bytes:
        self._at += length
        return self._data[self._at - length : self._at]


def numbers(form: str, *values: int) -> bytes:
    """Whole numbers, as `struct` has their forms."""
    return struct.pack(f">{form}", *values)


def string(text: str | None) -> bytes:
    """Return a text, or none."""
    if text is None:
        return numbers("h", -1)
    data = text.encode()
    return numbers("h", len(data)) + data


def data_of(data: bytes | None) -> bytes:
    """Bytes, or none."""
    return numbers("i", -1) if data is None else numbers("i", len(data)) + data


def array(items: Iterable[bytes]) -> bytes:
    """Return an array of what is written already."""
    each = list(items)
    return numbers("i", len(each)) + b"".join(each)
