"""Taking over the files of writers that are dead. What a living writer has is never touched."""

from __future__ import annotations

import contextlib
import os
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sac_kafka.log import logger
from sac_kafka.transport.spool.aside import set_foreign_aside
from sac_kafka.transport.spool.codec import NotOursError
from sac_kafka.transport.spool.directory import REJECTED
from sac_kafka.transport.spool.locks import Lock, NoLocksError, taken
from sac_kafka.transport.spool.names import Writer, read_file_name
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.segment import Segment


@dataclass(slots=True)
class Adopted:
    """A dead writer's files, with the lock that keeps others from them."""

    lock: Lock | None
    writer: Writer
    segments: list[Segment] = field(default_factory=list)

    def leave(self) -> Left:
        """Let go of it until its turn comes."""
        self.release()
        return Left(
            self.writer,
            tuple(each.path for each in self.segments),
            sum(each.left for each in self.segments),
            sum(each.bytes for each in self.segments),
        )

    def release(self) -> None:
        """Let others have what is left."""
        for each in self.segments:
            each.close()
        if self.lock is not None:
            self.lock.release(remove=True)


@dataclass(frozen=True, slots=True)
class Left:
    """A dead writer's files that nobody has taken over yet: how many messages are left in them, and their size."""

    writer: Writer
    paths: tuple[Path, ...]
    records: int
    bytes: int


def files_of(directory: Path) -> dict[Writer, list[Path]]:
    """The files in the directory by writer, oldest writer and file first; links and other files are passed over.

    A directory that cannot be read has none.
    """
    found: dict[Writer, list[tuple[int, Path]]] = defaultdict(list)
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                known = read_file_name(entry.name)
                if known is not None and entry.is_file(follow_symlinks=False):
                    found[known[0]].append((known[1], Path(entry.path)))
    except FileNotFoundError:
        return {}
    except OSError as error:
        logger.info("%s cannot be read: %s", directory, error.strerror or error)
    writers = sorted(found, key=lambda each: (each.started_us, each.name))
    return {writer: [path for _, path in sorted(found[writer])] for writer in writers}


def adopt(directory: Path, options: Options, most_writers: int) -> tuple[list[Adopted], list[Left]]:
    """Take over what dead writers have left for the same destination, oldest first. Trouble costs single files.

    Gives `most_writers` of them, and what others wait for their turn: a lock is a file that is open.
    """
    found = _all_files(directory, with_rejected=options.with_rejected)
    ours = {writer: paths for writer, paths in found.items() if options.destination in (None, writer.destination)}
    _tell_of_others(directory, [each for each in found if each not in ours])
    adopted: list[Adopted] = []
    later: list[Left] = []
    try:
        for writer, paths in ours.items():
            each = adopt_writer(directory, writer, paths, options)
            if each is not None and len(adopted) < most_writers:
                adopted.append(each)
            elif each is not None:
                later.append(each.leave())
        _remove_locks_of_nothing(directory)
    except NoLocksError as error:
        logger.info("%s: files of earlier applications are left alone: %s", directory, error.strerror)
        for each in adopted:
            each.release()
        return [], []
    return adopted, later


def adopt_writer(directory: Path, writer: Writer, paths: Sequence[Path], options: Options) -> Adopted | None:
    """Take over a writer's files; None if it lives, or nothing is left in them.

    Raises:
        NoLocksError: Nobody can tell.
    """
    try:
        lock = None if options.without_locks else lock_of(directory, writer)
    except NoLocksError:
        raise
    except OSError as error:
        logger.info("%s cannot be taken over: %s", directory / writer.name, error.strerror or error)
        return None
    if lock is None and not options.without_locks:
        return None
    segments = [each for path in paths if (each := _opened(path, writer, of_anyone=options.of_anyone))]
    result = Adopted(lock, writer, segments)
    if not result.segments:
        result.release()
        return None
    return result


