"""Settings: whether the hook attaches, and where messages go."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.declaring import setting
from sac_kafka.config.values import BOOLEAN, FIRST, TEXT, choice


@dataclass(frozen=True, kw_only=True)
class Sinks:
    """Whether the hook attaches, and where messages go."""

    enabled: bool = setting(
        "atlas.spark.enabled", kind=BOOLEAN, default=True, doc="false: the hook does not attach at all."
    )
    client_type: str = setting(
        "atlas.client.type",
        kind=choice("kafka", "rest", "file", "console", "memory"),
        default="kafka",
        doc="Where messages go: Kafka, Atlas' notification endpoint over HTTP (Atlas 2.4 or newer), a file (one message "
        "a line), standard output, or a list in memory (for tests).",
    )
    client_file_path: str | None = setting(
        "atlas.client.file.path",
        kind=TEXT,
        default=None,
        doc="The file that `atlas.client.type=file` appends to; required there.",
    )
    topic: str = setting(
        "atlas.notification.hook.topic.name",
        kind=FIRST,
        default="ATLAS_HOOK",
        doc="The Kafka topic of the server's hook consumer.",
    )
