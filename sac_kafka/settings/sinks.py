"""Settings: whether the hook attaches, and where messages go."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.values import BOOLEAN, PATH, TOPIC, one_of


class ClientType(Enum):
    """The sinks. Each has a file of that name in `sac_kafka/transport/sinks/`."""

    KAFKA = "kafka"
    REST = "rest"
    PURVIEW = "purview"
    FILE = "file"
    CONSOLE = "console"
    MEMORY = "memory"


@dataclass(frozen=True, kw_only=True, repr=False)
class Sinks(Subject):
    """Whether the hook attaches, and where messages go."""

    enabled: bool = setting(
        "atlas.spark.enabled",
        kind=BOOLEAN,
        default=True,
        doc="false switches the hook off: it does not attach. `spark.atlas.spark.enabled=true` in Spark's configuration attaches "
        "it to jobs that do not call `attach`.",
    )
    client_type: ClientType = setting(
        "atlas.client.type",
        kind=one_of(ClientType),
        default=ClientType.KAFKA,
        doc="Where messages go: Kafka, Atlas' notification endpoint over HTTP (Atlas 2.4 or newer), the Data Map of Microsoft "
        "Purview over HTTPS, a file (one message a line), standard output (drawn for people, nothing is delivered), or a list "
        "in memory (for tests).",
    )
    file_path: str | None = setting(
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
