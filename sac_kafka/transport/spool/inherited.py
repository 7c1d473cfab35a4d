"""What dead writers have left, in their order: so many of them at a time that this process keeps few files open."""

from __future__ import annotations

from pathlib import Path

from sac_kafka.log import logger
from sac_kafka.transport.spool.adoption import Adopted, Left, adopt, adopt_writer
from sac_kafka.transport.spool.locks import NoLocksError
from sac_kafka.transport.spool.names import Writer
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.segment import Segment

MAX_WRITERS = 32
"""Of how many writers the files are taken over at once: each costs a descriptor."""


class Inherited:
    """The files of dead writers: those that it is the turn of are taken over, the others wait until these are done.

    Args:
        options: How messages are kept.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._directory = Path()
        self._adopted: list[Adopted] = []
        self.later: list[Left] = []
        """Whose turn comes later."""

    def begin(self, directory: Path) -> list[Segment]:
        """Take over the first ones in the directory."""
        self._directory = directory
        self._adopted, self.later = adopt(directory, self._options, MAX_WRITERS)
        return self._segments()

    def more(self) -> list[Segment]:
        """Take over the next ones once all before them are done; gives their files, none if nothing is left."""
        if self._adopted:
            return []
        try:
            while self.later and len(self._adopted) < MAX_WRITERS:
                left = self.later.pop(0)
                # Another driver may have taken them over meanwhile.
                found = adopt_writer(self._directory, left.writer, left.paths, self._options)
                if found is not None:
                    self._adopted.append(found)
        except NoLocksError as error:
            logger.info("%s: files are left alone: %s", self._directory, error.strerror)
            self.later.clear()
        return self._segments()

    @property
    def is_in_turn(self) -> bool:
        """True if files are taken over and not done yet."""
        return bool(self._adopted)

    @property
    def later_writers(self) -> set[Writer]:
        """The writers whose turn comes later."""
        return {each.writer for each in self.later}

    def release(self, segment: Segment) -> None:
        """A file is gone; after its writer's last one others may have what belongs to it."""
        for each in tuple(self._adopted):
            if segment in each.segments:
                each.segments.remove(segment)
                if not each.segments:
                    each.release()
                    self._adopted.remove(each)

    def close(self) -> None:
        """Let others have what is left."""
        for each in self._adopted:
            each.release()
        self._adopted.clear()

    def _segments(self) -> list[Segment]:
        return [segment for each in self._adopted for segment in each.segments]
