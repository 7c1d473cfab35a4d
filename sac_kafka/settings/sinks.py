"""Settings: whether the hook attaches, and where messages go."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.declaring import setting
from sac_kafka.config.values import BOOLEAN, PATH, TOPIC, choice


@dataclass(frozen=True, kw_only=True)
class Sinks:
    """Whether the hook attaches, and where messages go."""

    enabled: bool = setting(
        "atlas.spark.enabled", kind=BOOLEAN, default=True, doc="false switches the hook off: it does not attach."
    )
    client_type: str = setting(
        "atlas.client.type",
        kind=choice("kafka", "rest", "file", "console", "memory"),
        default="kafka",
        doc="Where messages go: Kafka, Atlas' notification endpoint over HTTP (Atlas 2.4 or newer), a file (one message "
        "a line), standard output (drawn for people, nothing is delivered), or a list in memory (for tests).",
    )
    client_file_path: str | None = setting(
        "atlas.client.file.path",
        kind=PATH,
        default=None,
        doc="The file that `atlas.client.type=file` appends to. Required for that type.",
    )
    topic: str = setting(
        "atlas.notification.hook.topic.name",
        kind=TOPIC,
        default="ATLAS_HOOK",
        doc="The topic that Atlas' hook consumer reads. For Purview and Event Hubs: the name of your event hub.",
    )
