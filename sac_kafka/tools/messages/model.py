"""Lineage parsed from messages: processes with their datasets and columns, and changes of the catalog.

Names carry the namespace when they are parsed (`names.py`) and lose it when they are displayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

TABLE_MARK = "."
"""Separator between a table's name and a column's name."""


@dataclass(frozen=True, slots=True)
class LineageColumn:
    """A column of a dataset; `mark` separates the two names in Atlas (`#` for files and topics)."""

    dataset: str
    name: str
    mark: str = TABLE_MARK

    def __str__(self) -> str:
        """Return `dataset`, `mark` and `name` joined. In a qualifiedName of Atlas the namespace comes after the column."""
        return f"{self.dataset}{self.mark}{self.name}"


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """Sources of one output column.

    `expression` computes the column from them, "" for a copy. With `influences` the sources are indirect dependencies: they
    decide the value and do not flow into it. `id` is the column lineage's name in Atlas, "" if unknown; deletes refer to it.
    """

    output: LineageColumn
    sources: tuple[LineageColumn, ...]
    expression: str = ""
    influences: bool = False
    id: str = field(default="", compare=False)


FlowKey = tuple[str, str | ColumnFlow]
"""Key of a column flow: the id of its process, and its own id, or the flow itself if it has none."""


class ColumnFlows:
    """Column flows by process, kept up to date with the deletes of the messages.

    As on an Atlas server a flow is deleted by its own id or with its output column; deleting a source column keeps it.
    """

    def __init__(self) -> None:
        self._flows: dict[str, dict[str | ColumnFlow, ColumnFlow]] = {}
        self._process_of: dict[str, str] = {}
        self._by_output: dict[LineageColumn, dict[FlowKey, None]] = {}

    def add(self, process: str, flows: Iterable[ColumnFlow]) -> None:
        """Add the flows that a message has for a process."""
        own = self._flows.setdefault(process, {})
        for flow in flows:
            key = flow.id or flow
            own[key] = flow
            self._by_output.setdefault(flow.output, {})[process, key] = None
            if flow.id:
                self._process_of[flow.id] = process

    def delete(self, id_: str) -> bool:
        """Delete the flow with this id; return False if the id is unknown."""
        process = self._process_of.pop(id_, None)
        if process is None:
            return False
        self._flows.get(process, {}).pop(id_, None)
        return True

    def delete_column(self, column: LineageColumn) -> None:
        """Delete the flows whose output is this column."""
        for process, key in self._by_output.pop(column, {}):
            flow = self._flows.get(process, {}).get(key)
            if flow is not None and flow.output == column:
                del self._flows[process][key]

    def delete_process(self, process: str) -> None:
        """Delete all flows of a process."""
        self._flows.pop(process, None)

    def flows_of(self, process: str) -> tuple[ColumnFlow, ...]:
        """Return the flows of a process, in the order in which they were first added."""
        return tuple(self._flows.get(process, {}).values())


@dataclass(frozen=True, slots=True)
class LineageProcess:
    """A process with the datasets, column flows and run attributes of one message.

    `id` is the qualifiedName, `name` the display name. A message that only adds column flows has no datasets.
    """

    id: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    columns: tuple[ColumnFlow, ...] = ()
    run_status: Mapping[str, str] | None = None
    """Status and counters of the last run; None if the message does not contain the process entity."""
    constants: str = ""
    """Columns without source columns, with their expressions, as one text."""
    constant_columns: tuple[ColumnFlow, ...] = ()
    """The same columns one by one, for every output; each has no sources."""
    rows: str = ""
    """Joins, filters, grouping and sorting as a sentence; "" without any."""
    row_columns: tuple[tuple[str, LineageColumn], ...] = ()
    """The columns in joins, filters, grouping and sorting, each after `join`, `filter`, `group_by` or `sort`."""
    other_sources: str = ""
    """Origin of rows that come from no dataset, and the number of excluded inputs; "" without any."""
    through_driver: str = ""
    """Inputs whose rows passed through Python in the driver, and how this was detected; "" without any."""
    decided_by: tuple[str, ...] = ()
    """Datasets from which Python in the driver had read values that the statement contains; `rows` mentions them, too."""
    types: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Atlas type by dataset name."""
    job: str = field(default="", compare=False)
    """The job that it belongs to; "" if the message has none, as for the definition of a view."""
    attributes: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Custom attributes of the last run, plus `user` and `query`."""

    @property
    def flows(self) -> tuple[ColumnFlow, ...]:
        """All columns: those with source columns, then those without."""
        return (*self.columns, *self.constant_columns)

    @property
    def is_of_columns_alone(self) -> bool:
        """Whether the message only adds column flows, without the process entity."""
        return self.run_status is None and not self.inputs and not self.outputs


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """Change of a catalog object: `verb` is "defined" (created, or sent again), "altered" or "dropped".

    `new_name` is set by a rename, else "".
    """

    verb: str
    type_name: str
    name: str
    details: str = ""
    new_name: str = ""
