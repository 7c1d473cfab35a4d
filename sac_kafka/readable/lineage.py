"""What messages say, without their form: processes with their datasets and columns, and what became of a catalog.

All names are in full (`names.py`), so that what two clusters call the same is told apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sac_kafka.atlas.flows.kinds import read_description
from sac_kafka.atlas.flows.rows import NO_CLAUSES, of_values
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.wire.reader import read
from sac_kafka.errors import MessageError
from sac_kafka.readable.details import deciders, made, row_columns, run_facts
from sac_kafka.readable.entities import (
    column_of,
    ends,
    is_catalog,
    is_column_lineage,
    is_process,
    name_of,
    process_of,
)
from sac_kafka.readable.mapped_jobs import job_of
from sac_kafka.readable.mappings import mapped_columns
from sac_kafka.readable.names import in_full, plain, without_namespace
from sac_kafka.readable.told import ColumnFlow, ToldChange, ToldProcess

_SIDES = ("inputs", "outputs")
_OF_OTHER_HOOKS = ("hive_", "impala_", "sqoop_", "storm_", "falcon_")
"""How the types begin whose older hooks write inputs and outputs among the attributes, as processes in Purview have them."""
_ALTERED = {
    "comment": "comment",
    "viewOriginalText": "query",
    "parameters": "properties",
    "location": "location",
    "type": "type",
    "owner": "owner",
}
"""What a person would look for in an altered thing, and its word."""
_FACTS = ("status", "failure", "rows_written", "bytes_written", "files_written", "lineage")


def said(value: str | bytes) -> tuple[ToldProcess | ToldChange, ...]:
    """What a message says, in its order.

    Raises:
        MessageError: It is no message, one of several parts, or one that lacks what a lineage has.
    """
    return says(read(value).notification)


def says(notification: Notification) -> tuple[ToldProcess | ToldChange, ...]:
    """What a message says that was read already, in its order.

    Raises:
        MessageError: It lacks what a lineage has.
    """
    try:
        return tuple(_of(notification))
    except (IndexError, TypeError, ValueError) as e:
        raise MessageError(f"a column lineage without its process or output: {type(e).__name__} {e}") from e


def _of(notification: Notification) -> Iterator[ToldProcess | ToldChange]:
    match notification:
        case EntityCreate(entities=entities):
            processes = {each.id: each for each in entities if is_process(each)}
            columns: dict[AtlasObjectId, list[ColumnFlow]] = {each: [] for each in processes}
            for each in entities:
                if is_column_lineage(each.id.type_name):
                    columns.setdefault(process_of(each), []).append(_column_flow(each))
            for id_, flows in columns.items():
                yield _process(id_, processes.get(id_), tuple(flows), entities)
            if not columns:
                verb = "altered" if notification.is_update else "described"
                yield from (_described(each, verb, entities) for each in entities if is_catalog(each.id))
        case EntityPartialUpdate(id=id_, attributes=attributes):
            renamed = str(attributes.get("qualifiedName") or "")
            new_name = in_full(renamed) if renamed else ""
            yield ToldChange("altered", id_.type_name, name_of(id_), _altered(attributes), new_name)
        case EntityDelete(ids=ids):
            yield from (ToldChange("dropped", each.type_name, name_of(each)) for each in ids)


def _process(
    id_: AtlasObjectId,
    entity: AtlasEntity | None,
    columns: tuple[ColumnFlow, ...],
    entities: tuple[AtlasEntity, ...],
) -> ToldProcess:
    if entity is None:
        return ToldProcess(id_.qualified_name, plain(id_.qualified_name), (), (), columns)
    if entity.sides and not id_.type_name.startswith(_OF_OTHER_HOOKS):
        return _with_mapping(id_, entity, entities)
    description = str(entity.attributes.get("description") or "")
    of_run = run_facts(entity)
    decided_by = deciders(entity)
    if not description and decided_by:
        description = of_values(decided_by)
    # Each name once: a model and the directory that it is in have the same one, and are one dataset.
    sides = {side: {name_of(each): each.type_name for each in ends(entity, side)} for side in _SIDES}
    return ToldProcess(
        id=id_.qualified_name,
        name=str(entity.attributes.get("name") or plain(id_.qualified_name)),
        inputs=tuple(sides["inputs"]),
        outputs=tuple(sides["outputs"]),
        columns=columns,
        facts={key: value for key, value in of_run.items() if key in _FACTS},
        constants=of_run.get("columns_without_sources", ""),
        made=tuple(made(entity)),
        rows="" if description == NO_CLAUSES else description,
        row_columns=tuple(row_columns(entity)),
        other_sources=_other_sources(of_run),
        through_driver=of_run.get("through_driver", ""),
        decided_by=decided_by,
        types={name: type_name for ends_ in sides.values() for name, type_name in ends_.items()},
        job=next(map(name_of, ends(entity, "application")), ""),
        about={
            **of_run,
            **_texts(entity, user="userName"),
            **_texts(entity, user="remoteUser", query="queryText"),
        },
    )


def _with_mapping(id_: AtlasObjectId, entity: AtlasEntity, entities: tuple[AtlasEntity, ...]) -> ToldProcess:
    """A process as Purview has it: its assets have no namespace, its columns are an attribute."""
    columns, constants = mapped_columns(entity)
    sides = {
        side: {without_namespace(each.qualified_name): each for each in entity.sides.get(side, ())} for side in _SIDES
    }
    job = job_of(entity, entities)
    rows = str(entity.attributes.get("rowConditions") or "")
    return ToldProcess(
        id=id_.qualified_name,
        name=str(entity.attributes.get("name") or id_.qualified_name),
        inputs=tuple(sides["inputs"]),
        outputs=tuple(sides["outputs"]),
        columns=columns,
        facts={},
        constants=", ".join(dict.fromkeys(each.output.name for each in constants)),
        made=constants,
        rows="" if rows == NO_CLAUSES else rows,
        other_sources=str(entity.attributes.get("otherSources") or ""),
        through_driver=str(entity.attributes.get("throughDriver") or ""),
        types={name: each.type_name for ends in sides.values() for name, each in ends.items()},
        job=without_namespace(job) if job else "",
        about={**entity.custom_attributes, **_texts(entity, user="user", query="queryText")},
    )


def _texts(entity: AtlasEntity, **attributes: str) -> dict[str, str]:
    """Attributes that are there, by our words."""
    return {word: str(value) for word, name in attributes.items() if (value := entity.attributes.get(name))}


def _other_sources(facts: Mapping[str, str]) -> str:
    number = facts.get("inputs_left_out", "")
    left_out = f"{number} input{'' if number == '1' else 's'} left out" if number else ""
    return ", ".join(filter(None, (facts.get("other_sources", ""), left_out)))


def _column_flow(entity: AtlasEntity) -> ColumnFlow:
    (output, *_) = ends(entity, "outputs")
    if entity.id.type_name == "spark_column_lineage":
        is_influence, expression = read_description(str(entity.attributes.get("description") or ""))
    else:
        is_influence, expression = False, str(entity.attributes.get("expression") or "")
    return ColumnFlow(
        output=column_of(output),
        sources=tuple(map(column_of, ends(entity, "inputs"))),
        expression=expression,
        influences=is_influence,
        id=name_of(entity.id),
    )


def _described(entity: AtlasEntity, verb: str, entities: tuple[AtlasEntity, ...]) -> ToldChange:
    """A table with its columns. A database is told with each of its tables, and only by itself altered."""
    names = [
        str(each.attributes.get("name", column_of(each.id).name))
        for each in entities
        if each.id.type_name.endswith("_column") and entity.id in ends(each, "table")
    ]
    shown = f"columns {', '.join(names)}" if names else ""
    is_altered = verb == "altered" and (names or len(entities) == 1)
    return ToldChange("altered" if is_altered else "described", entity.id.type_name, name_of(entity.id), shown)


def as_altered(told: Iterable[ToldProcess | ToldChange]) -> Iterator[ToldProcess | ToldChange]:
    """The same, but what is described again is altered: no message says whether a server has the thing already."""
    there: set[str] = set()
    for each in told:
        if isinstance(each, ToldProcess):
            there.update(each.inputs, each.outputs)
            yield each
            continue
        is_again = each.verb == "described" and each.name in there and bool(each.details)
        (there.discard if each.verb == "dropped" else there.add)(each.name)
        yield replace(each, verb="altered") if is_again else each


def _altered(attributes: Mapping[str, object]) -> str:
    """What a thing is now, of what a person would look for; where that is nothing, the names of what is told."""
    renamed = attributes.get("qualifiedName")
    if renamed:
        return f"is now {plain(str(renamed))}"
    given = {key: value for key, value in attributes.items() if value not in (None, "", [], {})}
    shown = [f"{word} {_text(given[key])}" for key, word in _ALTERED.items() if key in given]
    return ", ".join(shown) or ", ".join(sorted(given or attributes))


def _text(value: object) -> str:
    """A value; of a mapping its keys."""
    return " ".join(map(str, value)) if isinstance(value, Mapping) else str(value)
