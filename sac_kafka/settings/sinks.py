"""Settings: whether the hook attaches, and the sink of its messages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import PATH, TOPIC


class ClientType(Enum):
    """Types of sinks. Each is a module of that name in `sac_kafka/transport/sinks/`."""

    KAFKA = "kafka"
    REST = "rest"
    PURVIEW = "purview"
    FILE = "file"
    CONSOLE = "console"
    MEMORY = "memory"


@dataclass(frozen=True, kw_only=True, repr=False)
class Sinks(Subject):
    """Switch of the hook, and the sink of its messages."""

    enabled: bool = setting(
        "atlas.spark.enabled",
        default=True,
        doc="false: never attaches. Unset: attaches where `attach` is called. true in Spark's configuration: without a call, "
        "too.",
    )
    client_type: ClientType = setting(
        "atlas.client.type",
        default=ClientType.KAFKA,
        doc="The sink. kafka; rest: Atlas over HTTP (2.4 or newer); purview: Purview's Data Map over HTTPS; file: "
        "one message per line; console: a drawing on standard output; memory: a list, for tests.",
    )
    file_path: str | None = setting(
        "atlas.client.file.path",
        kind=PATH,
        doc="The file that `atlas.client.type=file` appends to. Required for that type.",
    )
    topic: str = setting(
        "atlas.notification.hook.topic.name",
        kind=TOPIC,
        default="ATLAS_HOOK",
        doc="The topic that Atlas' hook consumer reads. For Purview and Event Hubs: the name of the event hub.",
    )
