"""Messages: what a dialect says, divided to what fits and written as envelopes.

The pipeline calls `messages`, sends what it returns in this order under one key, and tells `remembered` how each
message fared. Pure, but for that explicit memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from sac_kafka.atlas.catalog.changes import Emission, SingleNotification
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.dialect import AtlasDialect, Defined, Dialect, Wrote
from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.flows.run_facts import FINISHED
from sac_kafka.atlas.groups import GroupToken
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.notification import EntityCreate, Notification, guids
from sac_kafka.atlas.wire.completion import completed
from sac_kafka.atlas.wire.division import Limits, MessageEntities, divide, whole
from sac_kafka.atlas.wire.message import encode, envelope
from sac_kafka.atlas.wire.splitting import parts
from sac_kafka.atlas.wire.v1 import to_v1
from sac_kafka.atlas.wire.v2 import to_json, to_v2
from sac_kafka.config.choices import MessageForm
from sac_kafka.lineage.model import Outcome, Process

_NOTHING: Defined = MappingProxyType({})
_ATLAS = AtlasDialect()
_DELETES = frozenset({"ENTITY_DELETE_V2", "ENTITY_DELETE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A whole envelope, its notification and the type of that, and what `Remembered` is to confirm or to forget with it."""

    value: str
    type: str
    tokens: tuple[GroupToken, ...] = ()
    notification: Notification | None = field(default=None, repr=False, compare=False)

    @property
    def is_delete(self) -> bool:
        """True where it takes something away from the server."""
        return self.type in _DELETES


def values(message: Message, context: Context) -> tuple[bytes, ...]:
    """The values of the message's Kafka records, in order: one, unless it is longer than one may be."""
    if not context.joins_parts:
        return (message.value.encode("ascii"),)
    content = context.content
    return parts(message.value, max_bytes=content.message_max_bytes, compresses=content.message_compression)


def messages(
    outcome: Outcome,
    *,
    context: Context,
    remembered: Remembered,
    now_ms: int,
    defined: Defined = _NOTHING,
    dialect: Dialect = _ATLAS,
) -> tuple[Message, ...]:
    """What a server has to be told of an outcome; of a process one message, as long as it fits the limits.

    What is `remembered` to have been sent is left out. `now_ms` is epoch milliseconds. `defined` are the
    whole definitions, by key, of tables that the same statement created or replaced.

    Raises:
        TypeError: a dataset of a class that has no type.
    """
    said = dialect.emissions(outcome, context, remembered, now_ms, defined)
    if isinstance(outcome, Process) and (requester := outcome.run.requester) is not None and requester.user:
        context = replace(context, author=requester.user)
    result = tuple(message for each in said for message in _written(each, context, remembered, now_ms))
    for message in result:
        remembered.handed(message.tokens)
    return result


def at_the_end(
    wrote: Wrote, *, context: Context, now_ms: int, dialect: Dialect = _ATLAS, status: str = FINISHED
) -> tuple[Message, ...]:
    """What a server is told when an application ends: its status, and how complete the lineage of its jobs' writes is."""
    return tuple(
        message
        for said in dialect.at_the_end(wrote, context, status)
        for message in _messages(said.notification, said.tokens, context, now_ms)
    )


def _written(said: Emission, context: Context, remembered: Remembered, now_ms: int) -> tuple[Message, ...]:
    if isinstance(said, SingleNotification):
        return _messages(said.notification, said.tokens, context, now_ms)
    return _messages_of_bundle(said, context, remembered, now_ms)


def _messages_of_bundle(
    everything: EntityBundle, context: Context, remembered: Remembered, now_ms: int
) -> tuple[Message, ...]:
    news = everything
    if context.form is MessageForm.V2 and everything.flow:
        lineage = remembered.unsent(everything.lineage, now_ms)
        # A server takes a column that is referred to by name alone for the one that it knows already, even where that was
        # deleted and made again: lineage that is sent again has its columns with it, which are referred to by guid then.
        is_again = any(each.members and remembered.is_forgotten(each.owner) for each in lineage)
        definitions = everything.definitions if is_again else remembered.unsent(everything.definitions, now_ms)
        news = replace(everything, definitions=definitions, lineage=lineage)
    result: tuple[Message, ...] = ()
    for division in _divisions(news, context, now_ms):
        result = tuple(message for part in division for message in _of_part(part, everything, context, now_ms))
        if all(len(message.value) <= context.content.message_max_bytes for message in result):
            break
    return result


def _of_part(part: MessageEntities, everything: EntityBundle, context: Context, now_ms: int) -> tuple[Message, ...]:
    tokens = part.tokens if everything.is_remembered else ()
    entities = completed(part.entities, everything) if context.form is MessageForm.V1 else part.entities
    return _messages(EntityCreate(entities=entities, is_update=everything.is_update), tokens, context, now_ms)


def _divisions(news: EntityBundle, context: Context, now_ms: int) -> Iterator[tuple[MessageEntities, ...]]:
    """Ways to divide, the cheapest first: not at all, by entities, by entities and bytes, and ever smaller.

    To know how long each entity is costs as much as all the rest, and so many entities hardly ever exceed the bytes.
    The smaller ones are for the V1 form, which is longer and repeats what it refers to.
    """
    everything = whole(news)
    if len(everything.entities) <= context.content.message_max_entities:
        yield (everything,)
    around = len(_enveloped(to_v2(EntityCreate(entities=()), _author(context)), context, now_ms))
    limits = Limits(
        max_bytes=context.content.message_max_bytes - around, max_entities=context.content.message_max_entities
    )
    yield divide(news, limits, lambda _: 0)
    # With the guids of all entities every reference is at its longest: no message comes out longer than counted.
    numbers = guids(entity.id for entity in everything.entities)
    sizes = {entity.id: len(encode(to_json(entity, numbers))) + 1 for entity in everything.entities}
    for part in (1, 2, 4, 8, 16):
        smaller = Limits(max_bytes=limits.max_bytes // part, max_entities=limits.max_entities)
        yield divide(news, smaller, lambda entity: sizes[entity.id])


def _messages(
    notification: Notification, tokens: tuple[GroupToken, ...], context: Context, now_ms: int
) -> tuple[Message, ...]:
    """A notification as messages: one, but for the deletes of the V1 form."""
    is_v1 = context.form is MessageForm.V1
    bodies = to_v1(notification, _author(context)) if is_v1 else (to_v2(notification, _author(context)),)
    return tuple(
        Message(value=_enveloped(body, context, now_ms), type=body["type"], tokens=tokens, notification=notification)
        for body in bodies
    )


def _enveloped(body: dict[str, Any], context: Context, now_ms: int) -> str:
    return envelope(
        body,
        source_ip=context.source_ip,
        created_by=context.application.user,
        now_ms=now_ms,
        is_purview=context.is_purview,
    )


def _author(context: Context) -> str:
    return context.author or context.application.user
