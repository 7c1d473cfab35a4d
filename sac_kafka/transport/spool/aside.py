"""Files that are not replayed by themselves: what the server refuses, what is not ours, what is delivered and archived."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from sac_kafka.transport.spool.codec import Kept
from sac_kafka.transport.spool.directory import FOREIGN, REJECTED, make_private
from sac_kafka.transport.spool.names import Writer
from sac_kafka.transport.spool.segment import Segment

logger = logging.getLogger("sac_kafka")


class RejectedFile:
    """Messages that the server, or its broker, will never take, in `rejected/`; made by the first one."""

    def __init__(self) -> None:
        self._segment: Segment | None = None
        self._number = 0

    def append(self, directory: Path, writer: Writer, kept: Kept) -> None:
        """Append a message.

        Raises:
            OSError: The file cannot be written.
        """
        if self._segment is None:
            folder = directory / REJECTED
            make_private(folder, is_default=False)
            self._number += 1
            segment = Segment(folder / writer.file_name(self._number), writer, is_own=True)
            segment.create()
            self._segment = segment
        try:
            self._segment.append(kept)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; the next append makes another."""
        if self._segment is not None:
            self._segment.close()
            self._segment = None


def set_foreign_aside(path: Path, why: object) -> None:
    """Move a file that has a name of ours, but is none, to `foreign/`, so that it is looked at once."""
    folder = path.parent / FOREIGN
    try:
        make_private(folder, is_default=False)
        path.rename(folder / path.name)
    except OSError as error:
        logger.info("sac_kafka: %s is no spool file (%s) and cannot be moved: %s", path, why, error.strerror or error)
        return
    logger.info("sac_kafka: %s is no spool file (%s): moved to %s", path.name, why, folder)


def archive(path: Path, folder: Path, most_files: int) -> bool:
    """Move a file whose messages are delivered to the archive, and remove the oldest there beyond `most_files`."""
    try:
        make_private(folder, is_default=False)
        path.replace(folder / path.name)
        kept = sorted((each.stat().st_mtime_ns, each.name) for each in folder.glob("*.avro"))
        for _, name in kept[: max(0, len(kept) - most_files)]:
            os.unlink(folder / name)  # noqa: PTH108 (as terse as Path's)
    except OSError as error:
        logger.info("sac_kafka: %s cannot be archived: %s", path, error.strerror or error)
        return False
    return True
