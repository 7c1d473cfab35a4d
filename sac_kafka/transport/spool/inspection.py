"""Inspect a spool directory for the commands, without adopting any file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from sac_kafka.transport.private_files import is_root
from sac_kafka.transport.spool.codec import ForeignFileError, StoredRecord
from sac_kafka.transport.spool.directory import REJECTED, WriterId
from sac_kafka.transport.spool.orphans import files_by_writer, is_alive, remove_file
from sac_kafka.transport.spool.segment import Segment


class FileState(Enum):
    """State of a file.

    `waiting`: the next driver, or a replay, delivers it. `in use`: its writer is alive and delivers it. `unknown`: the
    file system does not support locks, so its writer may be alive. `rejected`: delivered only on request. `unreadable`: it
    is no spool file, or cannot be read.
    """

    WAITING = "waiting"
    IN_USE = "in use"
    UNKNOWN = "unknown"
    REJECTED = "rejected"
    UNREADABLE = "unreadable"


_STATES = {False: FileState.WAITING, True: FileState.IN_USE, None: FileState.UNKNOWN}
"""State of a file, by whether its writer is alive."""


@dataclass(frozen=True, slots=True)
class SpoolFile:
    """A spool file and its remaining messages.

    `messages` counts the intact messages that are neither delivered nor dropped, `damaged` the damaged ones; `bytes` is the
    size of the file; `topic` is that of the first message, and so of all, as the topic is part of the destination. It is ""
    if no message can be read.
    """

    path: Path
    writer: WriterId
    state: FileState
    messages: int
    bytes: int
    topic: str = ""
    damaged: int = 0


def inspect(directory: Path) -> list[SpoolFile]:
    """Return the files of the directory, oldest first, then those with rejected messages."""
    found = []
    for folder in (directory, directory / REJECTED):
        for writer, paths in files_by_writer(folder).items():
            state = FileState.REJECTED if folder.name == REJECTED else _STATES[is_alive(directory, writer)]
            found += [_file(path, writer, state) for path in paths]
    return found


def messages(file: SpoolFile) -> Iterator[StoredRecord]:
    """Yield the intact remaining messages of a file."""
    segment = Segment(file.path, file.writer, is_own=False)
    with contextlib.suppress(ForeignFileError, OSError):
        segment.open(of_anyone=is_root())
        yield from (block.stored for block in segment.contents() if block.stored is not None)


def remove(directory: Path, file: SpoolFile) -> bool:
    """Remove a file and its cursor. Return False if its writer is alive, or it cannot be removed.

    Where locks are not supported it is removed, too, because the user requested it.
    """
    return remove_file(directory, Segment(file.path, file.writer, is_own=False), without_locks=True)


def _file(path: Path, writer: WriterId, state: FileState) -> SpoolFile:
    segment = Segment(path, writer, is_own=False)
    try:
        segment.open(of_anyone=is_root())
    except (ForeignFileError, OSError):
        return SpoolFile(path, writer, FileState.UNREADABLE, 0, segment.bytes)
    topic, damaged = "", 0
    with contextlib.suppress(OSError):
        for content in segment.contents():
            if content.stored is None:
                damaged += 1
            else:
                topic = topic or content.stored.record.topic
    return SpoolFile(path, writer, state, segment.remaining - damaged, segment.bytes, topic, damaged)
