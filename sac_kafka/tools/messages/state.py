"""Hold what a server holds after it has processed messages: the one source of lineage for all readers.

As on a server, an attribute that a message lacks is kept, a list of inputs or outputs replaces the earlier one, references
survive a rename, and a new entity with the name of a deleted one is another entity. Messages may begin in the middle of a topic,
so an entity that they only refer to counts as existing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Ends
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.types.sent import SPARK_TYPES
from sac_kafka.tools.messages.entities import (
    SIDES,
    column_of,
    data_type_of,
    is_catalog,
    is_column,
    is_column_lineage,
    is_process_with,
    name_of,
)
from sac_kafka.tools.messages.lineage import (
    as_process,
    check,
    column_flow,
    constant_columns,
    described_as,
    has_mapping,
    row_columns,
    unknown_process,
)
from sac_kafka.tools.messages.mappings import OWNERS
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess
from sac_kafka.tools.messages.names import asset_name

_APPLICATION = SPARK_TYPES.application
_NAME, _DETAILS, _DATABASE, _TABLE = "qualifiedName", "details", "db", "_table"


@dataclass(eq=False, slots=True)
class _Stored:
    """An entity of the server, compared by identity because its name may change; a column has only its table and type.

    `is_shell` is True while messages only refer to it, `is_asset` for an asset of Purview.
    `rows` and `constants` are the columns that its `details` name, `columns` those that have referred to a table.
    """

    id: AtlasObjectId
    is_shell: bool = True
    is_deleted: bool = False
    is_asset: bool = False
    data_type: str = ""
    attributes: dict[str, object] = field(default_factory=dict)
    custom_attributes: Mapping[str, str] = field(default_factory=dict)
    references: dict[str, tuple[_Stored, ...]] = field(default_factory=dict)
    sides: dict[str, tuple[_Stored, ...]] = field(default_factory=dict)
    columns: dict[_Stored, None] = field(default_factory=dict)
    rows: tuple[tuple[str, _NamedColumn], ...] = ()
    constants: tuple[tuple[_NamedColumn, str], ...] = ()

    @property
    def name(self) -> str:
        """The qualifiedName, with an empty namespace if it has none."""
        return asset_name(self.id) if self.is_asset else name_of(self.id)

    @property
    def column(self) -> LineageColumn:
        """The column that it is; of a renamed table, also if it was deleted before and kept its name."""
        column = column_of(self.id)
        owner = next(iter(self.ends("table")), None)
        return replace(column, dataset=owner.name if owner else column.dataset, data_type=self.data_type)

    def ends(self, *roles: str) -> tuple[_Stored, ...]:
        """Return the entities that it references in these roles."""
        return tuple(end for role in roles for end in self.references.get(role) or self.sides.get(role, ()))

    def entity(self) -> AtlasEntity:
        """Return it as one message would describe it, with current names."""
        return AtlasEntity(
            id=self.id,
            attributes=self.attributes,  # type: ignore[arg-type] # as they were read
            references=_ids(self.references),
            sides=_ids(self.sides),
            custom_attributes=self.custom_attributes,
        )


@dataclass(frozen=True, slots=True)
class _NamedColumn:
    """A column that a text names, with the entities of these names at that time."""

    column: LineageColumn
    dataset: _Stored | None
    entity: _Stored | None

    def current(self) -> LineageColumn:
        """Return the column with the current names of its dataset and itself."""
        now = self.column if self.entity is None else self.entity.column
        dataset = self.dataset.name if self.dataset else self.column.dataset
        return replace(self.column, dataset=dataset, name=now.name, data_type=now.data_type)


class ServerState:
    """The entities of a server, changed by notifications in their order.

    Raises:
        MessageError: As `apply`.
    """

    def __init__(self, notifications: Iterable[Notification] = ()) -> None:
        self._active: dict[AtlasObjectId, _Stored] = {}
        self._columns: dict[str, dict[str, _Stored]] = {}  # active ones, by the names of dataset and column
        self._dropped: dict[AtlasObjectId, _Stored] = {}  # tables
        for notification in notifications:
            self.apply(notification)

    def apply(self, notification: Notification) -> None:
        """Change the entities as a server does.

        Raises:
            MessageError: A column lineage has no process or output, or a mapping of columns is invalid. Nothing has changed then.
        """
        check(notification)
        match notification:
            case EntityCreate(entities=entities):
                for entity in entities:
                    self._write(self._get(entity.id), entity)
            case EntityPartialUpdate(id=id_, attributes=attributes):
                self._update(self._get(id_), attributes)
            case EntityDelete(ids=ids):
                for id_ in ids:
                    if stored := self._active.get(id_):
                        self._delete(stored)

    def items(self) -> Iterator[LineageProcess | CatalogChange]:
        """Yield the processes with all that is known of them, tables and databases without a flow, then dropped datasets."""
        others = [each for each in self._active.values() if not is_column(each.id.type_name)]
        flows = _flows_by_process(others)
        processes = [
            other
            for other in others
            if other in flows or is_process_with(other.id.type_name, (*other.sides, *other.references))
        ]
        datasets = dict.fromkeys(end for process in processes for end in process.ends(*SIDES))
        exist = {other.name for other in others}
        dropped = {each.name: each for each in (*datasets, *self._dropped.values()) if each.is_deleted}
        dropped = {name: each for name, each in dropped.items() if name not in exist}
        for process in processes:
            yield _process(process, flows.get(process, []), dropped)
        used = {dataset.name for dataset in datasets} | {db.name for other in others for db in other.ends(_DATABASE)}
        for other in others:
            if is_catalog(other.id) and other.name not in used:
                yield described_as("defined", other.id, self._columns.get(other.name, ()))
        yield from (CatalogChange("dropped", each.id.type_name, name) for name, each in dropped.items())

    def applications(self) -> Iterator[AtlasEntity]:
        """Yield the applications."""
        yield from (each.entity() for each in self._active.values() if each.id.type_name == _APPLICATION)

    def _get(self, id_: AtlasObjectId) -> _Stored:
        """Return the active entity with this id, which is created if it does not exist."""
        stored = self._active.get(id_)
        if stored is None:
            stored = _Stored(id_)
            self._add(stored)
        return stored

    def _add(self, stored: _Stored) -> None:
        self._active[stored.id] = stored
        if is_column(stored.id.type_name):
            column = column_of(stored.id)
            self._columns.setdefault(column.dataset, {})[column.name] = stored

    def _remove(self, stored: _Stored) -> None:
        self._active.pop(stored.id, None)
        if is_column(stored.id.type_name):
            column = column_of(stored.id)
            self._columns.get(column.dataset, {}).pop(column.name, None)

    def _write(self, stored: _Stored, entity: AtlasEntity) -> None:
        stored.is_shell = False
        if is_column(stored.id.type_name):
            if owner := entity.references.get("table"):
                stored.references["table"] = self._ends((), owner)
                for table in stored.references["table"]:
                    table.columns[stored] = None
            self._update(stored, entity.attributes)
            return
        for there, given in ((stored.references, entity.references), (stored.sides, entity.sides)):
            there |= {role: self._ends(there.get(role, ()), each) for role, each in given.items()}
        if has_mapping(entity):
            for end in stored.ends(*SIDES):
                end.is_asset = True
        stored.custom_attributes = entity.custom_attributes or stored.custom_attributes
        self._update(stored, entity.attributes)

    def _ends(self, earlier: tuple[_Stored, ...], given: Ends) -> tuple[_Stored, ...]:
        """Return the new ends of a relationship, and the earlier ones that are deleted: a server keeps their edges."""
        # AtlasObjectId is a NamedTuple, so test for it before treating the value as a sequence.
        now = dict.fromkeys(map(self._get, (given,) if isinstance(given, AtlasObjectId) else given))
        return (*now, *(each for each in earlier if each.is_deleted))

    def _update(self, stored: _Stored, attributes: Mapping[str, object]) -> None:
        new_name = attributes.get(_NAME)
        if new_name and new_name != stored.id.qualified_name:
            self._remove(stored)
            stored.id = stored.id._replace(qualified_name=str(new_name))
            self._add(stored)
        if is_column(stored.id.type_name):
            stored.data_type = data_type_of(stored.id.type_name, attributes) or stored.data_type
            return
        stored.attributes |= {key: value for key, value in attributes.items() if key != _NAME}
        if _DETAILS in attributes:
            entity, ends = stored.entity(), {end.name: end for end in stored.ends(*SIDES)}
            # A name that is that of no end was used before a rename that these messages lack.
            rows = ((clause, self._name(column, ends)) for clause, column in row_columns(entity))
            stored.rows = tuple((clause, column) for clause, column in rows if column.dataset)
            stored.constants = tuple(
                (self._name(constant_column.output, ends), constant_column.expression)
                for constant_column in constant_columns(entity)
            )

    def _name(self, column: LineageColumn, ends: Mapping[str, _Stored]) -> _NamedColumn:
        return _NamedColumn(column, ends.get(column.dataset), self._columns.get(column.dataset, {}).get(column.name))

    def _delete(self, stored: _Stored) -> None:
        self._remove(stored)
        stored.is_deleted = True
        if stored.id.type_name.endswith(_TABLE):
            self._dropped[stored.id] = stored
            # A column belongs to the table that it refers to: after a rename its name may be that of another one.
            for column in (*stored.columns, *self._columns.get(stored.name, {}).values()):
                if not column.is_deleted and column.ends("table") in ((), (stored,)):
                    self._delete(column)


def _ids(ends: Mapping[str, tuple[_Stored, ...]]) -> dict[str, tuple[AtlasObjectId, ...]]:
    return {role: tuple(column.id for column in columns) for role, columns in ends.items()}


def _flows_by_process(found: list[_Stored]) -> dict[_Stored, list[_Stored]]:
    """Return the column lineage by process; a server keeps it when its process is deleted, and no graph shows it then."""
    flows: dict[_Stored, list[_Stored]] = {}
    for each in found:
        if is_column_lineage(each.id.type_name) and not each.is_shell:
            (process, *_) = each.ends("process", "query")
            if not process.is_deleted:
                flows.setdefault(process, []).append(each)
    return flows


def _process(stored: _Stored, flows: list[_Stored], dropped: Mapping[str, _Stored]) -> LineageProcess:
    """Return a process; a deleted column has no lineage, unless it was deleted with its dataset."""

    def is_there(column: _Stored | None) -> bool:
        return column is None or not column.is_deleted or column.column.dataset in dropped

    columns = tuple(map(_flow, (flow for flow in flows if is_there(flow.ends("outputs")[0]))))
    if stored.is_shell:
        return unknown_process(stored.id, columns)
    entity = stored.entity()
    process = as_process(entity, columns, _owners(stored))
    if has_mapping(entity):
        return process
    constants = ((each, expression) for each, expression in stored.constants if is_there(each.entity))
    return replace(
        process,
        row_columns=tuple((clause, each.current()) for clause, each in stored.rows),
        constant_columns=tuple(ColumnFlow(each.current(), (), expression) for each, expression in constants),
    )


def _owners(stored: _Stored) -> tuple[AtlasEntity, ...]:
    """Return the task and the job that own a process in Databricks."""
    owners = stored.ends(*OWNERS)
    return tuple(each.entity() for owner in owners for each in (owner, *owner.ends(*OWNERS)))


def _flow(stored: _Stored) -> ColumnFlow:
    (output, *_) = stored.ends("outputs")
    return column_flow(stored.entity(), output.column, tuple(end.column for end in stored.ends("inputs")))
