"""Combine the rows of one statement into flows, one per target, and turn a flow into a process."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from sac_kafka.model import (
    SESSION_CATALOG,
    Application,
    Column,
    ColumnLineage,
    ColumnSource,
    Dataset,
    Dependency,
    Process,
    Requester,
    Run,
    TableDataset,
)
from sac_kafka.model.bounds import Budget
from sac_kafka.model.gaps import CONDITIONS_UNKNOWN
from sac_kafka.model.merging import merge
from sac_kafka.names.files import paths
from sac_kafka.names.paths import Patterns
from sac_kafka.unity.queries import LineageRow, Place

NO_COLUMNS = "columns not known: Unity Catalog has none of this flow"
MAX_SOURCES = 10_000
"""Sources of a flow; further ones are omitted."""
MAX_EDGES = 200_000
"""Pairs of columns of a flow; with more, it has no columns."""
SERVER = "Databricks SQL"
"""The server that runs statements on SQL warehouses and serverless compute."""
HIVE_CATALOGS = frozenset({"hive_metastore", SESSION_CATALOG})
"""Names of the workspace's Hive metastore, which the hook calls the session catalog."""
_DEFINED = frozenset({"VIEW", "METRIC_VIEW"})
"""Types of targets that a statement defines, and does not write."""
_MANAGED = re.compile(r"/__unitystorage/|/tables/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/?\Z", re.IGNORECASE)
"""Locations that Unity Catalog has chosen."""

DescribeTable = Callable[[str], TableDataset | None]
"""Return the definition of a table by its full name; None if it cannot be read."""


@dataclass(slots=True)
class UnityFlow:
    """What one statement has read for one target.

    Attributes:
        row: A row of it, for what all of them share.
        target: The target.
        sources: The sources by their keys.
        columns: Pairs of the key of a source and its column, by the column of the target.
        edges: The number of these pairs.
    """

    row: LineageRow
    target: Place
    sources: dict[str, Place] = field(default_factory=dict)
    columns: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    edges: int = 0

    def add(self, row: LineageRow) -> None:
        """Add a row."""
        key = row.source.key
        if key not in self.sources and len(self.sources) >= MAX_SOURCES:
            return
        self.sources[key] = _fuller(self.sources.get(key), row.source)
        self.target = _fuller(self.target, row.target)
        if row.source_column and row.target_column and self.edges <= MAX_EDGES:
            used = self.columns.setdefault(row.target_column, set())
            before = len(used)
            used.add((key, row.source_column))
            self.edges += len(used) - before

    @property
    def identity(self) -> str:
        """A short digest of the statement and the target."""
        return _digest([self.row.flow_key, self.target.key])

    @property
    def content(self) -> str:
        """A short digest of everything that the process has."""
        columns = sorted((column, sorted(used)) for column, used in self.columns.items())
        return _digest([self.row[1:8], self.target, sorted(self.sources), columns])


def flows_of(rows: Iterable[LineageRow]) -> Iterator[UnityFlow]:
    """Yield the flows of rows that are in the order of statements, so that only those of one are in memory."""
    for _, group in groupby(rows, key=lambda row: row.flow_key):
        found: dict[str, UnityFlow] = {}
        for row in group:
            flow = found.get(row.target.key)
            if flow is None:
                flow = found[row.target.key] = UnityFlow(row, row.target)
            flow.add(row)
        yield from found.values()


def process_of(
    flow: UnityFlow, application: Application, describe: DescribeTable, patterns: Patterns, budget: Budget
) -> Process:
    """Return the process of a flow.

    Args:
        flow: The flow.
        application: The job that has run it.
        describe: Returns definitions of tables.
        patterns: The patterns for segments of paths in the settings.
        budget: The limits of column lineage in the settings.
    """
    used: dict[str, set[str]] = {}
    for source, column in {pair for pairs in flow.columns.values() for pair in pairs}:
        used.setdefault(source, set()).add(column)
    named = {key: _dataset(place, used.get(key, ()), describe, patterns) for key, place in flow.sources.items()}
    output = _dataset(flow.target, flow.columns, describe, patterns)
    inputs: dict[str, Dataset] = {}
    for each in named.values():
        inputs[each.key] = each if each.key not in inputs else merge(inputs[each.key], each)
    exceeded = f"more than {MAX_EDGES} edges" if flow.edges > MAX_EDGES else None
    exceeded = exceeded or budget.exceeded_limit(columns=len(flow.columns), edges=flow.edges)
    columns = () if exceeded else tuple(_columns(flow, output.key, named))
    return Process(
        application=application,
        run=Run(execution_id=None, started_ms=flow.row.started // 1000, requester=_requester(flow.row)),
        inputs=tuple(inputs[key] for key in sorted(inputs)),
        outputs=(output,),
        columns=columns,
        columns_omitted=exceeded,
        defines_view=flow.target.kind in _DEFINED,
        gaps=(CONDITIONS_UNKNOWN,) if columns or exceeded else (NO_COLUMNS, CONDITIONS_UNKNOWN),
    )


def _requester(row: LineageRow) -> Requester | None:
    """Return who has sent a statement to a SQL warehouse or to serverless compute."""
    if not row.statement_id:
        return None
    return Requester(user=row.created_by, server=SERVER, operation_id=row.statement_id)


def _columns(flow: UnityFlow, output: str, named: Mapping[str, Dataset]) -> Iterator[ColumnLineage]:
    """Yield the column lineage. Unity Catalog does not state how a column is used, so it may have been transformed."""
    for column in sorted(flow.columns):
        sources = {
            ColumnSource(named[source].key, name, Dependency.TRANSFORMATION)
            for source, name in flow.columns[column]
            if source in named
        }
        ordered = sorted(sources, key=lambda each: (each.dataset, each.column))
        yield ColumnLineage(dataset=output, column=column, sources=tuple(ordered))


def _dataset(place: Place, columns: Iterable[str], describe: DescribeTable, patterns: Patterns) -> Dataset:
    """Return the dataset of a source or target: a table as the hook names it, else a path."""
    if not place.name:
        path = place.path or ""
        return paths((path if ":/" in path else f"dbfs:{path}",), "", (), patterns)[0]
    table = (None if place.catalog in HIVE_CATALOGS else describe(place.full_name)) or _describe(place)
    more = tuple(Column(name=each) for each in sorted({*columns} - {each.name for each in table.columns}))
    return replace(table, columns=(*table.columns, *more))


def _describe(place: Place) -> TableDataset:
    """Return a table as far as a row describes it."""
    is_managed = bool(place.path and _MANAGED.search(place.path))
    is_view = (place.kind or "").endswith("VIEW")
    return TableDataset(
        catalog=None if place.catalog in HIVE_CATALOGS else place.catalog,
        database=place.schema or "",
        name=place.name or "",
        location=None if is_managed or is_view else place.path,
        table_type=place.kind if is_view else "MANAGED" if is_managed else None,
    )


def _fuller(known: Place | None, other: Place) -> Place:
    """Return a place with what two rows state about it."""
    if known is None:
        return other
    return Place(*(one or two for one, two in zip(known, other, strict=True)))


def _digest(value: object) -> str:
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=8).hexdigest()
