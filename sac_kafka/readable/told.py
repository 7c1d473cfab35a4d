"""What messages tell: processes with their datasets and columns, and what became of a catalog.

Names are in full as messages are read (`names.py`), and short as people are shown them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

TABLE_MARK = "."
"""What stands between the names of a table and of its column."""


@dataclass(frozen=True, slots=True)
class ToldColumn:
    """A column of a dataset. `mark` stands between their names in Atlas: `#` for files and topics."""

    dataset: str
    name: str
    mark: str = TABLE_MARK

    def __str__(self) -> str:
        """Its dataset's name and its own, as they are: in Atlas the namespace would stand behind both."""
        return f"{self.dataset}{self.mark}{self.name}"


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """What a column of an output is made of.

    `expression` is how it is computed, "" for a mere copy. `influences`: the sources decide the column's value, and do
    not flow into it. `id` is its name in Atlas, by which it is deleted; "" where nobody knows it.
    """

    output: ToldColumn
    sources: tuple[ToldColumn, ...]
    expression: str = ""
    influences: bool = False
    id: str = field(default="", compare=False)


FlowKey = tuple[str, str | ColumnFlow]
"""A flow of columns in a process: the process' id, and the flow's own or the flow."""


class ColumnFlows:
    """The flows of columns that were told and not deleted since, by process.

    A flow is deleted by its own id, or with the column that it makes; a column that other columns were made of leaves their
    flows as they are, as on a server.
    """

    def __init__(self) -> None:
        self._flows: dict[str, dict[str | ColumnFlow, ColumnFlow]] = {}
        self._process_of: dict[str, str] = {}
        self._making: dict[ToldColumn, dict[FlowKey, None]] = {}

    def take(self, process: str, flows: Iterable[ColumnFlow]) -> None:
        """Note flows that a message tells of a process."""
        own = self._flows.setdefault(process, {})
        for flow in flows:
            key = flow.id or flow
            own[key] = flow
            self._making.setdefault(flow.output, {})[process, key] = None
            if flow.id:
                self._process_of[flow.id] = process

    def delete(self, id_: str) -> bool:
        """Forget the flow of an id; False where there is none."""
        process = self._process_of.pop(id_, None)
        if process is None:
            return False
        self._flows.get(process, {}).pop(id_, None)
        return True

    def delete_column(self, column: ToldColumn) -> None:
        """Forget what makes a column."""
        for process, key in self._making.pop(column, {}):
            flow = self._flows.get(process, {}).get(key)
            if flow is not None and flow.output == column:
                del self._flows[process][key]

    def delete_process(self, process: str) -> None:
        """Forget all flows of a process."""
        self._flows.pop(process, None)

    def of(self, process: str) -> tuple[ColumnFlow, ...]:
        """Return the flows of a process, in the order in which they were first told."""
        return tuple(self._flows.get(process, {}).values())


@dataclass(frozen=True, slots=True)
class ToldProcess:
    """A process: its datasets, the columns that this message tells of, what is known of the run.

    `id` is its qualifiedName, `name` what people read. It has no datasets in a message that only has more of its columns.
    """

    id: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    columns: tuple[ColumnFlow, ...] = ()
    facts: Mapping[str, str] | None = None
    """How its last run went; None where the message does not have the process itself."""
    constants: str = ""
    """Columns that come from no other, with what they are."""
    made: tuple[ColumnFlow, ...] = ()
    """The same columns one by one, of every output; they have no sources."""
    rows: str = ""
    """What decides rows, as a sentence; "" where nothing does."""
    row_columns: tuple[tuple[str, ToldColumn], ...] = ()
    """The columns that decide rows, each with how: `join`, `filter`, `group_by` or `sort`."""
    other_sources: str = ""
    """Where rows come from that no dataset holds, or how many inputs were left out; "" where nothing says."""
    through_driver: str = ""
    """The inputs whose rows went through the driver's Python, and how that shows; "" where there are none."""
    decided_by: tuple[str, ...] = ()
    """The datasets that the driver's Python had read values of the statement from; `rows` has them, too."""
    types: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The type in the catalog of each of its datasets."""
    job: str = field(default="", compare=False)
    """The job that it belongs to; "" where nobody says, as of a view's definition."""
    about: Mapping[str, str] = field(default_factory=dict, compare=False)
    """All that is known of its last run: its custom attributes, and `user` and `query`."""

    @property
    def is_of_columns_alone(self) -> bool:
        """Whether the message only has more of its columns, and not the process itself."""
        return self.facts is None and not self.inputs and not self.outputs


@dataclass(frozen=True, slots=True)
class ToldChange:
    """What became of a thing of the catalog: `verb` is "described" (created, or told anew), "altered" or "dropped".

    `new_name` is what it is called from now on, "" where that has not changed.
    """

    verb: str
    type_name: str
    name: str
    details: str = ""
    new_name: str = ""
