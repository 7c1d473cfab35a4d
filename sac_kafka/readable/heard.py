"""A message as somebody who listens to the topic hears it: whose it is, of when, and what it says, whoever sent it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.wire.reader import Read
from sac_kafka.readable.lineage import says
from sac_kafka.readable.names import as_shown, plain
from sac_kafka.readable.objects import change_object, process_object
from sac_kafka.readable.told import ToldChange, ToldProcess

_HOOKS = {
    "impala_": "Impala",
    "sqoop_": "Sqoop",
    "storm_": "Storm",
    "falcon_": "Falcon",
    "hive_": "Hive",
    "hbase_": "HBase",
    "kafka_": "Kafka",
}
"""Hooks that Atlas has, by how their types begin; the first ones write of tables and topics of the last ones, too."""
_OURS = ("spark_",)


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """A whole message.

    `type` is the notification's (ENTITY_CREATE_V2 …), `created_ms` epoch milliseconds as its sender says, None where it
    does not. `job` is "" where nobody says, `full_job` has its namespace; `hook` whose types it has, "" for ours and where
    nobody can tell. `types` counts its entities, or those that it deletes.
    """

    type: str
    user: str
    created_ms: int | None
    job: str
    hook: str
    types: Mapping[str, int]
    says: tuple[ToldProcess | ToldChange, ...]
    full_job: str = ""

    @property
    def entities(self) -> int:
        """How many entities it is about."""
        return sum(self.types.values())


def heard_of(found: Read) -> HeardMessage:
    """Give what a message says that was read already.

    Raises:
        MessageError: It lacks what a lineage has.
    """
    told = says(found.notification)
    ids = tuple(identities(found.notification))
    types = Counter(each.type_name for each in ids)
    processes = (each.job for each in told if isinstance(each, ToldProcess) and each.job)
    applications = (each.qualified_name for each in ids if each.type_name == "spark_application")
    created = found.created_ms if isinstance(found.created_ms, int) else None
    job = next(chain(processes, applications), "")
    return HeardMessage(found.type, found.user, created, plain(job), _hook(types), dict(types), told, job)


def as_json(message: HeardMessage) -> dict[str, object]:
    """Give it as what JSON can say, the same for every form of messages; names are short where that is unambiguous."""
    says_so = [as_shown(each) for each in message.says]
    return {
        "type": message.type,
        "user": message.user,
        "created_ms": message.created_ms,
        "job": message.job,
        "hook": message.hook,
        "types": dict(message.types),
        "processes": [process_object(each) for each in says_so if isinstance(each, ToldProcess)],
        "changes": [change_object(each) for each in says_so if isinstance(each, ToldChange)],
    }


def identities(notification: Notification) -> Iterator[AtlasObjectId]:
    """Give what a message is about."""
    match notification:
        case EntityCreate(entities=entities):
            yield from (each.id for each in entities)
        case EntityPartialUpdate(id=id_):
            yield id_
        case EntityDelete(ids=ids):
            yield from ids


def _hook(types: Mapping[str, int]) -> str:
    if any(each.startswith(_OURS) for each in types):
        return ""
    return next((hook for begins, hook in _HOOKS.items() if any(each.startswith(begins) for each in types)), "")
