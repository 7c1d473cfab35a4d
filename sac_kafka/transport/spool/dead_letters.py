"""Manage files that are not replayed automatically: rejected records, foreign files, and archived files."""

from __future__ import annotations

import os
from pathlib import Path

from sac_kafka.log import logger
from sac_kafka.transport.spool.codec import StoredRecord
from sac_kafka.transport.spool.directory import FOREIGN, REJECTED, WriterId, make_private
from sac_kafka.transport.spool.segment import Segment

_MAX_FILES = 4
"""Approximate number of files for rejected records: room is made by deleting a whole file."""


class DeadLetters:
    """Records that the server or its broker rejects, in `rejected/`; the first one creates a file.

    Args:
        max_bytes: Size above which the oldest file is deleted; a single record may be larger.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._files: list[Segment] = []
        self._active: Segment | None = None
        self._number = 0

    def has_room(self, size: int) -> bool:
        """Return whether a record of so many bytes fits, or would be the only one."""
        return not self._files or sum(file.bytes for file in self._files) + size <= self._max_bytes

    def append(self, directory: Path, writer: WriterId, stored: StoredRecord) -> None:
        """Append a record.

        Raises:
            OSError: The file cannot be written.
        """
        active = self._active
        if active is None or active.bytes >= self._max_bytes // _MAX_FILES:
            active = self._begin_file(directory, writer)
        try:
            active.append(stored)
        except OSError:
            self.close()
            raise

    def drop_oldest(self) -> Segment | None:
        """Remove the oldest file. Return its segment, None without files."""
        if not self._files:
            return None
        oldest = self._files.pop(0)
        if oldest is self._active:
            self._active = None
        oldest.remove()
        return oldest

    def close(self) -> None:
        """Close the file; the next append creates another."""
        if self._active is not None:
            self._active.close()
            self._active = None

    def _begin_file(self, directory: Path, writer: WriterId) -> Segment:
        self.close()
        folder = directory / REJECTED
        make_private(folder, is_default=False)
        self._number += 1
        segment = Segment(folder / writer.file_name(self._number), writer, is_own=True)
        segment.create()
        self._files.append(segment)
        self._active = segment
        return segment


def quarantine(path: Path, why: object) -> None:
    """Move a file that has the name of a spool file, but another format, to `foreign/`, so that it is read only once."""
    folder = path.parent / FOREIGN
    try:
        make_private(folder, is_default=False)
        path.rename(folder / path.name)
    except OSError as error:
        logger.info("%s is no spool file (%s) and cannot be moved: %s", path, why, error.strerror or error)
        return
    logger.info("%s is no spool file (%s): moved to %s", path.name, why, folder)


def archive(path: Path, folder: Path, max_files: int) -> bool:
    """Move a delivered file to the archive, and delete the oldest files there beyond `max_files`."""
    try:
        make_private(folder, is_default=False)
        path.replace(folder / path.name)
        archived = sorted((each.stat().st_mtime_ns, each.name) for each in folder.glob("*.avro"))
        for _, name in archived[: max(0, len(archived) - max_files)]:
            os.unlink(folder / name)  # noqa: PTH108 (as terse as Path's)
    except OSError as error:
        logger.info("%s cannot be archived: %s", path, error.strerror or error)
        return False
    return True
