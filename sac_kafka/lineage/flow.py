"""Walk a logical plan bottom-up and collect its inputs, row clauses, and the sources of each node's output columns."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from sac_kafka.lineage.columns.origins import ColumnOrigins, Origin, Origins
from sac_kafka.lineage.columns.output_columns import EMPTY, Clauses, Columns, OutputColumn, with_view_columns
from sac_kafka.lineage.columns.query_clauses import QueryClauses, needed_children, needed_plans
from sac_kafka.lineage.columns.rules import ChildColumns, columns_of, row_clauses
from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.tables import is_hidden
from sac_kafka.lineage.datasets.views import dataset_of, gaps_of, hidden_columns, output_of
from sac_kafka.model import ColumnSource, Dataset, Dependency, DriverRead, Process, distinct_reads
from sac_kafka.model.bounds import DEFAULT, NOT_PROJECTED, Budget
from sac_kafka.model.columns import NO_SOURCES, Sources
from sac_kafka.model.gaps import COLUMNS_OMITTED, INPUTS_UNKNOWN, TOO_MANY_PATHS, gaps_beyond_columns, worst_first
from sac_kafka.model.merging import merge
from sac_kafka.names.files import Patterns
from sac_kafka.plan.declaration import declared_name
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan, walk
from sac_kafka.plan.operators import (
    CTERelationDef,
    CTERelationRef,
    SubqueryAlias,
    UnionLoop,
    UnionLoopRef,
    is_persisted_view,
)
from sac_kafka.plan.relations import RowsWithoutDataset


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TraversalOptions:
    """Options of the traversal of a plan.

    Attributes:
        patterns: Patterns that fold segments of paths.
        budget: Limits of column lineage.
        origins: Origins of leaves without a dataset; the first that knows a leaf is used.
        column_origins: Further inputs of the columns of a node (models).
        variables: Returns the origins of the SQL variables that a node uses.
        stops_at_views: Report a persisted view as the input; if False, report the view and the tables below it.
    """

    patterns: Patterns = ()
    budget: Budget = DEFAULT
    origins: tuple[Origins, ...] = ()
    column_origins: tuple[ColumnOrigins, ...] = ()
    variables: Callable[[LogicalPlan], Iterable[Origin]] = lambda _: ()
    stops_at_views: bool = True


MAX_INPUTS = 1000
"""Datasets of one process; a longer list (files that could not be folded into one path) is cut and counted."""
MAX_VERSIONS = 100
"""Versions of inputs reported for one process."""
MAX_THROUGH_DRIVER = 100
"""Inputs reported as read through the driver for one process."""


class FlowInputs:
    """The inputs of one query, in the order in which the traversal reads them.

    Attributes:
        definitions: Definitions of the views behind origins, by the key of the view.
        read_at: Keys of the datasets that each leaf reads, by the leaf's identity.
        other_sources: Descriptions of sources that are not datasets.
        gaps: Reasons for incomplete lineage.
    """

    def __init__(self, counts: Counter[str]) -> None:
        self.definitions: dict[str, Process] = {}
        self.read_at: dict[int, Sequence[str]] = {}
        self.other_sources: set[str] = set()
        self.gaps: set[str] = set()
        self._counts = counts
        self._read: dict[str, Dataset] = {}
        self._own: dict[str, Dataset] = {}
        self._versions: set[tuple[str, str]] = set()
        self._through_driver: list[DriverRead] = []

    def __iter__(self) -> Iterator[Dataset]:
        """Iterate over the inputs, without the target of a row-level command."""
        return iter(self._read.values())

    def origin(self, columns: Columns = EMPTY, clauses: Clauses = (), skip_reason: str | None = None) -> Origin:
        """Return the origin of the rows of the query, which has these columns and clauses."""
        return Origin(
            inputs=tuple(self._read.values()),
            columns=columns,
            clauses=clauses,
            skip_reason=skip_reason,
            definitions=tuple(self.definitions.values()),
            versions=tuple(sorted(self._versions))[:MAX_VERSIONS],
            other_sources=tuple(sorted(self.other_sources)),
            through_driver=distinct_reads(self._through_driver)[:MAX_THROUGH_DRIVER] if self._through_driver else (),
            gaps=worst_first(self.gaps) if self.gaps else (),
        )

    def note(self, reason: str) -> None:
        """Count a reason, and add it to the gaps."""
        self._counts[reason] += 1
        self.gaps.add(reason)

    def with_own(self, used: Set[str] | None) -> Iterable[Dataset]:
        """Return the inputs and the target of a row-level command if its key is in `used` (None: unknown, include it)."""
        own = {key: d for key, d in self._own.items() if used is None or key in used}
        return {**own, **self._read}.values()

    def add(self, dataset: Dataset) -> bool:
        """Add an input.

        Returns:
            False if there are too many inputs already.
        """
        if dataset.key in self._read:
            self._read[dataset.key] = merge(self._read[dataset.key], dataset)
        elif len(self._read) < MAX_INPUTS:
            self._read[dataset.key] = dataset
        else:
            self.note(TOO_MANY_PATHS)
            return False
        return True

    def add_reading(self, leaf: int, reading: Reading, *, is_own: bool) -> Sequence[str]:
        """Add what a leaf reads; return the keys of the datasets that were added.

        `is_own` is True for the target of a row-level command, which reads the table that it changes.
        """
        for reason in reading.counts:
            self.note(reason)
        if reading.other_source is not None:
            self.other_sources.add(reading.other_source)
        if is_own:
            self._own.update((d.key, d) for d in reading.datasets)
        keys = tuple(dict.fromkeys(d.key for d in reading.datasets if is_own or self.add(d)))
        self.read_at[leaf] = keys
        if reading.version is not None:
            self._versions.update((key, reading.version) for key in keys)
        return keys

    def add_origin(self, origin: Origin) -> None:
        """Add the origin of rows that an earlier query made."""
        for dataset in origin.inputs:
            self.add(dataset)
        self._versions.update(origin.versions)
        self.other_sources.update(origin.other_sources)
        self._through_driver += origin.through_driver
        self.definitions.update((d.outputs[0].key, d) for d in origin.definitions)
        self.gaps.update(origin.gaps)


class QueryFlow:
    """The lineage of one query, collected by `follow`.

    Attributes:
        views: The persisted views at which the traversal stopped.
        counts: What was not understood: reason to number of times.
        inputs: The datasets that are read.
        clauses: The row clauses of all nodes.
        skip_reason: Why column lineage is skipped; None if it is not.
    """

    def __init__(self, options: TraversalOptions, counts: Counter[str], own_reads: Sequence[LogicalPlan] = ()) -> None:
        self._options = options
        self._nodes = self._edges = 0
        self.views: list[LogicalPlan] = []
        self._own_reads = frozenset(map(id, own_reads))
        self.counts = counts
        self.inputs = FlowInputs(counts)
        self.clauses = QueryClauses()
        self.skip_reason: str | None = None
        self._columns: dict[int, Columns] = {}
        self._cte: dict[int, Columns] = {}
        self._outer_columns: dict[int, OutputColumn] = {}

    def follow(self, root: LogicalPlan) -> None:
        """Traverse a query."""
        for node in needed_plans(root, stops_at_views=self._options.stops_at_views):
            self._add(node)
            for source in self._options.variables(node):
                self.inputs.add_origin(source)
        self.clauses.end(root)

    def output_of(self, node: LogicalPlan) -> Columns:
        """Return the output columns of a node with their sources; empty if column lineage is skipped."""
        return EMPTY if self.skip_reason else self._columns[id(node)]

    def datasets_at(self) -> Mapping[int, Sequence[str]]:
        """Return the keys of the datasets that each leaf reads, by its identity; for a leaf below a view, the view's key."""
        below_views = {
            id(leaf): (dataset_of(view).key,) for view in self.views for leaf in walk(view) if not leaf.children
        }
        return {**below_views, **self.inputs.read_at}

    def skip_columns(self, reason: str) -> None:
        """Skip column lineage from now on, for a reason that is counted once."""
        if self.skip_reason is None:
            self.skip_reason = reason
            self.counts[f"{COLUMNS_OMITTED}{reason}"] += 1

    def _add(self, node: LogicalPlan) -> None:
        if isinstance(node, UnknownPlan) and needed_children(node) and not (node.inputs or node.written):
            self.inputs.note(f"node not understood: {node.simple_name}")
        if node.columns_cut:
            self.skip_columns(NOT_PROJECTED)
        self._nodes += 1
        if self._nodes > self._options.budget.nodes:
            self.skip_columns(f"more than {self._options.budget.nodes} nodes")
        if is_persisted_view(node) and self._options.stops_at_views:
            self._view(node)
        elif needed_children(node) or isinstance(node, (CTERelationRef, UnionLoopRef)):
            self._inner(node)
        else:
            self._leaf(node)

    def _view(self, node: LogicalPlan) -> None:
        """Add a persisted view as an input; its columns are the sources."""
        view = dataset_of(node)
        self.views.append(node)
        keys = [view.key] if self.inputs.add(view) else []
        for gap in gaps_of(node):
            self.inputs.note(gap)
        own = [
            OutputColumn(a.expr_id, a.name, _sources(c.name, Reading(), keys), type=a.type)
            for a, c in zip(output_of(node), view.columns, strict=False)
        ]
        others = [OutputColumn(a.expr_id, a.name, NO_SOURCES) for a in hidden_columns(node)]
        self._columns[id(node)] = Columns((*own, *others)).with_relation()

    def _inner(self, node: LogicalPlan) -> None:
        if isinstance(node, UnknownPlan):  # inputs that it reports itself, in addition to those of its children
            own = reading(node, self._options.patterns)
            for dataset in own.datasets if own is not None else ():
                self.inputs.add(dataset)
        for origin in (o for column_origin in self._options.column_origins for o in column_origin.origins_of(node)):
            self.inputs.add_origin(dataclasses.replace(origin, gaps=gaps_beyond_columns(origin.gaps)))
        view = dataset_of(node) if is_persisted_view(node) else None
        is_input = view is not None and self.inputs.add(view)
        if self.skip_reason:
            return
        children = needed_children(node)
        below = ChildColumns(
            children=[self.output_of(child) for child in children],
            nodes=children,
            columns_of_plan=self.output_of,
            cte=self._cte,
            correlating=self.clauses.correlating,
            deciding=self.clauses.deciding,
            outer=self._outer_columns,
        )
        if node.subqueries:
            self._outer_columns.update(below.all.by_id)
        if isinstance(node, CTERelationDef):
            self.clauses.definitions[node.cte_id] = node
        output = columns_of(node, below)
        if isinstance(node, CTERelationDef):
            self._cte[node.cte_id] = output
        elif isinstance(node, UnionLoop):
            self.clauses.loops[node.loop_id] = output
        # The columns of a persisted view are those of its query by position, so both are exact sources.
        self._columns[id(node)] = output
        if view is not None and is_input:
            hidden = {a.expr_id for a in hidden_columns(node)}
            self._columns[id(node)] = with_view_columns(view.key, output, hidden)
        # The columns of an alias were counted at its child.
        if not isinstance(node, SubqueryAlias) and not any(output is child for child in below.children):
            self._edges += sum(len(c.sources) for c in output.outputs)
            budget = self._options.budget
            if len(output.outputs) > budget.columns or self._edges > budget.edges:
                is_wide = len(output.outputs) > budget.columns
                self.skip_columns(f"more than {f'{budget.columns} columns' if is_wide else f'{budget.edges} edges'}")
                return
        self.clauses.add(node, row_clauses(node, below))

    def _leaf(self, node: LogicalPlan) -> None:
        if isinstance(node, RowsWithoutDataset):
            known = next((o for origin in self._options.origins if (o := origin.origin_of(node)) is not None), None)
            if known is not None:
                self._read_again(node, known)
                return
            if node.source_text:
                self.inputs.other_sources.add(node.source_text)
            if node.hidden_source:
                self.inputs.note(f"{INPUTS_UNKNOWN}{node.hidden_source}")
        read = reading(node, self._options.patterns)
        if read is None and not getattr(node, "written", ()):
            self.inputs.note(f"relation not understood: {_class_of(node)}")
        read = read or Reading()
        keys = self.inputs.add_reading(id(node), read, is_own=id(node) in self._own_reads)
        self._columns[id(node)] = Columns(
            OutputColumn(a.expr_id, a.name, NO_SOURCES if is_hidden(a) else _sources(a.name, read, keys), type=a.type)
            for a in getattr(node, "output", ())
        ).with_relation()
        clauses = tuple(
            dataclasses.replace(c, sources=frozenset(s for s in c.sources if s.dataset in keys)) for c in read.clauses
        )
        self.clauses.at[id(node)] = clauses

    def _read_again(self, node: LogicalPlan, again: Origin) -> None:
        self.inputs.add_origin(again)
        if again.skip_reason:
            self.skip_columns(again.skip_reason)
        self._columns[id(node)] = again.columns.with_relation()
        self.clauses.at[id(node)] = again.clauses


def _class_of(leaf: LogicalPlan) -> str:
    """Return the class name of a leaf's relation, or of the leaf if it has none."""
    relation = getattr(leaf, "relation", None)
    return getattr(relation, "class_name", None) or declared_name(type(relation)) or leaf.class_name


def _sources(name: str, read: Reading, keys: Sequence[str]) -> Sources:
    """Return the sources of a column of a leaf."""
    if name in read.hidden:
        return NO_SOURCES
    if read.made_of is not None:
        return frozenset(s for s in read.made_of.get(name.lower(), ()) if s.dataset in keys)
    if read.columns is None:
        return frozenset(ColumnSource(key, name, Dependency.IDENTITY) for key in keys)
    if read.base is None or read.base not in keys:
        return NO_SOURCES
    return frozenset(ColumnSource(read.base, column, use) for column, use in read.columns.get(name.lower(), ()))
