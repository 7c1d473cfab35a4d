"""Adopt the files of dead writers in order, a limited number of writers at a time."""

from __future__ import annotations

from pathlib import Path

from sac_kafka.log import logger
from sac_kafka.transport.spool.adoption import AdoptedFiles, OrphanFiles, adopt, adopt_writer
from sac_kafka.transport.spool.locks import LocksUnsupportedError
from sac_kafka.transport.spool.names import WriterId
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.segment import Segment

MAX_WRITERS = 32
"""Maximum number of writers whose files are adopted at a time: each lock is an open file."""


class Orphans:
    """Files of dead writers: those of the first writers are adopted, the others remain unclaimed until these are done.

    Args:
        options: How records are kept.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._directory = Path()
        self._adopted: list[AdoptedFiles] = []
        self.unclaimed: list[OrphanFiles] = []
        """Files to adopt later."""

    def adopt_first(self, directory: Path) -> list[Segment]:
        """Adopt the files of the oldest writers in the directory."""
        self._directory = directory
        self._adopted, self.unclaimed = adopt(directory, self._options, MAX_WRITERS)
        return self._segments()

    def adopt_more(self) -> list[Segment]:
        """Adopt the next files if all adopted ones are done. Return them, an empty list if no files are left."""
        if self._adopted:
            return []
        try:
            while self.unclaimed and len(self._adopted) < MAX_WRITERS:
                orphan = self.unclaimed.pop(0)
                # None if another driver has adopted them meanwhile.
                found = adopt_writer(self._directory, orphan.writer, orphan.paths, self._options)
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
        return {each.writer for each in self.unclaimed}

    def release(self, segment: Segment) -> None:
        """Forget a file that is done; after the last one of its writer, release the writer's lock."""
        for each in tuple(self._adopted):
            if segment in each.segments:
                each.segments.remove(segment)
                if not each.segments:
                    each.release()
                    self._adopted.remove(each)

    def close(self) -> None:
        """Release all adopted files, so that other drivers can adopt them."""
        for each in self._adopted:
            each.release()
        self._adopted.clear()

    def _segments(self) -> list[Segment]:
        return [segment for each in self._adopted for segment in each.segments]
