"""What the spool needs to know of the settings."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.settings import Settings
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.spool.directory import ARCHIVE, default_directory

_MIB = 1024 * 1024
SPOOL_FIRST = "spool-first"
_DIGITS = 8
NOWHERE = "0" * _DIGITS
WINDOW_BYTES = 8 * _MIB
"""The most that is under way, but for one record: a transport's queue is bounded, and all of it is in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How messages are kept. Durations are seconds, sizes bytes; `directory` None is the default one.

    `destination` tells places apart that messages go to: files for another one are left alone, unless it is None.
    `is_first`: every message is written before it is sent. `is_synced`: and is on the disk, not only in the system's
    cache. `window_bytes` is what may be under way. `with_rejected` also takes what was set aside; `without_locks`
    takes files whose writer may live, `of_anyone` those of other users. `topic` is where everything that was kept goes,
    whatever it was meant for; None is where each was meant for.
    """

    is_enabled: bool = True
    directory: str | Path | None = None
    destination: str | None = NOWHERE
    is_first: bool = False
    is_synced: bool = False
    max_bytes: int = 256 * _MIB
    rollover_seconds: float = 60.0
    retry_seconds: float = 30.0
    batch_records: int = 100
    catalog_max_age_seconds: float = 3600.0
    archive_directory: Path | None = None
    archive_max_files: int = 100
    window_bytes: int = WINDOW_BYTES
    with_rejected: bool = False
    without_locks: bool = False
    of_anyone: bool = False
    topic: str | None = None

    @property
    def segment_bytes(self) -> int:
        """After how much a new file is begun: what is too much is dropped by the file."""
        return max(16 * 1024, min(8 * _MIB, self.max_bytes // 8))

    @property
    def rejected_bytes(self) -> int:
        """The most that is kept of own messages that are refused: those that wait need the room."""
        return self.max_bytes if self.with_rejected else self.max_bytes // 8  # what was refused again stays


def options_of(settings: Settings) -> Options:
    """Read them from the settings."""
    directory = Path(settings.spool_dir) if settings.spool_dir else None
    archive = Path(settings.spool_archive_dir) if settings.spool_archive_dir else None
    if archive is None and settings.spool_archive_max_files is not None:
        archive = (directory or default_directory()) / ARCHIVE
    return Options(
        is_enabled=settings.spool_enabled,
        directory=directory,
        destination=destination_of(settings),
        is_first=settings.durability == SPOOL_FIRST,
        is_synced=settings.spool_sync,
        max_bytes=settings.spool_max_bytes,
        rollover_seconds=settings.spool_rollover_seconds,
        retry_seconds=settings.spool_retry_ms / 1000,
        batch_records=settings.spool_batch_records,
        catalog_max_age_seconds=settings.spool_catalog_max_age_seconds,
        window_bytes=_window_bytes(settings),
        archive_directory=archive,
        archive_max_files=100 if settings.spool_archive_max_files is None else settings.spool_archive_max_files,
    )


def destination_of(settings: Settings) -> str:
    """Give a short digest of where messages go: kind, address and topic, not how one logs in there."""
    address = sink_of(settings).address
    return destination(settings.client_type, address(settings) if address is not None else "", settings.topic)


def destination(*parts: str) -> str:
    """Give a short digest of the parts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS]


def _window_bytes(settings: Settings) -> int:
    """Well below what the transport's queue holds: one that is full gives everything back."""
    text = settings.kafka.get("buffer.memory", "").strip()
    return max(1, min(WINDOW_BYTES, int(text) // 2)) if text.isascii() and text.isdigit() else WINDOW_BYTES
