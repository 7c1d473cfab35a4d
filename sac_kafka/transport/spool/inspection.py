"""What lies in a spool directory, for people: looked at without taking anything over."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from sac_kafka.transport.private_files import is_root
from sac_kafka.transport.spool.adoption import files_of, is_alive, remove_file
from sac_kafka.transport.spool.codec import Kept, NotOursError
from sac_kafka.transport.spool.directory import REJECTED
from sac_kafka.transport.spool.names import Writer
from sac_kafka.transport.spool.segment import Segment


class FileState(Enum):
    """What will become of a file.

    `waiting`: the next driver, or a replay, delivers it. `in use`: its writer lives and does so itself. `unknown`: the
    file system knows no locks, so nobody can tell. `rejected`: nobody does, unless asked to. `unreadable`: it is no file
    of the spool, or may not be read.
    """

    WAITING = "waiting"
    IN_USE = "in use"
    UNKNOWN = "unknown"
    REJECTED = "rejected"
    UNREADABLE = "unreadable"


_STATES = {False: FileState.WAITING, True: FileState.IN_USE, None: FileState.UNKNOWN}
"""Of a file, by whether its writer lives."""


@dataclass(frozen=True, slots=True)
class SpoolFile:
    """A file with what is left in it.

    `messages` are neither delivered nor dropped, and whole; `damaged` are those that the disk has damaged; `bytes` is its
    whole size; `topic` is that of the first message, and so of all: the topic is part of the destination. It is "" where
    none can be read.
    """

    path: Path
    writer: Writer
    state: FileState
    messages: int
    bytes: int
    topic: str = ""
    damaged: int = 0


def inspect(directory: Path) -> list[SpoolFile]:
    """Give the files of the directory, oldest first, then those of what was rejected."""
    found = []
    for folder in (directory, directory / REJECTED):
        for writer, paths in files_of(folder).items():
            state = FileState.REJECTED if folder.name == REJECTED else _STATES[is_alive(directory, writer)]
            found += [_file(path, writer, state) for path in paths]
    return found


def messages(file: SpoolFile) -> Iterator[Kept]:
    """Give the whole messages that are left in a file, one after the other."""
    segment = Segment(file.path, file.writer, is_own=False)
    with contextlib.suppress(NotOursError, OSError):
        segment.open(of_anyone=is_root())
        yield from (block.kept for block in segment.contents() if block.kept is not None)


def remove(directory: Path, file: SpoolFile) -> bool:
    """Remove a file and what belongs to it; False if its writer lives, or it cannot be removed.

    Where the file system knows no locks it is removed, too: a person has asked for it.
    """
    return remove_file(directory, Segment(file.path, file.writer, is_own=False), without_locks=True)


def _file(path: Path, writer: Writer, state: FileState) -> SpoolFile:
    segment = Segment(path, writer, is_own=False)
    try:
        segment.open(of_anyone=is_root())
    except (NotOursError, OSError):
        return SpoolFile(path, writer, FileState.UNREADABLE, 0, segment.bytes)
    topic, damaged = "", 0
    with contextlib.suppress(OSError):
        for each in segment.contents():
            if each.kept is None:
                damaged += 1
            else:
                topic = topic or each.kept.record.topic
    return SpoolFile(path, writer, state, segment.left - damaged, segment.bytes, topic, damaged)
