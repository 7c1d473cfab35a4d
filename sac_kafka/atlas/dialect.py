"""The dialect `atlas`: what happened in, messages out, in the types that every Atlas since 2.1 ships.

The pipeline calls `messages`, sends what it returns in this order under one key, and tells `remembered` how each
message fared. Pure, but for that explicit memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sac_kafka.atlas import datasets
from sac_kafka.atlas.catalog.changes import Said, Saying, sayings, vanished, without_definitions
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.flows.statement import Statement, statement
from sac_kafka.atlas.flows.superseding import superseded, superseded_definitions
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
from sac_kafka.lineage.model import Change, Dataset, Outcome, PathDataset, Process, TableDataset

_NOTHING: Mapping[str, TableDataset] = MappingProxyType({})
_DELETES = frozenset({"ENTITY_DELETE_V2", "ENTITY_DELETE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A whole envelope, the type of its notification, and what `Remembered` is to confirm or to forget with it."""

    value: str
    type: str
    tokens: tuple[GroupToken, ...] = ()

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
    defined: Mapping[str, TableDataset] = _NOTHING,
) -> tuple[Message, ...]:
    """What a server has to be told of an outcome; of a process one message, as long as it fits the limits.

    Columns and column lineage that are `remembered` are left out. `now_ms` is epoch milliseconds. `defined` are the
    whole definitions, by key, of tables that the same statement created or replaced.

    Raises:
        TypeError: a dataset of a class that has no Atlas type.
    """
    if isinstance(outcome, Process):
        said = _of_process(outcome, context, remembered, now_ms, defined)
        if (requester := outcome.run.requester) is not None and requester.user:
            context = replace(context, author=requester.user)
    else:
        said = _of_change(outcome, context, remembered, now_ms)
    result = tuple(message for each in said for message in _written(each, context, remembered, now_ms))
    for message in result:
        remembered.handed(message.tokens)
    return result


def _of_change(change: Change, context: Context, remembered: Remembered, now_ms: int) -> tuple[Saying, ...]:
    return sayings(change, naming=context.naming, remembered=remembered, now_ms=now_ms)


def _of_process(
    process: Process, context: Context, remembered: Remembered, now_ms: int, defined: Mapping[str, TableDataset]
) -> tuple[Saying, ...]:
    """Deletes of what the process' datasets and columns no longer have, then the process.

    A run that failed is said only of a flow that the server has: its status, and nothing that it did not bring about.
    """
    whole_process = replace(process, outputs=tuple(defined.get(each.key, each) for each in process.outputs))
    said = statement(
        whole_process,
        naming=context.naming,
        mode=context.column_lineage,
        content=context.content,
        whole=defined,
    )
    if process.defines_view:
        return _of_definition(process, said, context, remembered, now_ms, defined)
    if process.run.failure is not None:
        known = remembered.has(said.flow[-1].id, now_ms)
        return (replace(said, definitions=(), lineage=()),) if known else ()
    complete = (each for each in whole_process.outputs if _is_complete(each, defined))
    gone = [
        each
        for dataset in complete
        for each in vanished(datasets.entities(dataset, context.naming), remembered, now_ms)
    ]
    made = [datasets.entities(each, context.naming).id for each in defined.values() if not each.is_view]
    no_views = without_definitions(made, context.naming, remembered, now_ms) if made else ()
    replaces = process.replaces_output or any(each.key in defined for each in process.outputs)
    return (*no_views, *gone, *(superseded(said, remembered) if replaces else ()), said)


def _of_definition(
    process: Process,
    said: Statement,
    context: Context,
    remembered: Remembered,
    now_ms: int,
    defined: Mapping[str, TableDataset],
) -> tuple[Saying, ...]:
    """The definition of a view, unless the server has it: each reader of the view tells it again."""
    (view,) = process.outputs
    is_new = bool(remembered.unsent(said.lineage, now_ms))
    if process.run.failure is not None or not (is_new or view.key in defined):
        return ()
    described = datasets.entities(defined.get(view.key, view), context.naming)
    gone = vanished(described, remembered, now_ms) if view.key in defined else ()
    old = superseded_definitions(said, described.id, remembered, context.naming.namespace, now_ms)
    return (*gone, *old, *superseded(said, remembered), said)


def _is_complete(output: Dataset, defined: Mapping[str, TableDataset]) -> bool:
    return output.key in defined or (isinstance(output, PathDataset) and output.is_replaced)


def _written(said: Saying, context: Context, remembered: Remembered, now_ms: int) -> tuple[Message, ...]:
    if isinstance(said, Said):
        return _messages(said.notification, said.tokens, context, now_ms)
    return _of_statement(said, context, remembered, now_ms)


def _of_statement(everything: Statement, context: Context, remembered: Remembered, now_ms: int) -> tuple[Message, ...]:
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


def _of_part(part: MessageEntities, everything: Statement, context: Context, now_ms: int) -> tuple[Message, ...]:
    tokens = part.tokens if everything.is_remembered else ()
    entities = completed(part.entities, everything) if context.form is MessageForm.V1 else part.entities
    return _messages(EntityCreate(entities=entities, is_update=everything.is_update), tokens, context, now_ms)


def _divisions(news: Statement, context: Context, now_ms: int) -> Iterator[tuple[MessageEntities, ...]]:
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
    return tuple(Message(value=_enveloped(body, context, now_ms), type=body["type"], tokens=tokens) for body in bodies)


def _enveloped(body: dict[str, Any], context: Context, now_ms: int) -> str:
    return envelope(body, source_ip=context.source_ip, created_by=context.application.user, now_ms=now_ms)


def _author(context: Context) -> str:
    return context.author or context.application.user
