"""Settings: the spool, which stores messages that could not be delivered and retries them."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.choices import Durability
from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import PATH, integer, seconds

_MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True, repr=False)
class SpoolFiles(Subject):
    """Storage, limits and retries of messages that could not be delivered."""

    durability: Durability = setting(
        "atlas.hook.spark.durability",
        default=Durability.ON_FAILURE,
        doc="on-failure: only undelivered messages are written to `atlas.hook.spool.dir`; spool-first: every "
        "message, before it is sent, so that none is lost if the driver is killed.",
    )
    enabled: bool = setting(
        "atlas.hook.spool.enabled",
        default=True,
        doc="false: messages that cannot be delivered are dropped and counted.",
    )
    dir: str | None = setting(
        "atlas.hook.spool.dir",
        kind=PATH,
        documented="`<system temp>/sac-kafka-<user>`",
        doc="The directory of undelivered messages. If it is not writable, `<directory>-<user>` is used.",
    )
    max_bytes: int = setting(
        "atlas.hook.spark.spool.max.bytes",
        kind=integer(64 * 1024, 1024 * 1024 * _MIB, "bytes"),
        default=256 * _MIB,
        doc="Maximum total size of the files in the spool directory. Beyond it, the oldest messages are dropped and counted.",
    )
    catalog_max_age_seconds: float = setting(
        "atlas.hook.spark.spool.catalog.max.age.seconds",
        kind=seconds(0, 100_000_000),
        default=3600.0,
        doc="Older spooled messages about DDL are not sent. Lineage messages never expire.",
    )
    sync: bool = setting(
        "atlas.hook.spark.spool.sync",
        default=False,
        doc="true: calls fsync after each message, so that it also survives a power failure (about 0.4 ms each).",
    )
    retry_ms: int = setting(
        "atlas.hook.spool.destination.retry.ms",
        kind=integer(100, 3_600_000, "milliseconds"),
        default=30_000,
        doc="Maximum backoff between attempts to deliver spooled messages, from one second. After failures that "
        "need action by a person (password, certificate) it is 30 seconds to 10 minutes.",
    )
    batch_records: int = setting(
        "atlas.hook.spool.destination.message.batchsize",
        kind=integer(1, 10_000, "messages"),
        default=100,
        doc="Maximum number of spooled messages in flight at once.",
    )
    rollover_seconds: float = setting(
        "atlas.hook.spool.file.rollover.sec",
        kind=seconds(1, 1_000_000),
        default=60.0,
        doc="A new spool file is started after this time or after 8 MiB.",
    )
    archive_dir: str | None = setting(
        "atlas.hook.spool.archive.dir",
        kind=PATH,
        documented="none, or `<directory>/archive` if only `atlas.hook.spool.archive.max.files` is set",
        doc="Delivered spool files are moved here instead of being deleted.",
    )
    archive_max_files: int | None = setting(
        "atlas.hook.spool.archive.max.files",
        kind=integer(0, 1_000_000, "files"),
        documented="`100`",
        doc="Maximum number of files in the archive; beyond it, the oldest are deleted.",
    )
