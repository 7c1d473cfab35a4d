"""Convert changes of a catalog to notifications: definitions, partial updates and deletes.

One function is registered per class of `model.Change`. A definition is complete, so whatever it lacks is reset or
deleted by name. An entity is renamed together with all entities named after it (R18), and only if it certainly exists
(R19).

Tables of the Hive model are not emitted; the Hive hook describes them (R29).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import singledispatch

from sac_kafka.atlas import datasets, qualified_name
from sac_kafka.atlas.catalog.definitions import as_whole, definitions, end_definitions, with_resets
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows.entity_bundle import EntityBundle, definition
from sac_kafka.atlas.limits import COMMENT_LIMIT, truncate
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, GroupToken, Value, make_group
from sac_kafka.atlas.naming import Naming
from sac_kafka.atlas.notification import EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.model import (
    Change,
    ColumnRenamed,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    DatasetDescribed,
    RowsRemoved,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleNotification:
    """A notification sent as a separate message, with the group tokens that its delivery confirms."""

    notification: Notification
    tokens: tuple[GroupToken, ...] = ()


Emission = EntityBundle | SingleNotification


def emissions(change: Change, *, naming: Naming, remembered: Remembered, now_ms: int) -> tuple[Emission, ...]:
    """Return the emissions for a change, in sending order; `now_ms` is epoch milliseconds."""
    no_views = without_definitions(_no_views(change, naming, remembered), naming, remembered, now_ms)
    if naming.is_hive(_catalog(change)):
        _forget(change, naming, remembered, now_ms)
        return no_views
    return (*no_views, *_emissions(change, naming, remembered, now_ms))


def without_definitions(
    names: Iterable[AtlasObjectId], naming: Naming, remembered: Remembered, now_ms: int
) -> tuple[SingleNotification, ...]:
    """Return deletes of view definitions, with their column lineage, for names that no longer denote a view."""
    gone = end_definitions(definitions(names, remembered, naming.namespace), remembered, now_ms)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()


def _no_views(change: Change, naming: Naming, remembered: Remembered) -> tuple[AtlasObjectId, ...]:
    """Return the names of which the change proves that they denote no view afterwards."""
    match change:
        case TableDropped(table=table):
            return (datasets.entities(table, naming).id,)
        case TableRenamed(old=old, new=new):
            # A view that had the new name is gone; the definition of the renamed view is emitted later.
            return (datasets.entities(old, naming).id, datasets.entities(new, naming).id)
        case TableDefined(table=table) if not table.is_view:
            return (datasets.entities(table, naming).id,)
        case DatabaseDropped(database=database):
            return tuple(_tables_in(database, naming, remembered))
    return ()


def delete_missing(
    described: DatasetEntities, remembered: Remembered, now_ms: int, but: Iterable[AtlasObjectId] = ()
) -> tuple[Emission, ...]:
    """Return deletes of what was sent for a dataset but is missing from its complete definition and `but`, and forget it."""
    there = {*but, *(detail.id for detail in described.details)}
    gone = tuple(sorted(remembered.members(described.id) - there))
    remembered.drop_members(described.id, gone)
    if gone:
        remembered.drop_columns((described.id,), now_ms)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()


@singledispatch
def _emissions(change: Change, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:  # noqa: ARG001
    """Yield the emissions for a change; implemented once per class of change."""
    raise TypeError(f"no notification for a {type(change).__name__}")


@_emissions.register
def _(change: TableDefined, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """Yield a partial update if only the table itself changed, otherwise the complete definition."""
    described = as_whole(datasets.entities(change.table, naming))
    yield from delete_missing(described, remembered, now_ms)
    columns = definition(described)
    head = described.head[-1]
    is_known = remembered.has(described.id, now_ms)
    if is_known and not remembered.unsent((columns,), now_ms):
        yield SingleNotification(notification=EntityPartialUpdate(id=head.id, attributes=head.attributes))
    else:
        yield EntityBundle(heads=(described.head,), definitions=(columns,), is_update=is_known)


@_emissions.register
def _(change: TableRenamed, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """Yield a partial update of the qualifiedName for the table, its storage and its columns.

    Columns that had disappeared when the table was looked up are deleted first.
    """
    under_old_name = replace(change.new, catalog=change.old.catalog, database=change.old.database, name=change.old.name)
    old = datasets.entities(under_old_name, naming)
    if change.new.columns:
        yield from delete_missing(old, remembered, now_ms)
    yield from _rename(old, datasets.entities(change.new, naming), remembered, now_ms)


@_emissions.register
def _(change: ColumnRenamed, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    before = tuple(replace(c, name=change.old) if c.name == change.new else c for c in change.table.columns)
    yield from _rename(
        datasets.entities(replace(change.table, columns=before), naming),
        datasets.entities(change.table, naming),
        remembered,
        now_ms,
    )


@_emissions.register
def _(change: TableDropped, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """Yield a delete of the storage, which nothing else deletes, and the table; Atlas deletes columns with their table."""
    ids = _with_storage(datasets.entities(change.table, naming))
    remembered.drop(ids, now_ms)
    yield SingleNotification(notification=EntityDelete(ids=ids))


@_emissions.register
def _(change: DatabaseDefined, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """Yield a partial update that resets removed properties if the server has the database, otherwise its definition."""
    database = datasets.database(change.database, naming)
    if remembered.has(database.id, now_ms):
        yield SingleNotification(notification=EntityPartialUpdate(id=database.id, attributes=with_resets(database)))
    else:
        group = make_group(database.id, owners=(database,), members=())
        yield EntityBundle(heads=((database,),), definitions=(group,))


@_emissions.register
def _(change: DatabaseDropped, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """Yield a delete of the remembered tables of the database, then of the database."""
    database = datasets.database(change.database, naming).id
    tables = _tables_in(change.database, naming, remembered)
    storages = (
        member for table in tables for member in remembered.members(table) if member.type_name == "spark_storagedesc"
    )
    ids = (*sorted(storages), *tables)
    remembered.drop((*ids, database), now_ms)
    yield SingleNotification(notification=EntityDelete(ids=(*ids, database)))


@_emissions.register
def _(change: DatasetDescribed, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """Yield the dataset with the description and its columns. It is no definition: it resets and deletes no attribute."""
    del remembered, now_ms
    described = datasets.entities(change.dataset, naming)
    head = described.head[-1]
    texts = {"description": change.description, "owner": change.owner}
    known = {name: truncate(text, COMMENT_LIMIT) for name, text in texts.items() if text}
    whole = replace(head, attributes={**head.attributes, **known}, labels=change.labels)

    def shown(entities: tuple[AtlasEntity, ...]) -> tuple[AtlasEntity, ...]:
        return tuple(whole if entity.id == head.id else entity for entity in entities)

    described = replace(described, head=shown(described.head), owners=shown(described.owners))
    yield EntityBundle(heads=(described.head,), definitions=(definition(described),))


@_emissions.register
def _(change: RowsRemoved, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """Record which flows this makes obsolete; they are deleted later (`standing`)."""
    dataset = datasets.entities(change.dataset, naming).id
    remembered.flows.remove((dataset,), change.part, change.job, now_ms)
    yield from ()


def _rename(old: DatasetEntities, new: DatasetEntities, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    before, after = (old.head[-1], *old.details), (new.head[-1], *new.details)
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a.id != b.id or a.attributes != b.attributes]
    if not pairs:
        return
    known = remembered.sent_members(old.id)
    # The last definition under the old name may have been that of a later table: a definition is looked up after its event.
    if remembered.unsent((definition(old),), now_ms) or any(detail.id not in known for detail in old.details):
        whole = as_whole(old)
        yield EntityBundle(heads=(whole.head,), definitions=(definition(whole),), is_remembered=False)
    columns = definition(new)
    for position, (a, b) in enumerate(pairs):
        # Each update confirms a part of the renamed group, so losing one of them sends the whole group again.
        members = tuple(detail.id for detail in new.details) if position == 0 else ()
        token = GroupToken(new.id, columns.digest, position, position + 1, len(pairs), members)
        # Table and storage are sent whole: what was sent under the old name is unknown. The data of a managed table moves
        # with its name, and attributes may have been those of a later table, as above.
        is_whole = a.id == old.id or a.id == old.storage
        attributes = {"qualifiedName": b.id.qualified_name, **with_resets(b)} if is_whole else _differences(a, b)
        yield SingleNotification(notification=EntityPartialUpdate(id=a.id, attributes=attributes), tokens=(token,))
    if old.id != new.id:
        remembered.flows.rename(old.id, new.id, now_ms)
        remembered.drop([old.id], now_ms)
    else:
        remembered.drop_columns([old.id], now_ms)


def _differences(before: AtlasEntity, after: AtlasEntity) -> dict[str, Value]:
    changed = {
        name: value
        for name, value in with_resets(after).items()
        if value is not None and before.attributes.get(name) != value
    }
    renamed = {"qualifiedName": after.id.qualified_name} if before.id != after.id else {}
    return {**renamed, **changed}


def _forget(change: Change, naming: Naming, remembered: Remembered, now_ms: int) -> None:
    """Forget what the Hive hook now reports: its entities replace the columns that column lineage was sent for."""
    match change:
        case TableRenamed(old=old, new=new):
            was, now = datasets.entities(old, naming).id, datasets.entities(new, naming).id
            remembered.flows.rename(was, now, now_ms)
            remembered.drop([was], now_ms)
        case TableDropped(table=table):
            remembered.drop([datasets.entities(table, naming).id], now_ms)
        case TableDefined(table=table):
            delete_missing(datasets.entities(table, naming), remembered, now_ms)
        case ColumnRenamed(table=table):
            remembered.drop_columns([datasets.entities(table, naming).id], now_ms)
        case DatabaseDropped(database=database):
            remembered.drop(_tables_in(database, naming, remembered), now_ms)


def _tables_in(database: Database, naming: Naming, remembered: Remembered) -> list[AtlasObjectId]:
    """Return the remembered tables of a database and of the databases nested in it."""
    type_name = "hive_table" if naming.is_hive(database.catalog) else "spark_table"
    is_in = qualified_name.table_names_in(
        datasets.database(database, naming).id.qualified_name,
        has_levels=database.catalog is not None,
        namespace=naming.namespace,
    )
    return sorted(owner for owner in remembered.owners(type_name) if is_in(owner.qualified_name))


def _with_storage(table: DatasetEntities) -> tuple[AtlasObjectId, ...]:
    """Return the storage, then the table; Atlas ignores a delete of a storage that was never sent."""
    return (*((table.storage,) if table.storage else ()), table.id)


def _catalog(change: Change) -> str | None:
    """Return the catalog that a change belongs to; None for the session catalog."""
    match change:
        case (
            TableRenamed(new=table) | TableDefined(table=table) | ColumnRenamed(table=table) | TableDropped(table=table)
        ):
            return table.catalog
        case DatabaseDefined(database=database) | DatabaseDropped(database=database):
            return database.catalog
        case DatasetDescribed(dataset=TableDataset() as table):
            return table.catalog
        case RowsRemoved() | DatasetDescribed():  # of a table that the Hive hook describes, too, the flows are ours
            return ""
