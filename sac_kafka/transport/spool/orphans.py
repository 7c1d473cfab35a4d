"""Adopt the spool files of dead writers in order, a limited number at a time; those of a living writer are never touched."""

from __future__ import annotations

import contextlib
import os
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.log import logger
from sac_kafka.transport.spool.codec import ForeignFileError
from sac_kafka.transport.spool.dead_letters import quarantine
from sac_kafka.transport.spool.directory import REJECTED, WriterId, read_file_name
from sac_kafka.transport.spool.locks import Lock, LocksUnsupportedError, try_lock
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.segment import Segment

MAX_WRITERS = 32
"""Maximum number of writers whose files are adopted at a time: each lock is an open file."""


@dataclass(slots=True)
class OrphanFiles:
    """Files of a dead writer, with the lock that excludes other processes from them until they are released."""

    lock: Lock | None
    writer: WriterId
    segments: list[Segment]

    def release(self) -> None:
        """Release the files, so that they can be adopted later, also by other processes."""
        for segment in self.segments:
            segment.close()
        if self.lock is not None:
            self.lock.release(remove=True)


def files_by_writer(directory: Path) -> dict[WriterId, list[Path]]:
    """Return the spool files in the directory by writer, oldest writer and file first; links are ignored.

    A directory that cannot be read has none.
    """
    found: dict[WriterId, list[tuple[int, Path]]] = defaultdict(list)
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


def adopt_writer(directory: Path, writer: WriterId, paths: Sequence[Path], options: Options) -> OrphanFiles | None:
    """Adopt the files of a writer; None if it is alive, or no records remain.

    Raises:
        LocksUnsupportedError: Whether the writer is alive cannot be determined.
    """
    try:
        lock = None if options.without_locks else try_lock(directory / writer.lock_name)
    except LocksUnsupportedError:
        raise
    except OSError as error:
        logger.info("%s cannot be adopted: %s", directory / writer.name, error.strerror or error)
        return None
    if lock is None and not options.without_locks:
        return None
    segments = [each for path in paths if (each := _open_segment(path, writer, of_anyone=options.of_anyone))]
    result = OrphanFiles(lock, writer, segments)
    if not segments:
        result.release()
        return None
    return result


def remove_oldest_orphan(folder: Path, directory: Path, known: Collection[WriterId]) -> Segment | None:
    """Remove the oldest file of a dead writer in the folder that is not `known`.

    Return its segment, None if no file was removed. The locks are in `directory`.
    """
    for writer, paths in files_by_writer(folder).items():
        segment = Segment(paths[0], writer, is_own=False)
        if writer not in known and remove_file(directory, segment):
            return segment
    return None


def remove_file(directory: Path, segment: Segment, *, without_locks: bool = False) -> bool:
    """Count the records of a file, and remove it and its cursor. Return False if its writer is alive, or it cannot be removed.

    Where locks are not supported, it is removed only with `without_locks`.
    """
    try:
        lock = try_lock(directory / segment.writer.lock_name)
        if lock is None:
            return False
    except LocksUnsupportedError:
        if not without_locks:
            return False
        lock = None
    except OSError:
        return False
    with contextlib.suppress(ForeignFileError, OSError):
        segment.open(of_anyone=True)
    segment.remove()
    if lock is not None:
        lock.release(remove=True)
    return not segment.path.exists()


def is_alive(directory: Path, writer: WriterId) -> bool | None:
    """Return whether a writer is alive, None if that cannot be determined. Creates no lock file."""
    if not (directory / writer.lock_name).exists():
        return False
    try:
        lock = try_lock(directory / writer.lock_name)
    except OSError:
        return None
    if lock is not None:
        lock.release(remove=False)
    return lock is None


def _warn_about_other_destinations(directory: Path, writers: Sequence[WriterId], command: str) -> None:
    """Warn about files that this configuration does not replay, as after a changed topic or bootstrap server."""
    pending = [writer for writer in writers if is_alive(directory, writer) is False]
    if pending:
        days = (time.time() - min(segment.started_us for segment in pending) / 1e6) / 86_400
        logger.warning(
            "%s holds messages for another destination (other servers or another topic), the oldest %s old: "
            "to send them here run: %s",
            directory,
            _age(days),
            command,
        )


def _age(days: float) -> str:
    """Format an age.

    >>> _age(0.01), _age(0.06), _age(1.5), _age(3.2)
    ('less than an hour', '1 hour', '36 hours', '3 days')
    """
    hours = int(days * 24)
    if hours < 1:
        return "less than an hour"
    if days >= 2:
        return f"{days:.0f} days"
    return "1 hour" if hours == 1 else f"{hours} hours"


