"""Persist what was sent between runs, in a file in the spool directory that initializes `atlas.memory.Remembered`.

There is one file per destination, readable by its owner only. It has names and digests, no values and no secrets. If it cannot
be read or written, the only effect is that more is sent.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from sac_kafka.atlas.limits import digest
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.saved_memory import Saved, lines, merge, parse_memory
from sac_kafka.log import logger
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import Compat
from sac_kafka.stages.output import Position
from sac_kafka.stages.table_places import TablePlaces, parse_rows
from sac_kafka.transport import private_files
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.reader import is_purview
from sac_kafka.transport.spool.directory import check_owner, found_directory, writable_directory
from sac_kafka.transport.spool.locks import try_lock

MAX_BYTES = 8 * 1024 * 1024
"""Largest file in bytes; beyond it the groups that were sent longest ago are dropped."""
_SAVE_SECONDS = 10.0
"""Shortest interval of saves after a drop while the driver runs, which may be killed at any time."""
_LOCK_SECONDS = 1.0


class SentFile:
    """File of one destination.

    Args:
        directory: `atlas.hook.spool.dir`; None for the default directory.
        sink: The identity of the destination: transport, topic, namespace, form of messages.
        max_age_ms: The time in milliseconds after which groups are sent again.
        clock: Returns epoch seconds.
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
        self._ends: dict[str, int] = {}  # last delivered offsets of this run, by log
        self._is_decided = False
        self._is_other_server = False  # not the server that the file was written for
        self._saved_epoch = 0
        self._saved_at = time.monotonic()
        self.remembered = Remembered(max_age_ms=max_age_ms)
        self.places = TablePlaces()

    @property
    def path(self) -> Path:
        """Path of the file, which need not exist."""
        return found_directory(self._named) / self._name

    def load(self) -> Remembered:
        """Read the file and return the memory to start with; it is empty if the file cannot be read."""
        self._loaded = self._read()
        self.remembered = Remembered(max_age_ms=self._max_age_ms, earlier=self._loaded.groups, flows=self._loaded.flows)
        self.places = TablePlaces(parse_rows(self._loaded.places))
        return self.remembered

    def record_position(self, position: Position | None) -> None:
        """Record the position of a delivered message; the first one decides whether the file is for the same server."""
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
        """Write the file, merged with what other drivers have written meanwhile; on an error it stays unchanged."""
        has_dropped = bool(self.remembered.drop_times and self._loaded.groups)
        if not self._ends and not has_dropped and not self.places.has_changed:
            return
        self._saved_epoch, self._saved_at = self.remembered.epoch, time.monotonic()
        try:
            path = writable_directory(self._named) / self._name
            with _hold_lock(path):
                text = "".join(lines(self._merge(), MAX_BYTES, self._now_ms))
                private_files.replace(path, text.encode("ascii"))
            self._is_other_server = False
        except OSError as e:
            logger.info("cannot write %s, the next run will send more messages: %s", self.path, e.strerror or e)

    @property
    def _now_ms(self) -> int:
        return int(self._clock() * 1000)

    def _decide(self, position: Position) -> None:
        saved = self._loaded.ends.get(position.log)
        if saved is not None and position.start >= saved:
            self.remembered.trust_earlier()
            self._log_earlier()
        else:  # Another partition of a known topic decides nothing.
            topics = {log.rpartition("/")[0] for log in self._loaded.ends}
            self._is_other_server = saved is not None or position.log.rpartition("/")[0] not in topics

    def _log_earlier(self) -> None:
        """Log that columns are not repeated, for users who look for them in this run's messages."""
        last = max((sent.since_ms for sent in self._loaded.groups.values()), default=None)
        if last is not None:
            when = datetime.fromtimestamp(last / 1000, tz=timezone.utc).astimezone().isoformat(" ", "minutes")
            logger.info("columns were sent by an earlier run (the last at %s); they are not repeated for a while", when)

    def _merge(self) -> Saved:
        theirs = self._read()
        if self._is_other_server and theirs.ends == self._loaded.ends:
            theirs = Saved()  # It is for another server, and no other driver has replaced it meanwhile.
        saved = merge(theirs, self.remembered, self._ends, now_ms=self._now_ms, max_age_ms=self._max_age_ms)
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
            logger.info("cannot read %s, so unchanged metadata is sent again: %s", path, e.strerror or e)
            return Saved()
        try:
            saved = parse_memory(data.decode("ascii"))
            parse_rows(saved.places)
            return saved
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
            logger.info("%s is not a valid file of sent metadata, so unchanged metadata is sent again: %s", path, e)
            return Saved()


def load_sent_file(settings: Settings, place: str) -> SentFile | None:
    """Load the file with what earlier runs have sent to `place`; None if the sink is not a server or the file is disabled."""
    names, content = settings.names, settings.content
    if sink_of(settings).address is None or not content.sent_max_age_seconds or names.compat is Compat.SAC:
        return None
    chosen = (each.value if each is not None else "auto" for each in (content.message_form, content.table_model))
    purview = ("purview", settings.purview.process_types.value) if is_purview(settings) else ()
    sink = "|".join((place, settings.sink.topic, names.namespace, *chosen, *purview))
    sent_file = SentFile(settings.spool.dir, sink, max_age_ms=int(content.sent_max_age_seconds * 1000))
    sent_file.load()
    return sent_file


@contextlib.contextmanager
def _hold_lock(path: Path) -> Iterator[None]:
    """Hold the file's lock, if it can be acquired within a second; go on without it otherwise."""
    lock, deadline = None, time.monotonic() + _LOCK_SECONDS
    with contextlib.suppress(OSError):  # The file system does not support locks.
        while (lock := try_lock(path.with_name(f"{path.name}.lock"))) is None and time.monotonic() < deadline:
            time.sleep(0.01)
    try:
        yield
    finally:
        if lock is not None:
            lock.release(remove=True)
