"""What messages say, without their form: processes with their datasets and columns, and what became of a catalog."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sac_kafka.atlas.flows.kinds import read_description
from sac_kafka.atlas.flows.rows import NO_CLAUSES
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.wire.reader import read
from sac_kafka.errors import MessageError
from sac_kafka.readable.mappings import mapped_columns
from sac_kafka.readable.told import ColumnFlow, ToldChange, ToldColumn, ToldProcess

_SIDES = ("inputs", "outputs")
_SIDE_NAMES = frozenset(_SIDES)
_OF_OTHER_HOOKS = ("hive_", "impala_", "sqoop_", "storm_", "falcon_")
"""How the types begin whose older hooks write inputs and outputs among the attributes, as processes in Purview have them."""
_CATALOG = ("_table", "_db")
"""How the names of types end whose entities are worth a line when no process comes with them."""
_ALTERED = {
    "comment": "comment",
    "viewOriginalText": "query",
    "parameters": "properties",
    "location": "location",
    "type": "type",
    "owner": "owner",
}
"""What a person would look for in an altered thing, and its word."""
_LEFT_OUT = re.compile(r"\+\d+")
"""What ends a list that is not whole."""
_ROWS_BY = "rows_by_"
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


def plain(name: str) -> str:
    """A qualifiedName without its namespace."""
    return name.rpartition("@")[0] or name


def _of(notification: Notification) -> Iterator[ToldProcess | ToldChange]:
    match notification:
        case EntityCreate(entities=entities):
            processes = {each.id: each for each in entities if is_process(each)}
            columns: dict[AtlasObjectId, list[ColumnFlow]] = {each: [] for each in processes}
            for each in entities:
                if is_column_lineage(each.id.type_name):
                    columns.setdefault(_end(each, _process_end(each)), []).append(_column_flow(each))
            for id_, flows in columns.items():
                yield _process(id_, processes.get(id_), tuple(flows))
            if not columns:
                verb = "altered" if notification.is_update else "described"
                yield from (_described(each, verb, entities) for each in entities if _is_catalog(each.id))
        case EntityPartialUpdate(id=id_, attributes=attributes):
            renamed = plain(str(attributes.get("qualifiedName") or ""))
            yield ToldChange("altered", id_.type_name, plain(id_.qualified_name), _altered(attributes), renamed)
        case EntityDelete(ids=ids):
            yield from (ToldChange("dropped", each.type_name, plain(each.qualified_name)) for each in ids)


def _process(id_: AtlasObjectId, entity: AtlasEntity | None, columns: tuple[ColumnFlow, ...]) -> ToldProcess:
    if entity is None:
        return ToldProcess(id_.qualified_name, plain(id_.qualified_name), (), (), columns)
    if entity.sides and not id_.type_name.startswith(_OF_OTHER_HOOKS):
        return _with_mapping(id_, entity)
    description = str(entity.attributes.get("description") or "")
    facts = {key: value for key, value in entity.custom_attributes.items() if key in _FACTS}
    return ToldProcess(
        id=id_.qualified_name,
        name=str(entity.attributes.get("name") or plain(id_.qualified_name)),
        inputs=tuple(plain(each.qualified_name) for each in _ends(entity, "inputs")),
        outputs=tuple(plain(each.qualified_name) for each in _ends(entity, "outputs")),
        columns=columns,
        facts=facts,
        constants=entity.custom_attributes.get("columns_without_sources", ""),
        made=tuple(_made(entity)),
        rows="" if description == NO_CLAUSES else description,
        row_columns=tuple(_row_columns(entity)),
        other_sources=_other_sources(entity.custom_attributes),
        through_driver=entity.custom_attributes.get("through_driver", ""),
        types={plain(each.qualified_name): each.type_name for side in _SIDES for each in _ends(entity, side)},
        job=next((plain(each.qualified_name) for each in _ends(entity, "application")), ""),
        about={
            **entity.custom_attributes,
            **_texts(entity, user="userName"),
            **_texts(entity, user="remoteUser", query="queryText"),
        },
    )


def is_column_lineage(type_name: str) -> bool:
    """Whether entities of the type say what a column is made of: ours, and those of the hooks of Hive and Impala."""
    return type_name.endswith("_column_lineage")


def is_process(entity: AtlasEntity) -> bool:
    """Whether it has inputs and outputs that are datasets: ours, Purview's, and those of other hooks."""
    if is_column_lineage(entity.id.type_name):
        return False
    return entity.id.type_name == "spark_process" or not _SIDE_NAMES.isdisjoint({*entity.sides, *entity.references})


def _process_end(entity: AtlasEntity) -> str:
    """Where a column lineage names its process: `query` in those of the hooks of Hive and Impala."""
    return "process" if "process" in entity.references else "query"


