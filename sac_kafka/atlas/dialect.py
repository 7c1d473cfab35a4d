"""The dialect `atlas`: a process in, messages out, in the types that every Atlas since 2.1 ships.

The pipeline calls `messages`, sends what it returns in this order under one key, and tells `remembered` how each
message fared. Pure, but for that explicit memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sac_kafka.atlas.column_lineage import ColumnLineageMode
from sac_kafka.atlas.division import Limits, Part, divide, whole
from sac_kafka.atlas.memory import Remembered, Token
from sac_kafka.atlas.message import encode, envelope
from sac_kafka.atlas.model import AtlasEntity, to_json
from sac_kafka.atlas.notification import ENTITY_CREATE_V2, entity_create_v2, guids
from sac_kafka.atlas.statement import statement
from sac_kafka.lineage.model import Process

MAX_BYTES = 900_000
MAX_ENTITIES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is the same for all messages of a driver.

    `user` is whom the server records as author, `source_ip` and `created_by` the driver's host address and operating
    system user. `max_bytes` is of the whole message, as JSON.
    """

    namespace: str
    user: str
    source_ip: str
    created_by: str
    column_lineage: ColumnLineageMode = ColumnLineageMode.DIRECT
    max_bytes: int = MAX_BYTES
    max_entities: int = MAX_ENTITIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A record's value, the type of its notification, and what `Remembered` is to confirm or to forget with it."""

    value: str
    type: str
    tokens: tuple[Token, ...] = ()


def messages(process: Process, *, context: Context, remembered: Remembered, now_ms: int) -> tuple[Message, ...]:
    """What a server has to be told of a process; one message, as long as it fits the limits.

    Columns and column lineage that are `remembered` are left out. `now_ms` is epoch milliseconds.

    Raises:
        TypeError: a dataset of a class that has no Atlas type.
    """
    everything = statement(process, namespace=context.namespace, mode=context.column_lineage)
    news = replace(
        everything,
        definitions=remembered.unsent(everything.definitions, now_ms),
        lineage=remembered.unsent(everything.lineage, now_ms),
    )
    part = whole(news)
    if len(part.entities) <= context.max_entities:
        message = _message(part, context, now_ms)
        if len(message.value) <= context.max_bytes:
            return (message,)
    # With the guids of all entities every reference is at its longest, so that no message comes out larger than counted.
    numbers = guids(entity.id for entity in part.entities)
    around = len(_message(Part(entities=(), tokens=()), context, now_ms).value)
    limits = Limits(max_bytes=context.max_bytes - around, max_entities=context.max_entities)

    def size(entity: AtlasEntity) -> int:
        return len(encode(to_json(entity, numbers))) + 1

    return tuple(_message(each, context, now_ms) for each in divide(news, limits, size))


def _message(part: Part, context: Context, now_ms: int) -> Message:
    value = envelope(
        entity_create_v2(part.entities, user=context.user),
        source_ip=context.source_ip,
        created_by=context.created_by,
        now_ms=now_ms,
    )
    return Message(value=value, type=ENTITY_CREATE_V2, tokens=part.tokens)
