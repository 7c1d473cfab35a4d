"""The numbers of the messages that files of the spool hold."""

from __future__ import annotations

from pathlib import Path

from sac_kafka.transport.base import Record
from tests.helpers.spooled import kept, read_file, texts
from tests.unit.transport.spool.fakes import number_of


def numbers_in(directory: Path) -> list[int]:
    return [number_of(message_) for message_ in map(as_record, texts(kept(directory)))]


def as_record(value: bytes) -> Record:
    return Record("t", None, (value,))


def numbers_in_file(file: Path) -> list[int]:
    return [number_of(as_record(value)) for value in texts(read_file(file))]
