"""Settings: what is kept of messages that could not be delivered, and when it is sent."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.choices import Durability
from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.values import BOOLEAN, PATH, integer, one_of, seconds

_MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True, repr=False)
class SpoolFiles(Subject):
    """What happens to messages that could not be delivered."""

    durability: Durability = setting(
        "atlas.hook.spark.durability",
        kind=one_of(Durability),
        default=Durability.ON_FAILURE,
        doc="on-failure: only messages that could not be delivered are written to `atlas.hook.spool.dir`; spool-first: every "
        "message is written there before it is sent, so that a killed driver loses none.",
    )
    enabled: bool = setting(
        "atlas.hook.spool.enabled",
        kind=BOOLEAN,
        default=True,
        doc="false: messages that cannot be delivered are dropped, and counted.",
    )
    dir: str | None = setting(
        "atlas.hook.spool.dir",
        kind=PATH,
        default=None,
        shown="`<system temp>/sac-kafka-<user>`",
        doc="Where undelivered messages are kept until they can be sent. If the directory cannot be written, "
        "`<directory>-<user>` is used instead.",
    )
    max_bytes: int = setting(
        "atlas.hook.spark.spool.max.bytes",
        kind=integer(64 * 1024, 1024 * 1024 * _MIB),
        default=256 * _MIB,
        unit="bytes",
        doc="The most disk space that all files of the directory may take; beyond it the oldest messages are dropped, and "
        "counted.",
    )
    catalog_max_age_seconds: float = setting(
        "atlas.hook.spark.spool.catalog.max.age.seconds",
        kind=seconds(0, 100_000_000),
        default=3600.0,
        unit="seconds",
        doc="Older spooled messages about DDL (tables created, altered, dropped) are not sent, since it may have been undone "
        "by now. Lineage messages never expire.",
    )
    sync: bool = setting(
        "atlas.hook.spark.spool.sync",
        kind=BOOLEAN,
        default=False,
        doc="true: each message is forced to the disk, so that it also survives a power failure (about 0.4 ms each). It "
        "survives the end of the process in any case.",
    )
    retry_ms: int = setting(
        "atlas.hook.spool.destination.retry.ms",
        kind=integer(100, 3_600_000),
        default=30_000,
        unit="milliseconds",
        doc="The longest wait between attempts to deliver spooled messages; the first wait is a second, and each is twice the "
        "one before. Where a person has to act (password, certificate), it is 30 seconds to 10 minutes instead.",
    )
    batch_records: int = setting(
        "atlas.hook.spool.destination.message.batchsize",
        kind=integer(1, 10_000),
        default=100,
        unit="messages",
        doc="How many spooled messages may be in flight at once.",
    )
    rollover_seconds: float = setting(
        "atlas.hook.spool.file.rollover.sec",
        kind=seconds(1, 1_000_000),
        default=60.0,
        unit="seconds",
        doc="A new spool file is begun after this time, or after 8 MiB.",
    )
    archive_dir: str | None = setting(
        "atlas.hook.spool.archive.dir",
        kind=PATH,
        default=None,
        shown="none, or `<directory>/archive` if only `atlas.hook.spool.archive.max.files` is set",
        doc="Spool files whose messages are all delivered are moved here instead of being deleted.",
    )
    archive_max_files: int | None = setting(
        "atlas.hook.spool.archive.max.files",
        kind=integer(0, 1_000_000),
        default=None,
        shown="`100`",
        unit="files",
        doc="When the archive holds more files, the oldest are removed.",
    )