def drop_oldest_of_others(folder: Path, directory: Path, known: Collection[Writer]) -> Segment | None:
    """Remove the oldest file in the folder of a dead writer that is not `known`.

    Gives what it was, None if there is none. The locks are in `directory`.
    """
    for writer, paths in files_of(folder).items():
        if writer in known:
            continue
        with contextlib.suppress(OSError):  # NoLocksError, too: nobody can tell whether it lives
            lock = lock_of(directory, writer)
            if lock is not None:
                segment = Segment(paths[0], writer, is_own=False)
                with contextlib.suppress(NotOursError, OSError):
                    segment.open(of_anyone=True)  # to count what is lost
                segment.remove()
                lock.release(remove=True)
                if not segment.path.exists():
                    return segment
    return None


def remove_file(directory: Path, segment: Segment, *, without_locks: bool = False) -> bool:
    """Remove a file and what belongs to it; False if its writer lives, or it cannot be removed.

    Where the file system knows no locks nobody can tell, and only `without_locks` removes it.
    """
    try:
        lock = lock_of(directory, segment.writer)
        if lock is None:
            return False
    except NoLocksError:
        if not without_locks:
            return False
        lock = None
    except OSError:
        return False
    segment.remove()
    if lock is not None:
        lock.release(remove=True)
    return not segment.path.exists()


def lock_of(directory: Path, writer: Writer) -> Lock | None:
    """Take a writer's lock; None if it lives.

    Raises:
        NoLocksError: Nobody can tell.
        OSError: The lock cannot be made.
    """
    return taken(directory / writer.lock_name)


def is_alive(directory: Path, writer: Writer) -> bool | None:
    """Say whether a writer lives, None where nobody can tell. Its lock is not made to find out."""
    if not (directory / writer.lock_name).exists():
        return False
    try:
        lock = lock_of(directory, writer)
    except OSError:
        return None
    if lock is not None:
        lock.release(remove=False)
    return lock is None


def _tell_of_others(directory: Path, writers: Sequence[Writer]) -> None:
    """They wait for a configuration that may never come back: a corrected topic, one more bootstrap server."""
    waiting = [each for each in writers if is_alive(directory, each) is False]
    if waiting:
        days = (time.time() - min(each.started_us for each in waiting) / 1e6) / 86_400
        logger.warning(
            "%s holds messages for another destination (other servers or another topic), the oldest %s old: "
            "to send them here run: sac-kafka spool replay --any-destination",
            directory,
            _age(days),
        )


def _age(days: float) -> str:
    """An age in words.

    >>> _age(0.01), _age(0.06), _age(1.5), _age(3.2)
    ('less than an hour', '1 hour', '36 hours', '3 days')
    """
    hours = int(days * 24)
    if hours < 1:
        return "less than an hour"
    if days >= 2:
        return f"{days:.0f} days"
    return "1 hour" if hours == 1 else f"{hours} hours"


def _all_files(directory: Path, *, with_rejected: bool) -> dict[Writer, list[Path]]:
    found: dict[Writer, list[Path]] = {}
    for folder in (directory, directory / REJECTED) if with_rejected else (directory,):
        for writer, paths in files_of(folder).items():
            found.setdefault(writer, []).extend(paths)
    return dict(sorted(found.items(), key=lambda each: (each[0].started_us, each[0].name)))


def _opened(path: Path, writer: Writer, *, of_anyone: bool) -> Segment | None:
    """The file if messages are left in it. One in which none is left, or that is none of ours, goes out of the way."""
    segment = Segment(path, writer, is_own=False)
    try:
        segment.open(of_anyone=of_anyone)
    except NotOursError as error:
        set_foreign_aside(path, error)
    except FileNotFoundError:
        pass  # its writer ended meanwhile, and had delivered it
    except OSError as error:
        logger.info("%s cannot be read: %s", path, error.strerror or error)
    else:
        if segment.left:
            return segment
        segment.remove()
    return None


def _remove_locks_of_nothing(directory: Path) -> None:
    """Locks that processes have left which ended between their last file's removal and their own end."""
    try:
        with os.scandir(directory) as entries:
            names = {entry.name for entry in entries}
    except OSError:
        return
    with_files = {found[0].name for name in names if (found := read_file_name(name))}
    for name in names:
        writer = Writer.read(name.removesuffix(".lock"))
        if name.endswith(".lock") and writer is not None and writer.name not in with_files:
            try:
                lock = lock_of(directory, writer)
            except NoLocksError:
                raise
            except OSError:
                continue
            if lock is not None:
                lock.release(remove=True)
