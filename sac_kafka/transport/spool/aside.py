"""Files that are not replayed by themselves: what the server refuses, what is not ours, what is delivered and archived."""

from __future__ import annotations

import os
from pathlib import Path

from sac_kafka.log import logger
from sac_kafka.transport.spool.codec import Kept
from sac_kafka.transport.spool.directory import FOREIGN, REJECTED, make_private
from sac_kafka.transport.spool.names import Writer
from sac_kafka.transport.spool.segment import Segment

_FILES = 4
"""How many files what is refused makes at most, or a few more: room is made by the file."""


class Rejected:
    """Messages that the server, or its broker, will never take, in `rejected/`; its files are made by the first one.

    Args:
        most_bytes: Of more the oldest file goes; a single message may be longer.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._files: list[Segment] = []
        self._active: Segment | None = None
        self._number = 0

    def has_room(self, size: int) -> bool:
        """Say whether a message of so many bytes fits, or is the only one."""
        return not self._files or sum(each.bytes for each in self._files) + size <= self._most_bytes

    def append(self, directory: Path, writer: Writer, kept: Kept) -> None:
        """Append a message.

        Raises:
            OSError: The file cannot be written.
        """
        active = self._active
        if active is None or active.bytes >= self._most_bytes // _FILES:
            active = self._begin_file(directory, writer)
        try:
            active.append(kept)
        except OSError:
            self.close()
            raise

    def drop_oldest(self) -> Segment | None:
        """Remove the oldest file; gives what it was, None if there is none."""
        if not self._files:
            return None
        oldest = self._files.pop(0)
        if oldest is self._active:
            self._active = None
        oldest.remove()
        return oldest

    def close(self) -> None:
        """Close the file; the next append makes another."""
        if self._active is not None:
            self._active.close()
            self._active = None

    def _begin_file(self, directory: Path, writer: Writer) -> Segment:
        self.close()
        folder = directory / REJECTED
        make_private(folder, is_default=False)
        self._number += 1
        segment = Segment(folder / writer.file_name(self._number), writer, is_own=True)
        segment.create()
        self._files.append(segment)
        self._active = segment
        return segment


def set_foreign_aside(path: Path, why: object) -> None:
    """Move a file that has a name of ours, but is none, to `foreign/`, so that it is looked at once."""
    folder = path.parent / FOREIGN
    try:
        make_private(folder, is_default=False)
        path.rename(folder / path.name)
    except OSError as error:
        logger.info("%s is no spool file (%s) and cannot be moved: %s", path, why, error.strerror or error)
        return
    logger.info("%s is no spool file (%s): moved to %s", path.name, why, folder)


def archive(path: Path, folder: Path, most_files: int) -> bool:
    """Move a file whose messages are delivered to the archive, and remove the oldest there beyond `most_files`."""
    try:
        make_private(folder, is_default=False)
        path.replace(folder / path.name)
        kept = sorted((each.stat().st_mtime_ns, each.name) for each in folder.glob("*.avro"))
        for _, name in kept[: max(0, len(kept) - most_files)]:
            os.unlink(folder / name)  # noqa: PTH108 (as terse as Path's)
    except OSError as error:
        logger.info("%s cannot be archived: %s", path, error.strerror or error)
        return False
    return True
