"""Parse notifications into lineage: processes with their datasets and columns, and changes of the catalog.

Names keep the namespace (`names.py`), so that datasets of two clusters with the same name stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from sac_kafka.atlas.flows.column_lineage import read_description
from sac_kafka.atlas.flows.processes import NO_CLAUSES, of_values
from sac_kafka.atlas.flows.run_facts import FactValue, custom_attributes
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.types.sent import SPARK_TYPES
from sac_kafka.atlas.wire.reader import read
from sac_kafka.catalog.json_values import as_list, details_of
from sac_kafka.errors import MessageError
from sac_kafka.model import facts
from sac_kafka.tools.messages.entities import (
    SIDES,
    column_of,
    ends,
    is_catalog,
    is_column_lineage,
    is_process,
    name_of,
    process_of,
)
from sac_kafka.tools.messages.mappings import job_of, mapped_columns
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess
from sac_kafka.tools.messages.names import (
    asset_name,
    namespace_of,
    parse_column,
    qualify,
    strip_namespace,
    with_empty_namespace,
)

_TRUNCATED = re.compile(r"\+\d+")
"""Last item of a truncated list: the number of items that are missing."""
_OF_RUN = frozenset({facts.STATUS.name, facts.LINEAGE.name})
"""Custom attributes of which every process of this hook has at least one."""
_OF_OTHER_HOOKS = ("hive_", "impala_", "sqoop_", "storm_", "falcon_")
"""Type prefixes of hooks whose older versions put inputs and outputs into the attributes, as Purview's processes do."""
_ALTERED = {
    "comment": "comment",
    "viewOriginalText": "query",
    "parameters": "properties",
    "location": "location",
    "type": "type",
    "owner": "owner",
}
"""Attributes that are worth displaying if a catalog object was altered, with their display names."""
_SHOWN = (facts.STATUS, facts.FAILURE, facts.ROWS_WRITTEN, facts.BYTES_WRITTEN, facts.FILES_WRITTEN, facts.LINEAGE)
_RUN_STATUS = frozenset(each.name for each in _SHOWN)


def run_facts(process: AtlasEntity) -> Mapping[str, str]:
    """Return the attributes of the last run: the custom attributes, or the same values from `details`.

    The V1 form has no custom attributes, and some servers drop them.
    """
    custom = process.custom_attributes
    if not _OF_RUN.isdisjoint(custom):
        return custom
    return {**custom_attributes({key: _fact(value) for key, value in details_of(process.attributes).items()}), **custom}


def _fact(value: object) -> FactValue:
    if isinstance(value, list):
        return tuple(map(str, value))
    if isinstance(value, dict):
        return {str(key): str(each) for key, each in value.items()}
    return value if isinstance(value, str | int | float) else None


def constant_columns(process: AtlasEntity) -> Iterator[ColumnFlow]:
    """Yield the columns without source columns, for every output."""
    listed = _list_items(details_of(process.attributes), facts.COLUMNS_WITHOUT_SOURCES.name)
    for output in ends(process, "outputs"):
        mark = "." if is_catalog(output) else "#"
        for each in listed:
            name, _, expression = each.partition(" = ")
            yield ColumnFlow(LineageColumn(name_of(output), name, mark), (), expression)


def decided_by(process: AtlasEntity) -> tuple[str, ...]:
    """Return the datasets from which values in the statement were read, without the namespace."""
    return tuple(_list_items(details_of(process.attributes), facts.DECIDED_BY.name))


def row_columns(process: AtlasEntity) -> Iterator[tuple[str, LineageColumn]]:
    """Yield clause (`join`, `filter` …) and column for each column in a row clause.

    `details` names columns without the namespace. A name belongs to the longest input that is a prefix of it, under each
    namespace of that input; else it gets the namespace of the process.
    """
    details = details_of(process.attributes)
    inputs = tuple(map(name_of, ends(process, "inputs")))
    namespace = namespace_of(name_of(process.id))
    for key in details:
        if key.startswith(facts.ROWS_BY.name):
            for name in _list_items(details, key):
                mark = "#" if "#" in name else "."
                for column in _columns_of(inputs, name) or (parse_column(f"{name}@{namespace}", mark),):
                    yield key.removeprefix(facts.ROWS_BY.name), column


def _columns_of(datasets: Iterable[str], name: str) -> tuple[LineageColumn, ...]:
    short = {dataset: strip_namespace(dataset) for dataset in datasets}
    owners = [each for each in short if name.startswith((f"{short[each]}.", f"{short[each]}#"))]
    length = max((len(short[owner]) for owner in owners), default=0)
    return tuple(
        LineageColumn(owner, name[length + 1 :], name[length]) for owner in owners if len(short[owner]) == length
    )


def _list_items(details: Mapping[str, object], key: str) -> list[str]:
    """Return the items of a list as texts, without the number of missing ones at its end."""
    listed = list(map(str, as_list(details.get(key))))
    return listed[:-1] if listed and _TRUNCATED.fullmatch(listed[-1]) else listed


