"""Lineage parsed from messages: processes with their datasets and columns, and changes of the catalog.

Names carry the namespace when they are parsed (`names.py`) and lose it when they are displayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LineageColumn:
    """A column of a dataset; `mark` separates the two names in Atlas (`#` for files and topics).

    `data_type` is as its entity has it, "" if unknown.
    """

    dataset: str
    name: str
    mark: str = "."
    data_type: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        """Return `dataset`, `mark` and `name` joined. In a qualifiedName of Atlas the namespace comes after the column."""
        return f"{self.dataset}{self.mark}{self.name}"


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """Sources of one output column.

    `expression` computes the column from them, "" for a copy. With `influences` the sources are indirect dependencies: they
    decide the value and do not flow into it.
    """

    output: LineageColumn
    sources: tuple[LineageColumn, ...]
    expression: str = ""
    influences: bool = False


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
