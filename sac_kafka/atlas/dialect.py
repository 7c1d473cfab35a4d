"""The dialect `atlas`: a process in, messages out, in the types that every Atlas since 2.1 ships.

The pipeline calls `messages`, sends what it returns in this order under one key, and tells `remembered` how each
message fared. Pure, but for that explicit memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sac_kafka.atlas.column_lineage import ColumnLineageMode
from sac_kafka.atlas.division import Limits, Part, divide, whole
from sac_kafka.atlas.memory import Remembered, Token
from sac_kafka.atlas.message import encode, envelope
from sac_kafka.atlas.naming import Naming
from sac_kafka.atlas.notification import EntityCreate, guids
from sac_kafka.atlas.statement import Statement, statement
from sac_kafka.atlas.v2 import ENTITY_CREATE_V2, to_json, to_v2
from sac_kafka.lineage.model import Process

MAX_BYTES = 900_000
MAX_ENTITIES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Whose messages these are, and what they may be.

    `user` is whom the server records as author, `source_ip` and `created_by` the driver's host address and user.
    `max_bytes` is of a whole message, as JSON; `max_entities` keeps a server's transactions short.
    """

    naming: Naming
    user: str
    source_ip: str
    created_by: str
    column_lineage: ColumnLineageMode = ColumnLineageMode.DIRECT
    max_bytes: int = MAX_BYTES
    max_entities: int = MAX_ENTITIES

    @property
    def namespace(self) -> str:
        """`atlas.metadata.namespace`."""
        return self.naming.namespace


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
    everything = statement(process, naming=context.naming, mode=context.column_lineage)
    news = replace(
        everything,
        definitions=remembered.unsent(everything.definitions, now_ms),
        lineage=remembered.unsent(everything.lineage, now_ms),
    )
    result: tuple[Message, ...] = ()
    for parts in _divisions(news, context, now_ms):
        result = tuple(_message(part, context, now_ms) for part in parts)
        if all(len(message.value) <= context.max_bytes for message in result):
            break
    return result


def _divisions(news: Statement, context: Context, now_ms: int) -> Iterator[tuple[Part, ...]]:
    """Ways to divide, the cheapest first: not at all, by entities, and by entities and bytes.

    To know how long each entity is costs as much as all the rest, and so many entities hardly ever exceed the bytes.
    """
    everything = whole(news)
    if len(everything.entities) <= context.max_entities:
        yield (everything,)
    around = len(_message(Part(entities=(), tokens=()), context, now_ms).value)
    limits = Limits(max_bytes=context.max_bytes - around, max_entities=context.max_entities)
    yield divide(news, limits, lambda _: 0)
    # With the guids of all entities every reference is at its longest: no message comes out longer than counted.
    numbers = guids(entity.id for entity in everything.entities)
    yield divide(news, limits, lambda entity: len(encode(to_json(entity, numbers))) + 1)


def _message(part: Part, context: Context, now_ms: int) -> Message:
    value = envelope(
        to_v2(EntityCreate(entities=part.entities), context.user),
        source_ip=context.source_ip,
        created_by=context.created_by,
        now_ms=now_ms,
    )
    return Message(value=value, type=ENTITY_CREATE_V2, tokens=part.tokens)
