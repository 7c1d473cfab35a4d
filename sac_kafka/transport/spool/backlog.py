"""Queue undelivered records on disk in sending order: files of dead writers first (oldest first), then this writer's own.

One file is written at a time. Records are read from the files when needed, so memory does not grow with the backlog.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.log import logger
from sac_kafka.stats import SpoolStats
from sac_kafka.transport.base import Record
from sac_kafka.transport.spool import codec
from sac_kafka.transport.spool.codec import Block, StoredRecord
from sac_kafka.transport.spool.dead_letters import DeadLetters, archive
from sac_kafka.transport.spool.directory import REJECTED, check_owner
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.orphans import Orphans, remove_oldest_orphan
from sac_kafka.transport.spool.segment import Segment
from sac_kafka.transport.spool.workspace import Quota, Workspace

DAMAGED = "a damaged message in a spool file"
FULL = "spool full (atlas.hook.spark.spool.max.bytes): dropped the oldest messages"
REJECTED_REMOVED = "spool full: deleted rejected messages to free space"
UNREADABLE = "a spool file has become unreadable"

_OVERHEAD_BYTES = 512
"""Estimated size of a record in a file without its message, mostly the reason of the failure."""


@dataclass(frozen=True, slots=True)
class SpoolPlace:
    """Location of a record: its file and block."""

    segment: Segment
    block: Block

    @property
    def key(self) -> tuple[str, int]:
        """Unique key of the location."""
        return str(self.segment.path), self.block.start


OnLoss = Callable[[Segment, int, str], None]
"""Called with (segment, number of records, reason) when records are dropped."""


class Backlog:
    """The files of one spool; `on_loss` is called when records are dropped with their file."""

    def __init__(self, options: Options, application: str, on_loss: OnLoss) -> None:
        self._options = options
        self._on_loss = on_loss
        self._workspace = Workspace(options, application)
        self._orphans = Orphans(options)
        self._segments: list[Segment] = []
        self._active: Segment | None = None
        self._number = 0
        self._next_id = 0
        self._quota = Quota(options.files.max_bytes)
        self._dead_letters = DeadLetters(options.rejected_bytes)

    @property
    def directory(self) -> Path:
        """Directory of the files, which may not exist."""
        return self._workspace.directory

    # ---- files of others

    def adopt(self) -> int:
        """Adopt the files of dead writers. Return the number of records pending in them."""
        if not self.directory.is_dir():
            return 0
        try:
            check_owner(self.directory, self._options.files.dir)
        except OSError as error:
            logger.info("%s is not used: %s", self.directory, error.strerror or error)
            return 0
        self._segments[:0] = self._orphans.adopt_first(self.directory)
        return self.figures["records"]

    # ---- writing

    def prepare(self) -> None:
        """Load what encodes records."""
        writer = self._workspace.writer
        codec.file_header(writer.name, writer.destination)
        codec.encode(StoredRecord(0, Record("", None, ()), None))

    def append(self, record: Record, reason: str | None) -> SpoolPlace:
        """Append a record to the backlog.

        Raises:
            OSError: The record cannot be written; the next one may be.
        """
        self._quota.reserve(record.size + _OVERHEAD_BYTES, self.directory, self._drop_oldest)
        active = self._active
        is_full = active is not None and active.bytes >= self._options.segment_bytes
        if active is None or is_full or active.age_seconds >= self._options.files.rollover_seconds:
            active = self._begin_file()
        self._next_id += 1
        stored = StoredRecord(self._next_id, record, reason)
        try:
            block = active.append(stored, is_synced=self._options.files.sync)
        except OSError as error:
            self._end_file()
            if error.errno != errno.ENOENT:  # Probably ENOSPC: a new file would fail as well.
                raise
            block = self._begin_file().append(stored, is_synced=self._options.files.sync)
        assert self._active is not None
        return SpoolPlace(self._active, block)

    def add_dead_letter(self, record: Record, reason: str) -> None:
        """Store a rejected record apart from the backlog.

        Raises:
            OSError: The record cannot be written.
        """
        self._workspace.ensure_directory()
        size = record.size + _OVERHEAD_BYTES
        while not self._dead_letters.has_room(size):
            self._drop_own_dead_letters()
        # Make room by dropping rejected records only: pending ones can still be delivered.
        self._quota.reserve(size, self.directory, self._drop_dead_letters)
        self._next_id += 1
        self._workspace.acquire_lock()
        self._dead_letters.append(self.directory, self._workspace.writer, StoredRecord(self._next_id, record, reason))

    def _begin_file(self) -> Segment:
        self._end_file()
        self._workspace.ensure_directory()
        self._workspace.acquire_lock()
        self._number += 1
        segment = Segment(
            self.directory / self._workspace.writer.file_name(self._number), self._workspace.writer, is_own=True
        )
        segment.create(is_synced=self._options.files.sync)
        self._segments.append(segment)
        self._active = segment
        return segment

    def _end_file(self) -> None:
        active, self._active = self._active, None
        if active is not None:
            active.finish()
            self._remove_if_done(active)

    def _drop_oldest(self) -> bool:
        """Drop the oldest rejected file, else of dead writers not to be adopted, else of the backlog; False if none."""
        if self._drop_dead_letters() or self._drop_orphan(self.directory):
            return True
        self._segments[:0] = self._orphans.adopt_more()
        if not self._segments:
            return False
        oldest = self._segments[0]
        if oldest is self._active:
            self._active = None
        self._drop_segment(oldest, FULL)
        return True

    def _drop_dead_letters(self) -> bool:
        return self._drop_orphan(self.directory / REJECTED) or self._drop_own_dead_letters()

    def _drop_own_dead_letters(self) -> bool:
        dropped = self._dead_letters.drop_oldest()
        if dropped is not None:
            self._on_loss(dropped, dropped.discard(), REJECTED_REMOVED)
        return dropped is not None

    def _drop_orphan(self, folder: Path) -> bool:
        known = {segment.writer for segment in self._segments} | self._orphans.unclaimed_writers
        dropped = remove_oldest_orphan(folder, self.directory, known)
        if dropped is not None:
            self._on_loss(dropped, dropped.discard(), FULL)
        return dropped is not None

    def _drop_segment(self, segment: Segment, why: str) -> None:
        self._segments.remove(segment)
        count = segment.discard()
        segment.remove()
        if count:
            self._on_loss(segment, count, why)
        self._orphans.release(segment)

    # ---- reading

    def next(self) -> SpoolPlace | None:
        """Return the next record to send; None at the end, or if earlier files must be done first."""
        while (found := self._next_of_segments()) is None:
            if self._orphans.has_adopted or not self._orphans.unclaimed:
                return None
            self._segments[:0] = self._orphans.adopt_more()
        return found

    def _next_of_segments(self) -> SpoolPlace | None:
        for segment in tuple(self._segments):
            if segment.is_own and self._orphans.unclaimed:
                return None  # All orphans precede the own files.
            damaged = segment.damaged
            try:
                found = segment.next() if segment.has_more else None
            except OSError as error:
                logger.info("%s cannot be read: %s", segment.path, error.strerror or error)
                self._drop_segment(segment, UNREADABLE)
                continue
            if segment.damaged > damaged:
                self._on_loss(segment, segment.damaged - damaged, DAMAGED)
            if found is not None:
                return SpoolPlace(segment, found)
            self._remove_if_done(segment)
        return None

    @property
    def has_more(self) -> bool:
        """True if `next` may return a record."""
        return bool(self._orphans.unclaimed) or any(segment.has_more for segment in self._segments)

    @property
    def is_waiting(self) -> bool:
        """True if any record is neither delivered nor dropped."""
        return bool(self._orphans.unclaimed) or any(segment.remaining > 0 for segment in self._segments)

    def skip(self, place: SpoolPlace) -> None:
        """Exclude the record appended last from `next`, because it is sent from memory."""
        place.segment.skip(place.block)

    def rewind(self) -> None:
        """Let `next` restart with the first record that is not done."""
        for segment in self._segments:
            segment.rewind()

    def mark_done(self, place: SpoolPlace) -> None:
        """Mark a record as delivered or dropped."""
        place.segment.mark_done(place.block)
        self._remove_if_done(place.segment)

    def drop_unreadable(self) -> None:
        """Drop the records that files still count but `next` did not return; called at the end, with none in flight."""
        for segment in tuple(self._segments):
            if segment.remaining > 0 and not segment.has_more:
                self._on_loss(segment, segment.discard(), DAMAGED)
                self._remove_if_done(segment)

    def _remove_if_done(self, segment: Segment) -> None:
        """Remove a file with no remaining records, unless a write-ahead spool still appends to it."""
        if not segment.is_done or segment not in self._segments:
            return
        if segment is self._active:
            if self._options.is_write_ahead:
                return
            self._active = None
        self._segments.remove(segment)
        segment.close()
        if self._options.archive_directory is not None:
            archive(segment.path, self._options.archive_directory, self._options.archive_max_files)
        segment.remove()
        self._orphans.release(segment)

    # ---- size

    @property
    def own_remaining(self) -> int:
        """Number of this process's records in files."""
        return sum(segment.remaining for segment in self._segments if segment.is_own)

    @property
    def figures(self) -> SpoolStats:
        """Directory, and number of files, records and bytes, those of dead writers included."""
        unclaimed = (segment for orphan in self._orphans.unclaimed for segment in orphan.segments)
        pending = [each for each in (*self._segments, *unclaimed) if each.remaining > 0]
        return SpoolStats(
            directory=str(self.directory),
            files=len(pending),
            records=sum(each.remaining for each in pending),
            bytes=sum(each.bytes for each in pending),
        )

    def close(self) -> None:
        """Close all files and release the locks; a later process delivers what remains. Idempotent."""
        active, self._active = self._active, None
        if active is not None and active.is_done:
            self._remove_if_done(active)
        for segment in self._segments:
            segment.close()
        self._dead_letters.close()
        self._orphans.close()
        self._workspace.release_lock()
