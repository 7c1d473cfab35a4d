"""What was sent, kept from run to run: a file in the spool directory that `atlas.memory.Remembered` starts with.

One file for each place that messages go to. It holds names and digests, no values and no secrets, and only its owner
may read it. Everything that goes wrong with it costs nothing but that more is sent.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Protocol

from sac_kafka.atlas.groups import GroupToken
from sac_kafka.atlas.limits import digest
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.saved_memory import Saved, lines, merged, read_saved
from sac_kafka.guard import Guard
from sac_kafka.lineage.catalog.places import TablePlaces, parse_rows
from sac_kafka.log import logger
from sac_kafka.transport import private_files
from sac_kafka.transport.base import DeliveryCallback, Failure, Position
from sac_kafka.transport.spool.directory import check_owner, found_directory, writable_directory
from sac_kafka.transport.spool.locks import try_lock

MAX_BYTES = 8 * 1024 * 1024
"""Longest file; of more the groups that were sent longest ago are left out."""
_SAVE_SECONDS = 10.0
"""So often at most what was dropped is saved while the driver runs: it may be killed."""
_LOCK_SECONDS = 1.0


class SentFile:
    """The memory of one place, `sink` in words that name it.

    Args:
        directory: `atlas.hook.spool.dir`; None for the default one.
        sink: What tells places apart: transport, topic, namespace, form of messages.
        max_age_ms: After this time what was sent counts as forgotten by the server.
        clock: Epoch seconds.
    """

    def __init__(
        self,
        directory: str | Path | None,
        sink: str,
        *,
        max_age_ms: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._named = directory or None
        self._name = f"sent-{digest(sink, 16)}.json"
        self._max_age_ms = max_age_ms
        self._clock = clock
        self._loaded = Saved()
        self._ends: dict[str, int] = {}  # of what this run has delivered
        self._is_decided = False
        self._is_anew = False  # the server is not the one that the file speaks of
        self._saved_epoch = 0
        self._saved_at = time.monotonic()
        self.remembered = Remembered(max_age_ms=max_age_ms)
        self.places = TablePlaces()

    @property
    def path(self) -> Path:
        """Where the file is, or would be."""
        return found_directory(self._named) / self._name

    def load(self) -> Remembered:
        """Read the file; whatever is wrong with it, there is a memory to start with."""
        self._loaded = self._read()
        self.remembered = Remembered(max_age_ms=self._max_age_ms, earlier=self._loaded.groups)
        self.places = TablePlaces(parse_rows(self._loaded.places))
        return self.remembered

    def delivered(self, position: Position | None) -> None:
        """A message was delivered there: the earlier run counts if the log is the one that it wrote to."""
        if position is None:
            return
        if not self._is_decided:
            self._is_decided = True
            self._decide(position)
        self._ends[position.log] = position.end
        is_time = time.monotonic() - self._saved_at >= _SAVE_SECONDS
        if self.remembered.epoch != self._saved_epoch and is_time:
            self.save()

    def save(self) -> None:
        """Write the file, with what others have put there meanwhile; on trouble it stays as it was."""
        has_dropped = bool(self.remembered.dropped and self._loaded.groups)
        if not self._ends and not has_dropped:
            return
        self._saved_epoch, self._saved_at = self.remembered.epoch, time.monotonic()
        try:
            path = writable_directory(self._named) / self._name
            with _alone(path):
                text = "".join(lines(self._merged(), MAX_BYTES, self._now_ms))
                private_files.replace(path, text.encode("ascii"))
            self._is_anew = False
        except OSError as e:
            logger.info("%s cannot be written, the next run will send more: %s", self.path, e.strerror or e)

    @property
    def _now_ms(self) -> int:
        return int(self._clock() * 1000)

    def _decide(self, position: Position) -> None:
        saved = self._loaded.ends.get(position.log)
        if saved is not None and position.start >= saved:
            self.remembered.trust_earlier()
            self._tell_of_earlier()
        else:  # another partition of a topic that it knows says nothing
            topics = {log.rpartition("/")[0] for log in self._loaded.ends}
            self._is_anew = saved is not None or position.log.rpartition("/")[0] not in topics

    def _tell_of_earlier(self) -> None:
        """Who looks at this run's messages only would miss what an earlier one has sent."""
        last = max((sent.since_ms for sent in self._loaded.groups.values()), default=None)
        if last is not None:
            when = datetime.fromtimestamp(last / 1000, tz=timezone.utc).astimezone().isoformat(" ", "minutes")
            logger.good("columns were sent by an earlier run (the last at %s); they are not repeated for a while", when)

    def _merged(self) -> Saved:
        theirs = self._read()
        if self._is_anew and theirs.ends == self._loaded.ends:
            theirs = Saved()  # what was sent to another server; nobody has begun the file anew meanwhile
        saved = merged(theirs, self.remembered, self._ends, now_ms=self._now_ms, max_age_ms=self._max_age_ms)
        places = self.places.merged_with(parse_rows(theirs.places))
        return replace(saved, places=tuple((location, *row) for location, row in places.items()))

    def _read(self) -> Saved:
        path = self.path
        try:
            check_owner(path.parent, self._named)
            data = private_files.read(path, MAX_BYTES)
        except FileNotFoundError:
            return Saved()
        except OSError as e:
            logger.info("%s is not read, more is sent than needed: %s", path, e.strerror or e)
            return Saved()
        try:
            saved = read_saved(data.decode("ascii"))
            parse_rows(saved.places)
            return saved
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
            logger.info("%s is no memory of ours, more is sent than needed: %s", path, e)
            return Saved()


class Deliveries:
    """What has become of messages, for the memory of this run and the file of the next one.

    Args:
        remembered: The memory of this run.
        sent_file: None where nothing is kept for the next one.
        guard: An error costs nothing but that more is sent.
    """

    def __init__(self, remembered: Remembered, sent_file: SentFile | None, guard: Guard) -> None:
        self._remembered = remembered
        self._sent_file = sent_file
        self._guard = guard
        self._has_news = False

    def outcome(self, tokens: tuple[GroupToken, ...]) -> DeliveryCallback:
        """What to tell the outcome of a message that is about to be sent."""
        epoch = self._remembered.epoch

        def outcome(failure: Failure | None) -> None:
            self._has_news |= failure is None
            with self._guard("remember"):
                if failure is None:
                    self._remembered.confirm(tokens, int(time.time() * 1000), epoch)
                else:
                    self._remembered.forget(tokens)

        return outcome

    def note(self, at: Placed) -> None:
        """Where messages were delivered since the last time, look where the last one was put."""
        if self._has_news and self._sent_file is not None:
            self._has_news = False
            with self._guard("remember"):
                self._sent_file.delivered(at.position())

    def save(self) -> None:
        """Write the file of the next run."""
        if self._sent_file is not None:
            with self._guard("remember"):
                self._sent_file.save()


class Placed(Protocol):
    """What knows where messages are put, as a transport does."""

    def position(self) -> Position | None:
        """Give where the last delivered one was put."""


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let no other driver write the file meanwhile, as far as that can be had within a second."""
    lock, deadline = None, time.monotonic() + _LOCK_SECONDS
    with contextlib.suppress(OSError):  # the file system knows no locks
        while (lock := try_lock(path.with_name(f"{path.name}.lock"))) is None and time.monotonic() < deadline:
            time.sleep(0.01)
    try:
        yield
    finally:
        if lock is not None:
            lock.release(remove=True)