def parse_message(value: str | bytes) -> tuple[LineageProcess | CatalogChange, ...]:
    """Parse the text of a message into processes and changes, in the message's order.

    Raises:
        MessageError: The text is not a message, or is one part of several; or a column lineage has no process or output.
    """
    return parse_notification(read(value).notification)


def parse_record(value: bytes) -> Iterator[LineageProcess | CatalogChange]:
    """Yield the processes and changes of the value of a record: a message or an event.

    Raises:
        MessageError: As for `parse_message`.
    """
    for message in whole_messages([value]):
        yield from parse_message(message)


def whole_messages(values: Iterable[bytes]) -> Iterable[str | bytes]:
    """Return messages as they are, and events as messages."""
    listed = [*values]
    if not any(b'"eventTime"' in value for value in listed):
        return listed
    from sac_kafka.tools.messages.events import as_messages  # without events the bridge's modules are not needed

    return as_messages(listed)


def parse_notification(notification: Notification) -> tuple[LineageProcess | CatalogChange, ...]:
    """Convert a notification into processes and changes, in its order.

    Raises:
        MessageError: A column lineage has no process or output.
    """
    check(notification)
    return tuple(_items(notification))


def check(notification: Notification) -> None:
    """Check the column lineage of a notification.

    Raises:
        MessageError: A column lineage has no process or output, or a mapping of columns is invalid.
    """
    try:
        match notification:
            case EntityCreate(entities=entities):
                for entity in entities:
                    _check_entity(entity)
            case EntityPartialUpdate(id=id_, attributes=attributes):
                mapped_columns(AtlasEntity(id=id_, attributes=attributes))
    except (IndexError, TypeError, ValueError) as e:
        raise MessageError(f"a column lineage without its process or output: {type(e).__name__} {e}") from e


def _check_entity(entity: AtlasEntity) -> None:
    if is_column_lineage(entity.id.type_name):
        _ = process_of(entity), ends(entity, "outputs")[0]
    elif has_mapping(entity):
        mapped_columns(entity)


def has_mapping(process: AtlasEntity) -> bool:
    """Return whether the columns of a process are in an attribute, as in Purview."""
    return bool(process.sides) and not process.id.type_name.startswith(_OF_OTHER_HOOKS)


def _items(notification: Notification) -> Iterator[LineageProcess | CatalogChange]:
    match notification:
        case EntityCreate(entities=entities):
            processes = {entity.id: entity for entity in entities if is_process(entity)}
            columns: dict[AtlasObjectId, list[ColumnFlow]] = {process: [] for process in processes}
            for entity in entities:
                if is_column_lineage(entity.id.type_name):
                    output, sources = column_of(ends(entity, "outputs")[0]), map(column_of, ends(entity, "inputs"))
                    columns.setdefault(process_of(entity), []).append(column_flow(entity, output, tuple(sources)))
            for id_, flows in columns.items():
                known = processes.get(id_)
                yield as_process(known, tuple(flows), entities) if known else unknown_process(id_, tuple(flows))
            if not columns:
                verb = "altered" if notification.is_update else "defined"
                yield from (_describe(entity, verb, entities) for entity in entities if is_catalog(entity.id))
        case EntityPartialUpdate(id=id_, attributes=attributes):
            renamed = str(attributes.get("qualifiedName") or "")
            new_name = qualify(renamed) if renamed else ""
            yield CatalogChange("altered", id_.type_name, name_of(id_), _describe_alteration(attributes), new_name)
        case EntityDelete(ids=ids):
            shown = (each for each in ids if not each.type_name.endswith("_storagedesc"))
            yield from (CatalogChange("dropped", each.type_name, name_of(each)) for each in shown)


def unknown_process(id_: AtlasObjectId, columns: tuple[ColumnFlow, ...]) -> LineageProcess:
    """Return a process that is only referred to."""
    return LineageProcess(id_.qualified_name, strip_namespace(id_.qualified_name), (), (), columns)


def as_process(
    entity: AtlasEntity, columns: tuple[ColumnFlow, ...], entities: tuple[AtlasEntity, ...]
) -> LineageProcess:
    """Convert an entity into a process.

    `columns` are ignored if an attribute has them; `entities` may own it.
    """
    if has_mapping(entity):
        return _with_mapping(entity, entities)
    description = str(entity.attributes.get("description") or "")
    run_attributes = run_facts(entity)
    deciding = decided_by(entity)
    if not description and deciding:
        description = of_values(deciding)
    # A dict removes duplicates: a model and its directory have the same name and are one dataset.
    sides = {side: {name_of(end): end.type_name for end in ends(entity, side)} for side in SIDES}
    return LineageProcess(
        id=entity.id.qualified_name,
        name=str(entity.attributes.get("name") or strip_namespace(entity.id.qualified_name)),
        inputs=tuple(sides["inputs"]),
        outputs=tuple(sides["outputs"]),
        columns=columns,
        run_status={key: value for key, value in run_attributes.items() if key in _RUN_STATUS},
        constants=facts.COLUMNS_WITHOUT_SOURCES.read(run_attributes),
        constant_columns=tuple(constant_columns(entity)),
        rows="" if description == NO_CLAUSES else description,
        row_columns=tuple(row_columns(entity)),
        other_sources=_other_sources(run_attributes),
        through_driver=facts.THROUGH_DRIVER.read(run_attributes),
        decided_by=deciding,
        types={name: type_name for ends_ in sides.values() for name, type_name in ends_.items()},
        job=next(map(name_of, ends(entity, "application")), ""),
        attributes={
            **run_attributes,
            **_texts(entity, user="userName"),
            **_texts(entity, user="remoteUser", query="queryText"),
        },
    )


