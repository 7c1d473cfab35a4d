"""What the spool needs to know of the settings."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sac_kafka.config.choices import Durability
from sac_kafka.settings import Settings
from sac_kafka.settings.spool import SpoolFiles
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.spool.directory import ARCHIVE, default_directory

_MIB = 1024 * 1024
_ARCHIVED = 100
_DIGITS = 8
NOWHERE = "0" * _DIGITS
WINDOW_BYTES = 8 * _MIB
"""The most that is under way, but for one record: a transport's queue is bounded, and all of it is in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How messages are kept: `files` is what the user has set, the rest is for single ways of running.

    `destination` tells places apart that messages go to: files for another one are left alone, unless it is None.
    `window_bytes` is what may be under way. `with_rejected` also takes what was set aside; `without_locks` takes files
    whose writer may live, `of_anyone` those of other users. `topic` is where everything that was kept goes, whatever it
    was meant for; None is where each was meant for.
    """

    files: SpoolFiles = field(default_factory=SpoolFiles)
    destination: str | None = NOWHERE
    window_bytes: int = WINDOW_BYTES
    with_rejected: bool = False
    without_locks: bool = False
    of_anyone: bool = False
    topic: str | None = None

    @property
    def is_first(self) -> bool:
        """Whether every message is written before it is sent."""
        return self.files.durability is Durability.SPOOL_FIRST

    @property
    def archive_directory(self) -> Path | None:
        """Where files go whose messages are all delivered; None: they are removed."""
        if self.files.archive_dir is None and self.files.archive_max_files is not None:
            return Path(self.files.dir or default_directory()) / ARCHIVE
        return Path(self.files.archive_dir) if self.files.archive_dir is not None else None

    @property
    def archive_max_files(self) -> int:
        """How many files stay there."""
        return _ARCHIVED if self.files.archive_max_files is None else self.files.archive_max_files

    @property
    def segment_bytes(self) -> int:
        """After how much a new file is begun: what is too much is dropped by the file."""
        return max(16 * 1024, min(8 * _MIB, self.files.max_bytes // 8))

    @property
    def rejected_bytes(self) -> int:
        """The most that is kept of own messages that are refused: those that wait need the room."""
        return self.files.max_bytes if self.with_rejected else self.files.max_bytes // 8  # what was refused again stays


def options_of(settings: Settings) -> Options:
    """Read them from the settings."""
    return Options(
        files=settings.spool,
        destination=destination_of(settings),
        window_bytes=_window_bytes(settings.kafka.properties),
    )


def destination_of(settings: Settings) -> str:
    """Give a short digest of where messages go: kind, address and topic, not how one logs in there."""
    address = sink_of(settings).address
    return destination(
        settings.sink.client_type.value, address(settings) if address is not None else "", settings.sink.topic
    )


def destination(*parts: str) -> str:
    """Give a short digest of the parts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS]


def _window_bytes(kafka: Mapping[str, str]) -> int:
    """Well below what the transport's queue holds: one that is full gives everything back."""
    text = kafka.get("buffer.memory", "").strip()
    return max(1, min(WINDOW_BYTES, int(text) // 2)) if text.isascii() and text.isdigit() else WINDOW_BYTES
