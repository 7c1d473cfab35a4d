"""Split a dialect's emissions to the size limits and wrap each part in an Atlas envelope.

The pipeline calls `messages`, sends the result in order under one key, and reports the delivery of each message to
`remembered`. Pure, except for that explicit memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from sac_kafka.atlas.catalog.changes import Emission, SingleNotification
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.dialect import AtlasDialect, Defined, Dialect
from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import GroupToken, each_once
from sac_kafka.atlas.notification import EntityCreate, Notification
from sac_kafka.atlas.wire.division import MessageEntities, divide
from sac_kafka.atlas.wire.message import encode, envelope, parts
from sac_kafka.atlas.wire.v2 import guids, to_json, to_v2
from sac_kafka.model import Outcome, Process
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.stages.output import FINISHED, Jobs, Outgoing

_NOTHING: Defined = MappingProxyType({})
_ATLAS = AtlasDialect()
_DELETES = frozenset({"ENTITY_DELETE_V2", "ENTITY_DELETE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Outgoing):
    """An encoded envelope with its notification, and the tokens that `Remembered` confirms or forgets after sending."""

    tokens: tuple[GroupToken, ...] = ()
    notification: Notification | None = field(default=None, repr=False, compare=False)

    @property
    def is_delete(self) -> bool:
        """True if the message deletes entities."""
        return self.type in _DELETES


def values(message: Outgoing, context: Context) -> tuple[bytes, ...]:
    """Return the values of the message's Kafka records, in order: one, or several if it exceeds the size limit."""
    content = context.content
    if not context.receiver.joins_parts or len(message.value) <= content.message_max_bytes:
        return (message.value.encode("ascii"),)
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
    """Return the messages for an outcome; for a process a single message if it fits the limits.

    Entities `remembered` as sent are omitted. `now_ms` is epoch milliseconds. `defined` contains the complete definitions,
    by key, of the tables that the same statement created or replaced.

    Raises:
        TypeError: The class of a dataset has no type.
    """
    emissions = dialect.emissions(outcome, context, remembered, now_ms, defined)
    if isinstance(outcome, Process) and (requester := outcome.run.requester) is not None and requester.user:
        context = replace(context, author=requester.user)
    result = tuple(
        replace(message, keeps_order=not isinstance(outcome, Process) or message.type in _DELETES)
        for emission in emissions
        for message in _encode_emission(emission, context, remembered, now_ms)
    )
    for message in result:
        remembered.mark_in_flight(message.tokens)
    return result


def at_the_end(
    jobs: Jobs, *, context: Context, now_ms: int, dialect: Dialect = _ATLAS, status: str = FINISHED
) -> tuple[Message, ...]:
    """Return the messages that end an application: its status and the completeness of its jobs' lineage."""
    return tuple(
        replace(message, keeps_order=False)
        for emission in dialect.at_the_end(jobs, context, status)
        for message in _messages(emission.notification, emission.tokens, context, now_ms)
    )


def without_obsolete(
    remembered: Remembered, *, context: Context, now_ms: int, dialect: Dialect = _ATLAS, everything: bool
) -> tuple[Message, ...]:
    """Return the messages that delete flows of whose rows none is left; `everything` as in `Dialect.without_obsolete`."""
    return tuple(
        message
        for each in dialect.without_obsolete(remembered, now_ms, everything=everything)
        for message in _messages(each.notification, each.tokens, context, now_ms)
    )


def _encode_emission(emission: Emission, context: Context, remembered: Remembered, now_ms: int) -> tuple[Message, ...]:
    if isinstance(emission, SingleNotification):
        return _messages(emission.notification, emission.tokens, context, now_ms)
    everything = emission
    news = everything
    if context.form is MessageForm.V2 and everything.flow:
        lineage = remembered.unsent(everything.lineage, now_ms)
        # Atlas resolves a reference by qualifiedName to the deleted entity if a column was re-created. So lineage that is
        # sent again includes its columns, which are then referenced by guid.
        is_again = any(group.members and remembered.is_forgotten(group.owner) for group in lineage)
        definitions = everything.definitions if is_again else remembered.unsent(everything.definitions, now_ms)
        news = replace(everything, definitions=definitions, lineage=lineage)
    result: tuple[Message, ...] = ()
    for division in _divisions(news, context, now_ms):
        result = ()
        for part in division:
            entities = part.entities
            if context.form is MessageForm.V1:
                from sac_kafka.atlas.wire.v1 import complete

                entities = complete(entities, everything)
            notification = EntityCreate(entities=entities, is_update=everything.is_update)
            tokens = part.tokens if everything.is_remembered else ()
            result = (*result, *_messages(notification, tokens, context, now_ms))
        if all(len(message.value) <= context.content.message_max_bytes for message in result):
            break
    return result


def _divisions(news: EntityBundle, context: Context, now_ms: int) -> Iterator[tuple[MessageEntities, ...]]:
    """Yield divisions, cheapest first: undivided, by number of entities, by number and bytes, then ever smaller.

    Measuring the entities costs as much as everything else, and the limit on their number is usually reached first.
    The smaller divisions are for the V1 form, which is longer and repeats referenced entities.
    """
    members = (entity for group in news.definitions for entity in (*group.owners, *group.members))
    heads = (entity for head in news.heads for entity in head)
    lineage = (member for group in news.lineage for member in group.members)
    everything = MessageEntities(
        entities=each_once((*members, *heads, *news.flow, *lineage)),
        tokens=tuple(group.token(0, len(group.members)) for group in (*news.definitions, *news.lineage)),
    )
    max_entities = context.content.message_max_entities
    if len(everything.entities) <= max_entities:
        yield (everything,)
    author = context.author or context.application.user
    around = len(_wrap(to_v2(EntityCreate(entities=()), author), context, now_ms))
    max_bytes = context.content.message_max_bytes - around
    yield divide(news, max_bytes, max_entities, lambda _: 0)
    # References by guid are the longest form, so no message exceeds the computed size.
    numbers = guids(entity.id for entity in everything.entities)
    sizes = {entity.id: len(encode(to_json(entity, numbers))) + 1 for entity in everything.entities}
    for part in (1, 2, 4, 8, 16):
        yield divide(news, max_bytes // part, max_entities, lambda entity: sizes[entity.id])


def _messages(
    notification: Notification, tokens: tuple[GroupToken, ...], context: Context, now_ms: int
) -> tuple[Message, ...]:
    """Return the messages of a notification: one, except for deletes in the V1 form."""
    author = context.author or context.application.user
    if context.form is MessageForm.V1:
        from sac_kafka.atlas.wire.v1 import to_v1

        bodies = to_v1(notification, author)
    else:
        bodies = (to_v2(notification, author),)
    return tuple(
        Message(
            value=_wrap(body, context, now_ms),
            type=body["type"],
            application_id=context.application.application_id,
            tokens=tokens,
            notification=notification,
        )
        for body in bodies
    )


def _wrap(body: dict[str, Any], context: Context, now_ms: int) -> str:
    return envelope(
        body,
        source_ip=context.source_ip,
        created_by=context.application.user,
        now_ms=now_ms,
        is_purview=context.receiver.is_purview,
    )
