"""All that waits, in the order in which it goes out: files of writers that are dead, oldest first, then the own ones.

One file is written at a time. What a file holds is known by reading it, so that memory does not grow with the backlog.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.log import logger
from sac_kafka.transport.base import Record
from sac_kafka.transport.spool.adoption import drop_oldest_of_others
from sac_kafka.transport.spool.aside import Rejected, archive
from sac_kafka.transport.spool.blocks import Block
from sac_kafka.transport.spool.codec import Kept
from sac_kafka.transport.spool.directory import REJECTED, check_found
from sac_kafka.transport.spool.home import Home
from sac_kafka.transport.spool.inherited import Inherited
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.quota import Quota
from sac_kafka.transport.spool.segment import Segment

DAMAGED = "a damaged message in a file of the spool"
FULL = "the spool is full (atlas.hook.spark.spool.max.bytes): the oldest messages made room"
REFUSED_MADE_ROOM = "messages that were refused and set aside made room for others"
VANISHED = "a file of the spool cannot be read any more"

_OVERHEAD_BYTES = 512
"""What a message takes in a file besides its text, its reason for the most part."""


@dataclass(frozen=True, slots=True)
class SpoolPlace:
    """Where a message is kept."""

    segment: Segment
    block: Block

    @property
    def key(self) -> tuple[str, int]:
        """What tells places apart."""
        return str(self.segment.path), self.block.start


Lost = Callable[[Segment, int, str], None]
"""Told when messages of a file, so many, are lost, and why."""


class Backlog:
    """The files of one spool.

    Args:
        options: How messages are kept.
        application: Spark's application id, names the files.
        lost: Told of messages that are dropped with their file.
    """

    def __init__(self, options: Options, application: str, lost: Lost) -> None:
        self._options = options
        self._lost = lost
        self._home = Home(options, application)
        self._inherited = Inherited(options)
        self._segments: list[Segment] = []
        self._active: Segment | None = None
        self._number = 0
        self._next_id = 0
        self._quota = Quota(options.files.max_bytes)
        self._rejected = Rejected(options.rejected_bytes)

    @property
    def directory(self) -> Path:
        """Where the files are, or would be."""
        return self._home.directory

    # ---- files of others

    def adopt(self) -> int:
        """Take over the files of writers that are dead; gives how many messages wait in them."""
        if not self.directory.is_dir():
            return 0
        try:
            check_found(self.directory, self._options.files.dir)
        except OSError as error:
            logger.info("%s is left alone: %s", self.directory, error.strerror or error)
            return 0
        self._segments[:0] = self._inherited.begin(self.directory)
        return self.figures["records"]

    # ---- writing

    def append(self, record: Record, reason: str | None) -> SpoolPlace:
        """Keep a record behind all others.

        Raises:
            OSError: It cannot be kept; the next one may be.
        """
        self._quota.reserve(record.size + _OVERHEAD_BYTES, self.directory, self._drop_oldest)
        active = self._active
        if active is None or active.bytes >= self._options.segment_bytes or self._is_to_be_rolled(active):
            active = self._begin_file()
        self._next_id += 1
        kept = Kept(self._next_id, record, reason)
        try:
            block = active.append(kept, is_synced=self._options.files.sync)
        except OSError as error:
            self._end_file()
            if error.errno != errno.ENOENT:  # full, most likely: another file would be so, too
                raise
            block = self._begin_file().append(kept, is_synced=self._options.files.sync)
        assert self._active is not None
        return SpoolPlace(self._active, block)

    def set_aside(self, record: Record, reason: str) -> None:
        """Keep a record that the server refuses, out of the way of the others.

        Raises:
            OSError: It cannot be kept.
        """
        self._home.make()
        size = record.size + _OVERHEAD_BYTES
        while not self._rejected.has_room(size):
            self._drop_own_rejected()
        # What waits is not dropped for what will never be delivered.
        self._quota.reserve(size, self.directory, self._drop_rejected)
        self._next_id += 1
        self._home.hold()
        self._rejected.append(self.directory, self._home.writer, Kept(self._next_id, record, reason))

    def _is_to_be_rolled(self, active: Segment) -> bool:
        return active.age_seconds >= self._options.files.rollover_seconds

    def _begin_file(self) -> Segment:
        self._end_file()
        self._home.make()
        self._home.hold()
        self._number += 1
        segment = Segment(self.directory / self._home.writer.file_name(self._number), self._home.writer, is_own=True)
        segment.create(is_synced=self._options.files.sync)
        self._segments.append(segment)
        self._active = segment
        return segment

    def _end_file(self) -> None:
        active, self._active = self._active, None
        if active is not None:
            active.end()
            self._let_go_if_done(active)

    def _drop_oldest(self) -> bool:
        """Drop the oldest file of what was refused, else of what goes elsewhere, else of ours; False if there is none."""
        if self._drop_rejected() or self._drop_of_others(self.directory):
            return True
        self._segments[:0] = self._inherited.more()
        if not self._segments:
            return False
        oldest = self._segments[0]
        if oldest is self._active:
            self._active = None
        self._lose(oldest, FULL)
        return True

    def _drop_rejected(self) -> bool:
        return self._drop_of_others(self.directory / REJECTED) or self._drop_own_rejected()

    def _drop_own_rejected(self) -> bool:
        dropped = self._rejected.drop_oldest()
        if dropped is not None:
            self._lost(dropped, dropped.give_up(), REFUSED_MADE_ROOM)
        return dropped is not None

    def _drop_of_others(self, folder: Path) -> bool:
        known = {each.writer for each in self._segments} | self._inherited.later_writers
        dropped = drop_oldest_of_others(folder, self.directory, known)
        if dropped is not None:
            self._lost(dropped, dropped.give_up(), FULL)
        return dropped is not None

    def _lose(self, segment: Segment, why: str) -> None:
        self._segments.remove(segment)
        count = segment.give_up()
        segment.remove()
        if count:
            self._lost(segment, count, why)
        self._inherited.release(segment)

    # ---- reading

    def next(self) -> SpoolPlace | None:
        """Give the next record that is to be sent, None if none is left, or those before it have to be done first."""
        while (found := self._next_in_turn()) is None:
            if self._inherited.is_in_turn or not self._inherited.later:
                return None
            self._segments[:0] = self._inherited.more()
        return found

    def _next_in_turn(self) -> SpoolPlace | None:
        for segment in tuple(self._segments):
            if segment.is_own and self._inherited.later:
                return None  # own files are behind all others
            damaged = segment.damaged
            try:
                found = segment.next() if segment.has_more else None
            except OSError as error:
                logger.info("%s cannot be read: %s", segment.path, error.strerror or error)
                self._lose(segment, VANISHED)
                continue
            if segment.damaged > damaged:
                self._lost(segment, segment.damaged - damaged, DAMAGED)
            if found is not None:
                return SpoolPlace(segment, found)
            self._let_go_if_done(segment)
        return None

    @property
    def has_more(self) -> bool:
        """True if `next` may give a record."""
        return bool(self._inherited.later) or any(each.has_more for each in self._segments)

    @property
    def is_waiting(self) -> bool:
        """True if any record is neither delivered nor dropped."""
        return bool(self._inherited.later) or any(each.left > 0 for each in self._segments)

    def skip(self, place: SpoolPlace) -> None:
        """What was just appended is sent from memory."""
        place.segment.skip(place.block)

    def rewind(self) -> None:
        """Let `next` begin again with the first record that is not done."""
        for each in self._segments:
            each.rewind()

    def done(self, place: SpoolPlace) -> None:
        """A record is delivered or dropped."""
        place.segment.done(place.block)
        self._let_go_if_done(place.segment)

    def lose_what_is_not_there(self) -> None:
        """Nothing is under way and everything was read: what files still count as left cannot be read from them."""
        for segment in tuple(self._segments):
            if segment.left > 0 and not segment.has_more:
                self._lost(segment, segment.give_up(), DAMAGED)
                self._let_go_if_done(segment)

    def _let_go_if_done(self, segment: Segment) -> None:
        """Remove a file that has nothing left, unless it is still written to by a spool that writes everything."""
        if not segment.is_done or segment not in self._segments:
            return
        if segment is self._active:
            if self._options.is_first:
                return
            self._active = None
        self._segments.remove(segment)
        segment.close()
        if self._options.archive_directory is not None:
            archive(segment.path, self._options.archive_directory, self._options.archive_max_files)
        segment.remove()
        self._inherited.release(segment)

    # ---- how much it is

    @property
    def own_left(self) -> int:
        """How many records of this process wait."""
        return sum(each.left for each in self._segments if each.is_own)

    @property
    def figures(self) -> dict[str, int]:
        """Files, records and bytes that wait, those of dead writers included."""
        waiting, later = [each for each in self._segments if each.left > 0], self._inherited.later
        return {
            "files": len(waiting) + sum(len(each.paths) for each in later),
            "records": sum(each.left for each in waiting) + sum(each.records for each in later),
            "bytes": sum(each.bytes for each in waiting) + sum(each.bytes for each in later),
        }

    def close(self) -> None:
        """Close all files and let go of the locks; what waits is the next driver's. Idempotent."""
        active, self._active = self._active, None
        if active is not None and active.is_done:
            self._let_go_if_done(active)
        for each in self._segments:
            each.close()
        self._rejected.close()
        self._inherited.close()
        self._home.leave()