def _with_mapping(id_: AtlasObjectId, entity: AtlasEntity) -> ToldProcess:
    """A process as Purview has it: its assets have no namespace, its columns are an attribute."""
    columns, made = mapped_columns(entity)
    inputs, outputs = (tuple(each.qualified_name for each in entity.sides.get(side, ())) for side in _SIDES)
    rows = str(entity.attributes.get("rowConditions") or "")
    return ToldProcess(
        id=id_.qualified_name,
        name=str(entity.attributes.get("name") or id_.qualified_name),
        inputs=inputs,
        outputs=outputs,
        columns=columns,
        facts={},
        constants=", ".join(dict.fromkeys(each.output.name for each in made)),
        made=made,
        rows="" if rows == NO_CLAUSES else rows,
        other_sources=str(entity.attributes.get("otherSources") or ""),
        through_driver=str(entity.attributes.get("throughDriver") or ""),
        types={each.qualified_name: each.type_name for side in _SIDES for each in entity.sides.get(side, ())},
        job=str(entity.attributes.get("jobName") or ""),
        about={**entity.custom_attributes, **_texts(entity, user="user", query="queryText")},
    )


def _texts(entity: AtlasEntity, **attributes: str) -> dict[str, str]:
    """Attributes that are there, by our words."""
    return {word: str(value) for word, name in attributes.items() if (value := entity.attributes.get(name))}


def _other_sources(facts: Mapping[str, str]) -> str:
    number = facts.get("inputs_left_out", "")
    left_out = f"{number} input{'' if number == '1' else 's'} left out" if number else ""
    return ", ".join(filter(None, (facts.get("other_sources", ""), left_out)))


def _made(entity: AtlasEntity) -> Iterator[ColumnFlow]:
    """The columns that come from no other, from the details: there they are a list, as custom attribute one text."""
    listed = _listed(_details(entity), "columns_without_sources")
    for output in _ends(entity, "outputs"):
        mark = "." if output.type_name.endswith(_CATALOG) else "#"
        for each in listed:
            name, _, expression = each.partition(" = ")
            yield ColumnFlow(ToldColumn(plain(output.qualified_name), name, mark), (), expression)


def _row_columns(entity: AtlasEntity) -> Iterator[tuple[str, ToldColumn]]:
    """The columns that decide rows, from the details; of a longest dataset's name that they begin with, where there is one."""
    details = _details(entity)
    inputs = sorted((plain(each.qualified_name) for each in _ends(entity, "inputs")), key=len, reverse=True)
    for key in details:
        if key.startswith(_ROWS_BY):
            for name in _listed(details, key):
                yield key.removeprefix(_ROWS_BY), _column_of(name, inputs)


def _column_of(name: str, datasets: Iterable[str]) -> ToldColumn:
    for dataset in datasets:
        if name.startswith((f"{dataset}.", f"{dataset}#")):
            return ToldColumn(dataset, name[len(dataset) + 1 :], name[len(dataset)])
    mark = "#" if "#" in name else "."
    dataset, _, column = name.rpartition(mark)
    return ToldColumn(dataset, column, mark)


def _details(entity: AtlasEntity) -> Mapping[str, object]:
    try:
        details = json.loads(str(entity.attributes.get("details") or "{}"))
    except (ValueError, RecursionError):
        return {}
    return details if isinstance(details, dict) else {}


def _listed(details: Mapping[str, object], key: str) -> list[str]:
    """The texts of a list, but for the number of those that were left out at its end."""
    value = details.get(key, ())
    listed = list(map(str, value)) if isinstance(value, list) else []
    return listed[:-1] if listed and _LEFT_OUT.fullmatch(listed[-1]) else listed


def _column_flow(entity: AtlasEntity) -> ColumnFlow:
    (output, *_) = _ends(entity, "outputs")
    if entity.id.type_name == "spark_column_lineage":
        is_influence, expression = read_description(str(entity.attributes.get("description") or ""))
    else:
        is_influence, expression = False, str(entity.attributes.get("expression") or "")
    return ColumnFlow(
        output=_column(output),
        sources=tuple(map(_column, _ends(entity, "inputs"))),
        expression=expression,
        influences=is_influence,
        id=plain(entity.id.qualified_name),
    )


def _column(id_: AtlasObjectId) -> ToldColumn:
    """A column by its name: `dataset#column` where it is an avro_field, `table.column` where it is a table's."""
    name = plain(id_.qualified_name)
    mark = "#" if id_.type_name == "avro_field" else "."
    dataset, _, column = name.rpartition(mark)
    return ToldColumn(dataset, column, mark)


def _is_catalog(id_: AtlasObjectId) -> bool:
    return id_.type_name.endswith(_CATALOG)


def _described(entity: AtlasEntity, verb: str, entities: tuple[AtlasEntity, ...]) -> ToldChange:
    """A table with its columns. A database is told with each of its tables, and only by itself altered."""
    names = [
        str(each.attributes.get("name", _column(each.id).name))
        for each in entities
        if each.id.type_name.endswith("_column") and entity.id in _ends(each, "table")
    ]
    shown = f"columns {', '.join(names)}" if names else ""
    is_altered = verb == "altered" and (names or len(entities) == 1)
    return ToldChange(
        "altered" if is_altered else "described", entity.id.type_name, plain(entity.id.qualified_name), shown
    )


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


def _ends(entity: AtlasEntity, role: str) -> tuple[AtlasObjectId, ...]:
    ends = entity.references.get(role) or entity.sides.get(role, ())
    # An AtlasObjectId is a tuple itself.
    return (ends,) if isinstance(ends, AtlasObjectId) else ends


def _end(entity: AtlasEntity, role: str) -> AtlasObjectId:
    return _ends(entity, role)[0]
