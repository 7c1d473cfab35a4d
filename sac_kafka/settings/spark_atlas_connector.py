"""Settings of the Spark Atlas Connector and of Cloudera's fork that mean nothing to the hook, and what to use instead.

All other keys of both have the effect that they had there. Source: `AtlasClientConf` and the README of the connector, Ambari's
service advisor of Spark, `AtlasHook` of Apache Atlas 2.0, and Cloudera's pages about Spark in Atlas and lineage in Navigator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PACKAGES = ("com.hortonworks.spark.atlas.", "com.cloudera.spark.lineage.")
"""Packages of the connector's classes, and of those with which Cloudera's Spark wrote lineage for Navigator."""

JAR = "spark-atlas-connector"
"""Part of the names of its jars and of their Maven coordinates."""

_EXTENSIONS = "spark.sql.extensions"
LISTENERS: Mapping[str, str] = {
    "spark.extraListeners": "no SparkContext starts (Exception when registering SparkListener)",
    "spark.sql.queryExecutionListeners": "the first query fails (Error while instantiating … SessionStateBuilder)",
    "spark.sql.streaming.streamingQueryListeners": "the first streaming query fails (Exception when registering "
    "StreamingQueryListener)",
    _EXTENSIONS: "each session logs a warning",
}
"""Keys of Spark that name the connector's classes, and what happens if these are not on the class path."""

REPLACED: Mapping[str, str] = {
    "atlas.blockQueue.size": "use atlas.hook.spark.capture.queue.events",
    "atlas.blockQueue.putTimeout.ms": "remove it, the queue never blocks the job",
    "atlas.client.checkModelInStart": "remove it, and run sac-kafka types diff",
    "atlas.client.numRetries": "remove it, undelivered messages are kept in the spool (atlas.hook.spool.dir)",
}
"""Keys of the connector alone, and the fix."""

SHARED: Mapping[str, str] = {
    "atlas.hook.entity.ignore.pattern": "use atlas.hook.spark.exclude",
    "atlas.notification.failed.messages.filename": "use atlas.hook.spool.dir",
    "atlas.notification.hook.asynchronous": "messages are always sent in the background, in their order",
    "atlas.notification.hook.numthreads": "messages are always sent in the background, in their order",
    "atlas.notification.hook.maxretries": "undelivered messages are kept in the spool (atlas.hook.spool.dir)",
    "atlas.notification.hook.retry": "use atlas.hook.spool.destination.retry.ms",
    "atlas.notification.log.failed.messages": "use atlas.hook.spool.enabled",
}
"""The same of keys, or their beginnings, that the connector had in common with Atlas' other hooks, which may need them."""

_OFF = "spark.atlas.spark.enabled"
_LINEAGE = "spark.lineage.enabled"
SPARK_KEYS: Mapping[str, str] = {
    _LINEAGE: f"use {_OFF}",
    "spark.lineage.log.dir": "use spark.atlas.client.type=file and spark.atlas.client.file.path",
    "spark.lineage.kafka.fault-tolerant.timeout.ms": "remove it, no token is fetched while a job is submitted",
}
"""Keys of Cloudera's Spark, and the fix."""


@dataclass(frozen=True, slots=True)
class OldListener:
    """Classes of the connector in a key of Spark."""

    key: str
    classes: str

    def __str__(self) -> str:
        """Return the setting without the classes of others."""
        return f"{self.key} = {self.classes}"


def old_listeners(conf: Mapping[str, str]) -> tuple[OldListener, ...]:
    """Return the connector's classes that Spark's configuration names.

    >>> str(*old_listeners({"spark.extraListeners": "a.B, com.hortonworks.spark.atlas.SparkAtlasEventTracker"}))
    'spark.extraListeners = com.hortonworks.spark.atlas.SparkAtlasEventTracker'
    """
    found = {key: [each.strip() for each in conf.get(key, "").split(",")] for key in LISTENERS}
    ours = {key: ",".join(name for name in names if name.startswith(PACKAGES)) for key, names in found.items()}
    return tuple(OldListener(key, classes) for key, classes in ours.items() if classes)


def doubts_in_driver(conf: Mapping[str, str]) -> tuple[str, ...]:
    """Return the warnings about a running driver: the connector reports from it as well, or Cloudera's keys are set."""
    running = [listener for listener in old_listeners(conf) if listener.key != _EXTENSIONS]
    if not running:
        return tuple(old_spark_keys(conf))
    return (
        f"the Spark Atlas Connector runs in this driver as well ({'; '.join(map(str, running))}), so the catalog gets each flow "
        "from both; remove its classes from these keys (docs/from-sac.md)",
    )


def old_spark_keys(conf: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each key of Cloudera's Spark.

    That lineage is off (`spark.lineage.enabled = false`) means the connector where the hook has its own switch.
    """
    for key, fix in SPARK_KEYS.items():
        value = conf.get(key, "").strip()
        if value and not (key == _LINEAGE and value.lower() == "false" and _OFF in conf):
            yield f"{key} = {value} has no effect on sac_kafka: {fix}"


def shared_key_fix(key: str) -> str | None:
    """Return what to do with a key of `SHARED`; None for other keys.

    >>> shared_key_fix("atlas.notification.hook.retry.interval")
    'use atlas.hook.spool.destination.retry.ms'
    """
    return next((fix for each, fix in SHARED.items() if key == each or key.startswith(f"{each}.")), None)