def _all_files(directory: Path, *, with_rejected: bool) -> dict[WriterId, list[Path]]:
    found: dict[WriterId, list[Path]] = {}
    for folder in (directory, directory / REJECTED) if with_rejected else (directory,):
        for writer, paths in files_by_writer(folder).items():
            found.setdefault(writer, []).extend(paths)
    return dict(sorted(found.items(), key=lambda each: (each[0].started_us, each[0].name)))


def _open_segment(path: Path, writer: WriterId, *, of_anyone: bool) -> Segment | None:
    """Open a file if records remain in it. Remove it if none remain; move it away if it is no spool file."""
    segment = Segment(path, writer, is_own=False)
    try:
        segment.open(of_anyone=of_anyone)
    except ForeignFileError as error:
        quarantine(path, error)
    except FileNotFoundError:
        pass  # Delivered and removed by its writer meanwhile.
    except OSError as error:
        logger.info("%s cannot be read: %s", path, error.strerror or error)
    else:
        if segment.remaining:
            return segment
        segment.remove()
    return None


def _remove_stale_locks(directory: Path) -> None:
    """Remove locks without files, of processes that ended between the removal of their last file and their exit."""
    try:
        with os.scandir(directory) as entries:
            names = {entry.name for entry in entries}
    except OSError:
        return
    with_files = {found[0].name for name in names if (found := read_file_name(name))}
    for name in names:
        writer = WriterId.read(name.removesuffix(".lock"))
        if name.endswith(".lock") and writer is not None and writer.name not in with_files:
            try:
                lock = try_lock(directory / writer.lock_name)
            except LocksUnsupportedError:
                raise
            except OSError:
                continue
            if lock is not None:
                lock.release(remove=True)


class Orphans:
    """Files of dead writers: those of the first writers are adopted, the others remain unclaimed until these are done."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._directory = Path()
        self._adopted: list[OrphanFiles] = []
        self.unclaimed: list[OrphanFiles] = []
        """Files to adopt later."""

    def adopt_first(self, directory: Path) -> list[Segment]:
        """Adopt the files of the oldest dead writers with the same destination. A file that cannot be adopted is logged."""
        self._directory = directory
        found = _all_files(directory, with_rejected=self._options.with_rejected)
        destination = self._options.destination
        ours = {writer: paths for writer, paths in found.items() if destination in (None, writer.destination)}
        others = [writer for writer in found if writer not in ours]
        _warn_about_other_destinations(directory, others, self._options.replay)
        try:
            for writer, paths in ours.items():
                each = adopt_writer(directory, writer, paths, self._options)
                if each is not None and len(self._adopted) < MAX_WRITERS:
                    self._adopted.append(each)
                elif each is not None:
                    each.release()
                    self.unclaimed.append(each)
            _remove_stale_locks(directory)
        except LocksUnsupportedError as error:
            logger.info("%s: files of earlier applications are not replayed: %s", directory, error.strerror)
            self.close()
            self.unclaimed.clear()
        return self._segments()

    def adopt_more(self) -> list[Segment]:
        """Adopt the next files if all adopted ones are done. Return them, an empty list if no files are left."""
        if self._adopted:
            return []
        try:
            while self.unclaimed and len(self._adopted) < MAX_WRITERS:
                orphan = self.unclaimed.pop(0)
                # None if another driver has adopted them meanwhile.
                paths = [segment.path for segment in orphan.segments]
                found = adopt_writer(self._directory, orphan.writer, paths, self._options)
                if found is not None:
                    self._adopted.append(found)
        except LocksUnsupportedError as error:
            logger.info("%s: files of other applications are not replayed: %s", self._directory, error.strerror)
            self.unclaimed.clear()
        return self._segments()

    @property
    def has_adopted(self) -> bool:
        """True if adopted files are not done yet."""
        return bool(self._adopted)

    @property
    def unclaimed_writers(self) -> set[WriterId]:
        """Writers whose files are adopted later."""
        return {orphan.writer for orphan in self.unclaimed}

    def release(self, segment: Segment) -> None:
        """Forget a file that is done; after the last one of its writer, release the writer's lock."""
        for orphan in tuple(self._adopted):
            if segment in orphan.segments:
                orphan.segments.remove(segment)
                if not orphan.segments:
                    orphan.release()
                    self._adopted.remove(orphan)

    def close(self) -> None:
        """Release all adopted files, so that other drivers can adopt them."""
        for orphan in self._adopted:
            orphan.release()
        self._adopted.clear()

    def _segments(self) -> list[Segment]:
        return [segment for orphan in self._adopted for segment in orphan.segments]
