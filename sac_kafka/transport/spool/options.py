"""Derive the options of the spool from the settings."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sac_kafka.masking import mask_value
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import Durability
from sac_kafka.settings.spool import SpoolFiles
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.spool.directory import ARCHIVE, found_directory

_MIB = 1024 * 1024
_ARCHIVED = 100
_DIGITS = 8
REPLAY = "sac-kafka spool replay --any-destination"
NO_DESTINATION = "0" * _DIGITS
WINDOW_BYTES = 8 * _MIB
"""Maximum bytes in flight, except for a single larger record: transports hold them in a bounded queue in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of a spool: `files` are the user's settings, the others are for commands.

    `destination` identifies the target of messages: files for another one are not replayed, unless it is None.
    `window_bytes` limits the bytes in flight. `with_rejected` replays rejected messages, too; `without_locks` replays files
    whose writer may be alive, `of_anyone` those of other users. `topic` replaces the topic of replayed messages, unless it
    is None. `replay` is the command that also sends the messages for other destinations.
    """

    files: SpoolFiles = field(default_factory=SpoolFiles)
    destination: str | None = NO_DESTINATION
    window_bytes: int = WINDOW_BYTES
    with_rejected: bool = False
    without_locks: bool = False
    of_anyone: bool = False
    topic: str | None = None
    replay: str = REPLAY

    @property
    def is_write_ahead(self) -> bool:
        """Whether every message is written to a file before it is sent."""
        return self.files.durability is Durability.SPOOL_FIRST

    @property
    def archive_directory(self) -> Path | None:
        """Directory for delivered files; None if they are deleted."""
        if self.files.archive_dir is None and self.files.archive_max_files is not None:
            return found_directory(self.files.dir) / ARCHIVE
        return Path(self.files.archive_dir) if self.files.archive_dir is not None else None

    @property
    def archive_max_files(self) -> int:
        """Maximum number of archived files."""
        return _ARCHIVED if self.files.archive_max_files is None else self.files.archive_max_files

    @property
    def segment_bytes(self) -> int:
        """Size at which a new file is begun; a full spool drops whole files."""
        return max(16 * 1024, min(8 * _MIB, self.files.max_bytes // 8))

    @property
    def rejected_bytes(self) -> int:
        """Maximum size of own rejected messages, to leave room for pending ones; all that are rejected again are kept."""
        return self.files.max_bytes if self.with_rejected else self.files.max_bytes // 8


def options_of(settings: Settings) -> Options:
    """Return the options for the settings."""
    return Options(
        files=settings.spool,
        destination=destination_of(settings),
        window_bytes=_window_bytes(settings.kafka.properties),
        replay=replay_command(settings),
    )


def replay_command(settings: Settings) -> str:
    """Return the command that sends all messages in the spool of the settings, also those for other destinations."""
    if settings.source.destination:
        return f"{REPLAY} --destination {settings.source.destination}"
    directory = shlex.quote(mask_value(str(found_directory(settings.spool.dir))))
    return f"{REPLAY} --dir {directory}" if settings.sink.also else REPLAY


def name_destinations(
    settings: Settings, find: Callable[[str | None], Path] = found_directory
) -> tuple[tuple[str, Settings], ...]:
    """Return the name and the settings of each destination, the first with the name "".

    Each has its own directory, because the limit of a spool is that of its directory; `find` finds the first one's.
    """
    destinations = [("", settings)]
    for name, own in settings.further():
        shares = own.spool.dir == settings.spool.dir
        files = replace(own.spool, dir=str(find(settings.spool.dir) / f"also-{name}")) if shares else own.spool
        destinations.append((name, replace(own, spool=files)))
    return tuple(destinations)


def destination_of(settings: Settings) -> str:
    """Return a short digest of the target of messages (sink, address and topic, without credentials)."""
    address = sink_of(settings).address
    return destination(
        settings.sink.client_type.value, address(settings) if address is not None else "", settings.sink.topic
    )


def destination(*parts: str) -> str:
    """Return a short digest of the parts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS]


def _window_bytes(kafka: Mapping[str, str]) -> int:
    """Return the window for Kafka settings: well below the size of the transport's queue, which fails records if full."""
    text = kafka.get("buffer.memory", "").strip()
    return max(1, min(WINDOW_BYTES, int(text) // 2)) if text.isascii() and text.isdigit() else WINDOW_BYTES
