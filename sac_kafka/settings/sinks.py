"""Settings: whether the hook attaches, and the sink of its messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import PATH, TOPIC, Kind

_MAX_ALSO = 8
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
FIRST = "first"
"""Name of the first destination in metrics."""


def _names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(each.strip() for each in text.split(",")))
    if len(names) > _MAX_ALSO or not all(map(_NAME.fullmatch, names)):
        raise ValueError(f"must be at most {_MAX_ALSO} names of lower-case letters, digits and -, separated by commas")
    if FIRST in names:
        raise ValueError(f"must not contain {FIRST}, the name of the first destination in metrics")
    return names


class ClientType(Enum):
    """Types of sinks. Each is a module of that name in `sac_kafka/transport/sinks/`."""

    KAFKA = "kafka"
    REST = "rest"
    PURVIEW = "purview"
    OPENLINEAGE = "openlineage"
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
        doc="The sink. kafka; rest: Atlas over HTTP (2.4 or newer); purview: Purview's Data Map over HTTPS; "
        "openlineage: [events](openlineage.md) over HTTP; file: one message per line; console: a drawing on standard output; "
        "memory: a list, for tests.",
    )
    file_path: str | None = setting(
        "atlas.client.file.path",
        kind=PATH,
        doc="The file that `atlas.client.type=file` appends to. Required for that type.",
    )
    also: tuple[str, ...] = setting(
        "atlas.also",
        kind=Kind("names, separated by commas", _names, is_list=True),
        default=(),
        doc="Further destinations of the same lineage, each with its own counts, retries and spool. `also.NAME.` before the "
        "part of a key after `atlas.` sets it for that destination (sinks, servers, spool, Purview, namespace, form of messages; "
        "others are shared), as in `also.archive.client.type`; without a type the name is the type.",
    )
    topic: str = setting(
        "atlas.notification.hook.topic.name",
        kind=TOPIC,
        default="ATLAS_HOOK",
        doc="The topic that Atlas' hook consumer reads. For Purview and Event Hubs: the name of the event hub.",
    )
