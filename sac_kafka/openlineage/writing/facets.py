"""Build the facets that OpenLineage defines, from processes and datasets (`spec/facets`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sac_kafka.model import Column, ColumnLineage, ColumnSource, Dataset, Dependency, Process, RowClause, TableDataset
from sac_kafka.names.openlineage_names import LinkedName
from sac_kafka.openlineage.own_facets import ALL, schema_of
from sac_kafka.version import __version__

PRODUCER = f"urn:sac-kafka:{__version__}"
_EVENTS = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
RUN_EVENT, DATASET_EVENT = f"{_EVENTS}RunEvent", f"{_EVENTS}DatasetEvent"
_SCHEMAS: Mapping[str, str] = MappingProxyType(
    {
        "columnLineage": "1-2-0/ColumnLineageDatasetFacet",
        "documentation": "1-1-0/DocumentationDatasetFacet",
        "errorMessage": "1-0-1/ErrorMessageRunFacet",
        "inputStatistics": "1-0-0/InputStatisticsInputDatasetFacet",
        "jobType": "2-0-4/JobTypeJobFacet",
        "lifecycleStateChange": "1-0-1/LifecycleStateChangeDatasetFacet",
        "outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet",
        "ownership": "1-0-1/OwnershipDatasetFacet",
        "parent": "1-2-0/ParentRunFacet",
        "processing_engine": "1-1-1/ProcessingEngineRunFacet",
        "schema": "1-2-0/SchemaDatasetFacet",
        "sql": "1-1-0/SQLJobFacet",
        "symlinks": "1-0-1/SymlinksDatasetFacet",
        "tags": "1-0-0/TagsJobFacet",
        "version": "1-0-1/DatasetVersionDatasetFacet",
    }
)
"""Version and name of the schema of each facet."""

JsonObject = dict[str, Any]
WrittenFacets = dict[str, JsonObject]
NameOf = Callable[[Dataset], LinkedName]


def facet(facets: WrittenFacets, name: str, /, **values: object) -> None:
    """Add a facet with the values that are known; none if there is no value."""
    known = {key: value for key, value in values.items() if value is not None}
    if not known:
        return
    if name in ALL:
        schema = schema_of(name)
    else:
        version, _, title = _SCHEMAS[name].partition("/")
        schema = f"https://openlineage.io/spec/facets/{version}/{title}.json#/$defs/{title}"
    facets[name] = {"_producer": PRODUCER, "_schemaURL": schema, **known}


# ---- datasets


def describe(facets: WrittenFacets, dataset: Dataset, name: LinkedName, columns: Sequence[Column]) -> None:
    """Add the facets of a dataset: its columns, its names as a table, its owner and comment."""
    facet(facets, "schema", fields=[_field(column) for column in columns] or None)
    links = [{"namespace": link.namespace, "name": link.name, "type": "TABLE"} for link in name.tables]
    facet(facets, "symlinks", identifiers=links or None)
    if isinstance(dataset, TableDataset):
        facet(facets, "documentation", description=dataset.comment)
        facet(facets, "ownership", owners=[{"name": dataset.owner, "type": "OWNER"}] if dataset.owner else None)


def _field(column: Column) -> JsonObject:
    known = {"name": column.name, "type": column.type, "description": column.comment}
    return {key: value for key, value in known.items() if value}


# ---- column lineage


@dataclass(frozen=True, slots=True)
class ColumnFacets:
    """The maker of the column lineage of a process.

    `name_of` returns the name of a dataset; `is_full` includes what only decides values and rows.
    """

    process: Process
    name_of: NameOf
    is_full: bool = True

    def build(self, output: Dataset) -> JsonObject | None:
        """Return the fields of the facet of an output; None without column lineage."""
        columns = [column for column in self.process.columns if column.dataset == output.key]
        fields = {column.column: {"inputFields": [*self._inputs(column)]} for column in columns}
        rows = [*self._rows(self.process.clauses)] if self.is_full else []
        if not fields and not rows:
            return None
        return {"fields": fields, **({"dataset": rows} if rows else {})}

    def _inputs(self, column: ColumnLineage) -> Iterator[JsonObject]:
        """Yield each source column once, with how it is used; the expression is that of the values that flow."""
        uses: dict[tuple[str, str], list[JsonObject]] = {}
        for source in column.sources:
            if self.is_full or source.dependency.is_direct:
                text = column.expression if holds_expression(source) else None
                uses.setdefault((source.dataset, source.column), []).append(_use(source.dependency, text))
        names = self._names()
        for (key, name), used in uses.items():
            if key in names:
                yield _input(names[key], name, used)

    def _rows(self, clauses: Iterable[RowClause]) -> Iterator[JsonObject]:
        """Yield the columns that decide rows, once per clause; those of clauses that are not listed without a text."""
        names = self._names()
        listed: set[ColumnSource] = set()
        for clause in clauses:
            for source in clause.sources:
                listed.add(source)
                if source.dataset in names:
                    yield _input(names[source.dataset], source.column, [_use(clause.dependency, clause.text)])
        for source in self.process.row_level:
            if source not in listed and source.dataset in names:
                yield _input(names[source.dataset], source.column, [_use(source.dependency, None)])

    def _names(self) -> dict[str, LinkedName]:
        return {dataset.key: self.name_of(dataset) for dataset in (*self.process.inputs, *self.process.outputs)}


def holds_expression(source: ColumnSource) -> bool:
    """Return whether the expression of a column is stated with this source."""
    return source.dependency.is_direct and source.dependency is not Dependency.IDENTITY


def _use(dependency: Dependency, description: str | None) -> JsonObject:
    kind = "DIRECT" if dependency.is_direct else "INDIRECT"
    return {"type": kind, "subtype": dependency.name, **({"description": description} if description else {})}


def _input(name: LinkedName, column: str, used: list[JsonObject]) -> JsonObject:
    return {"namespace": name.namespace, "name": name.name, "field": column, "transformations": used}
