"""Settings: what is kept of messages that could not be delivered, and when it is sent."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.declaring import setting
from sac_kafka.config.values import BOOLEAN, TEXT, choice, integer, seconds

_MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class SpoolFiles:
    """What is kept of messages that could not be delivered, and when it is sent."""

    durability: str = setting(
        "atlas.hook.spark.durability",
        kind=choice("on-failure", "spool-first"),
        default="on-failure",
        doc="When messages are written to `atlas.hook.spool.dir`: those that could not be delivered; or all before they "
        "are sent, so that a driver that is killed loses none that it had made.",
    )
    spool_enabled: bool = setting(
        "atlas.hook.spool.enabled",
        kind=BOOLEAN,
        default=True,
        doc="false: messages that cannot be delivered are dropped and counted.",
    )
    spool_dir: str | None = setting(
        "atlas.hook.spool.dir",
        kind=TEXT,
        default=None,
        shown="`<system temp>/sac-kafka-<user>`",
        doc="Where messages that could not be delivered are kept until they can. A directory that cannot be written is "
        "replaced by `<directory>-<user>`.",
    )
    spool_max_bytes: int = setting(
        "atlas.hook.spark.spool.max.bytes",
        kind=integer(64 * 1024, 1024 * 1024 * _MIB),
        default=256 * _MIB,
        unit="bytes",
        doc="The most that the files of the directory take together; beyond it the oldest messages are dropped and "
        "counted.",
    )
    spool_catalog_max_age_seconds: float = setting(
        "atlas.hook.spark.spool.catalog.max.age.seconds",
        kind=seconds(0, 100_000_000),
        default=3600.0,
        unit="seconds",
        doc="Kept messages about what became of tables (created, altered, dropped) that are older are not sent any "
        "more: what they say may have been undone since. Flows are.",
    )
    spool_sync: bool = setting(
        "atlas.hook.spark.spool.sync",
        kind=BOOLEAN,
        default=False,
        doc="true: each kept message is on the disk before the next one, so that it survives a power failure, too "
        "(some 0.4 ms each). What is kept survives the end of the process in any case.",
    )
    spool_retry_ms: int = setting(
        "atlas.hook.spool.destination.retry.ms",
        kind=integer(100, 3_600_000),
        default=30_000,
        unit="milliseconds",
        doc="The longest wait between attempts to deliver what is kept; the first is a second, each twice the one "
        "before. Where a person has to do something (password, certificate), 30 seconds to 10 minutes instead.",
    )
    spool_batch_records: int = setting(
        "atlas.hook.spool.destination.message.batchsize",
        kind=integer(1, 10_000),
        default=100,
        unit="messages",
        doc="How many kept messages are under way at once.",
    )
    spool_rollover_seconds: float = setting(
        "atlas.hook.spool.file.rollover.sec",
        kind=seconds(1, 1_000_000),
        default=60.0,
        unit="seconds",
        doc="After this time, or 8 MiB, kept messages go to a new file.",
    )
    spool_archive_dir: str | None = setting(
        "atlas.hook.spool.archive.dir",
        kind=TEXT,
        default=None,
        shown="none, or `<directory>/archive` if only the next one is set",
        doc="Files whose messages are delivered are moved there instead of being removed.",
    )
    spool_archive_max_files: int | None = setting(
        "atlas.hook.spool.archive.max.files",
        kind=integer(0, 1_000_000),
        default=None,
        shown="`100`",
        unit="files",
        doc="Of more files in the archive the oldest are removed.",
    )
    spool_pause_seconds: float = setting(
        "atlas.hook.spool.pause.before.send.sec",
        kind=seconds(0, 1_000_000),
        default=0.0,
        unit="seconds",
        doc="Accepted, and without effect: what is kept is always sent in the order in which it was made.",
    )
