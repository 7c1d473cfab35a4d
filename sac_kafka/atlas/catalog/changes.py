"""What happened to a catalog, as notifications: definitions, partial updates, deletes.

One registered function a class of `lineage.model.Change`. A definition is the whole of what the catalog has now, so
what is not in it is reset or deleted by name. An entity is renamed together with all that is named after it (R18), and
only once it surely exists (R19).

Tables of a Hive model are left to the Hive hook that describes them (R29).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import singledispatch

from sac_kafka.atlas import datasets, qualified_name
from sac_kafka.atlas.catalog.resetting import as_whole, with_resets
from sac_kafka.atlas.catalog.view_definitions import definitions, ended
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows.entity_bundle import EntityBundle, definition
from sac_kafka.atlas.groups import GroupToken, grouped
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value
from sac_kafka.atlas.naming import Naming
from sac_kafka.atlas.notification import EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.lineage.model import (
    Change,
    ColumnRenamed,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    TableDefined,
    TableDropped,
    TableRenamed,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleNotification:
    """A notification that is a message of its own, and what the delivery of it confirms."""

    notification: Notification
    tokens: tuple[GroupToken, ...] = ()


Emission = EntityBundle | SingleNotification


def emissions(change: Change, *, naming: Naming, remembered: Remembered, now_ms: int) -> tuple[Emission, ...]:
    """What a server has to be told of a change, in order; `now_ms` is epoch milliseconds."""
    no_views = without_definitions(_no_views(change, naming, remembered), naming, remembered, now_ms)
    if naming.is_hive(_catalog(change)):
        _forget(change, naming, remembered, now_ms)
        return no_views
    return (*no_views, *_emissions(change, naming, remembered, now_ms))


def without_definitions(
    names: Iterable[AtlasObjectId], naming: Naming, remembered: Remembered, now_ms: int
) -> tuple[SingleNotification, ...]:
    """Deletes the definitions, with their column lineage, that views had whose names are now those of no view."""
    gone = ended(definitions(names, remembered, naming.namespace), remembered, now_ms)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()


def _no_views(change: Change, naming: Naming, remembered: Remembered) -> tuple[AtlasObjectId, ...]:
    """The names that are those of no view after a change, or of none that the change says is one."""
    match change:
        case TableDropped(table=table):
            return (datasets.entities(table, naming).id,)
        case TableRenamed(old=old, new=new):  # what had the new name before is gone; the view's own has yet to be said
            return (datasets.entities(old, naming).id, datasets.entities(new, naming).id)
        case TableDefined(table=table) if not table.is_view:
            return (datasets.entities(table, naming).id,)
        case DatabaseDropped(database=database):
            return tuple(_tables_in(database, naming, remembered))
    return ()


def vanished(described: DatasetEntities, remembered: Remembered, now_ms: int) -> tuple[Emission, ...]:
    """Deletes what was sent of a dataset and is not in its whole definition; it is forgotten at once."""
    there = {each.id for each in described.details}
    gone = tuple(sorted(remembered.members(described.id) - there))
    remembered.drop_members(described.id, gone)
    if gone:
        remembered.drop_columns((described.id,), now_ms)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()


@singledispatch
def _emissions(change: Change, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:  # noqa: ARG001
    """The registered ones say what they yield."""
    raise TypeError(f"no notification for a {type(change).__name__}")


@_emissions.register
def _(change: TableDefined, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """A partial update where only the table itself changed, else the whole definition."""
    described = as_whole(datasets.entities(change.table, naming))
    yield from vanished(described, remembered, now_ms)
    columns = definition(described)
    head = described.head[-1]
    is_there = remembered.has(described.id, now_ms)
    if is_there and not remembered.unsent((columns,), now_ms):
        yield SingleNotification(notification=EntityPartialUpdate(id=head.id, attributes=head.attributes))
    else:
        yield EntityBundle(heads=(described.head,), definitions=(columns,), is_update=is_there)


@_emissions.register
def _(change: TableRenamed, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """The table, its storage and its columns, each by a partial update of its qualifiedName.

    Columns that it does not have any more, by the time that it was looked up, go before.
    """
    under_old_name = replace(change.new, catalog=change.old.catalog, database=change.old.database, name=change.old.name)
    old = datasets.entities(under_old_name, naming)
    if change.new.columns:
        yield from vanished(old, remembered, now_ms)
    yield from _renamed(old, datasets.entities(change.new, naming), remembered, now_ms)


@_emissions.register
def _(change: ColumnRenamed, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    before = tuple(replace(c, name=change.old) if c.name == change.new else c for c in change.table.columns)
    yield from _renamed(
        datasets.entities(replace(change.table, columns=before), naming),
        datasets.entities(change.table, naming),
        remembered,
        now_ms,
    )


@_emissions.register
def _(change: TableDropped, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """The storage first, which nothing deletes; a server deletes columns with their table."""
    ids = _with_storage(datasets.entities(change.table, naming))
    remembered.drop(ids, now_ms)
    yield SingleNotification(notification=EntityDelete(ids=ids))


@_emissions.register
def _(change: DatabaseDefined, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """A partial update, which resets what is gone, where the server surely has the database."""
    database = datasets.database(change.database, naming)
    if remembered.has(database.id, now_ms):
        yield SingleNotification(notification=EntityPartialUpdate(id=database.id, attributes=with_resets(database)))
    else:
        group = grouped(database.id, owners=(database,), members=())
        yield EntityBundle(heads=((database,),), definitions=(group,))


@_emissions.register
def _(change: DatabaseDropped, naming: Naming, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    """The tables in it that are remembered, then the database."""
    database = datasets.database(change.database, naming).id
    tables = _tables_in(change.database, naming, remembered)
    storages = (each for table in tables for each in remembered.members(table) if each.type_name == "spark_storagedesc")
    ids = (*sorted(storages), *tables)
    remembered.drop((*ids, database), now_ms)
    yield SingleNotification(notification=EntityDelete(ids=(*ids, database)))


def _renamed(old: DatasetEntities, new: DatasetEntities, remembered: Remembered, now_ms: int) -> Iterator[Emission]:
    before, after = (old.head[-1], *old.details), (new.head[-1], *new.details)
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a.id != b.id or a.attributes != b.attributes]
    if not pairs:
        return
    known = remembered.sent_members(old.id)
    # The last definition under the old name may have been that of a later table: a definition is looked up after its event.
    if remembered.unsent((definition(old),), now_ms) or any(each.id not in known for each in old.details):
        whole = as_whole(old)
        yield EntityBundle(heads=(whole.head,), definitions=(definition(whole),), is_remembered=False)
    columns = definition(new)
    for position, (a, b) in enumerate(pairs):
        # Each confirms a share of the renamed group, so that all of it is sent again if one is lost.
        members = tuple(each.id for each in new.details) if position == 0 else ()
        token = GroupToken(new.id, columns.digest, position, position + 1, len(pairs), members)
        # The table and its storage whole: nobody knows what was said of them under the old name. The data of a managed table
        # moves with its name, and attributes may have been those of a later table, as above.
        is_whole = a.id == old.id or a.id == old.storage
        attributes = {"qualifiedName": b.id.qualified_name, **with_resets(b)} if is_whole else _differences(a, b)
        yield SingleNotification(notification=EntityPartialUpdate(id=a.id, attributes=attributes), tokens=(token,))
    if old.id != new.id:
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
    """What the Hive hook says of a table, it says of the columns that were sent lineage of, too."""
    match change:
        case TableDropped(table=table) | TableRenamed(old=table):
            remembered.drop([datasets.entities(table, naming).id], now_ms)
        case TableDefined(table=table):
            vanished(datasets.entities(table, naming), remembered, now_ms)
        case ColumnRenamed(table=table):
            remembered.drop_columns([datasets.entities(table, naming).id], now_ms)
        case DatabaseDropped(database=database):
            remembered.drop(_tables_in(database, naming, remembered), now_ms)


def _tables_in(database: Database, naming: Naming, remembered: Remembered) -> list[AtlasObjectId]:
    """The tables of a database that are remembered, and of those within it."""
    type_name = "hive_table" if naming.is_hive(database.catalog) else "spark_table"
    is_in = qualified_name.table_names_in(
        datasets.database(database, naming).id.qualified_name,
        has_levels=database.catalog is not None,
        namespace=naming.namespace,
    )
    return sorted(each for each in remembered.owners(type_name) if is_in(each.qualified_name))


def _with_storage(table: DatasetEntities) -> tuple[AtlasObjectId, ...]:
    """The table after its storage, whether that was ever sent or not: a server ignores a missing one."""
    return (*((table.storage,) if table.storage else ()), table.id)


def _catalog(change: Change) -> str | None:
    """The catalog that a change is of, None for the session catalog."""
    match change:
        case (
            TableRenamed(new=table) | TableDefined(table=table) | ColumnRenamed(table=table) | TableDropped(table=table)
        ):
            return table.catalog
        case DatabaseDefined(database=database) | DatabaseDropped(database=database):
            return database.catalog