def _with_mapping(entity: AtlasEntity, entities: tuple[AtlasEntity, ...]) -> LineageProcess:
    """Parse a process of Purview: its columns are in an attribute."""
    columns, constants = mapped_columns(entity)
    sides = {side: {asset_name(each): each for each in entity.sides.get(side, ())} for side in SIDES}
    job = job_of(entity, entities)
    rows = str(entity.attributes.get("rowConditions") or "")
    return LineageProcess(
        id=entity.id.qualified_name,
        name=str(entity.attributes.get("name") or entity.id.qualified_name),
        inputs=tuple(sides["inputs"]),
        outputs=tuple(sides["outputs"]),
        columns=columns,
        run_status={},
        constants=", ".join(dict.fromkeys(constant.output.name for constant in constants)),
        constant_columns=constants,
        rows="" if rows == NO_CLAUSES else rows,
        other_sources=str(entity.attributes.get(facts.OTHER_SOURCES.purview) or ""),
        through_driver=str(entity.attributes.get(facts.THROUGH_DRIVER.purview) or ""),
        types={name: each.type_name for ends in sides.values() for name, each in ends.items()},
        job=with_empty_namespace(job) if job else "",
        attributes={**entity.custom_attributes, **_texts(entity, user="user", query="queryText")},
    )


def _texts(entity: AtlasEntity, **attributes: str) -> dict[str, str]:
    """Return the attributes that are set, under other keys."""
    return {word: str(value) for word, name in attributes.items() if (value := entity.attributes.get(name))}


def _other_sources(run_attributes: Mapping[str, str]) -> str:
    number = facts.INPUTS_EXCLUDED.read(run_attributes)
    excluded = f"{number} input{'' if number == '1' else 's'} excluded" if number else ""
    return ", ".join(filter(None, (facts.OTHER_SOURCES.read(run_attributes), excluded)))


def column_flow(entity: AtlasEntity, output: LineageColumn, sources: tuple[LineageColumn, ...]) -> ColumnFlow:
    """Convert a column lineage between these columns."""
    if entity.id.type_name == SPARK_TYPES.column_lineage:
        is_influence, expression = read_description(str(entity.attributes.get("description") or ""))
    else:
        is_influence, expression = False, str(entity.attributes.get("expression") or "")
    return ColumnFlow(
        output=output,
        sources=sources,
        expression=expression,
        influences=is_influence,
    )


def _describe(entity: AtlasEntity, verb: str, entities: tuple[AtlasEntity, ...]) -> CatalogChange:
    """Return the change for a table or database. A database comes with each of its tables; it is altered only if sent alone."""
    names = [
        str(each.attributes.get("name", column_of(each.id).name))
        for each in entities
        if each.id.type_name.endswith("_column") and entity.id in ends(each, "table")
    ]
    is_altered = verb == "altered" and (names or len(entities) == 1)
    return described_as("altered" if is_altered else "defined", entity.id, names)


def described_as(verb: str, id_: AtlasObjectId, columns: Collection[str]) -> CatalogChange:
    """Return the change for a table or database with these columns."""
    return CatalogChange(verb, id_.type_name, name_of(id_), f"columns {', '.join(columns)}" if columns else "")


def mark_alterations(items: Iterable[LineageProcess | CatalogChange]) -> Iterator[LineageProcess | CatalogChange]:
    """Yield the items, with the verb "altered" for objects that were described before.

    A message alone does not show whether the server already had the object.
    """
    known: set[str] = set()
    for item in items:
        if isinstance(item, LineageProcess):
            known.update(item.inputs, item.outputs)
            yield item
            continue
        is_again = item.verb == "defined" and item.name in known and bool(item.details)
        (known.discard if item.verb == "dropped" else known.add)(item.name)
        yield replace(item, verb="altered") if is_again else item


def _describe_alteration(attributes: Mapping[str, object]) -> str:
    """Return the new values of the attributes worth displaying; without any, the names of all changed attributes."""
    renamed = attributes.get("qualifiedName")
    if renamed:
        return f"is now {strip_namespace(str(renamed))}"
    given = {key: value for key, value in attributes.items() if value not in (None, "", [], {})}
    shown = [f"{word} {_text(given[key])}" for key, word in _ALTERED.items() if key in given]
    return ", ".join(shown) or ", ".join(sorted(given or attributes))


def _text(value: object) -> str:
    """Return a value as text; for a mapping its keys."""
    return " ".join(map(str, value)) if isinstance(value, Mapping) else str(value)
