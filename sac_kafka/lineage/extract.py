"""Extract the processes of one execution from its analyzed plan, with dataset and column lineage. Pure."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import reduce
from itertools import zip_longest
from operator import add

# These modules register rules when they are imported; nothing else imports them.
from sac_kafka.lineage.columns import operators, row_clauses, row_functions, v2_rows  # noqa: F401 as above
from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.columns.output_columns import Clause, Columns
from sac_kafka.lineage.columns.placeholders import unknown_reasons, without_placeholders
from sac_kafka.lineage.datasets import streams, v1_writes, v2_tables, v2_writes  # noqa: F401 as above
from sac_kafka.lineage.datasets.systems import databricks, delta, hudi  # noqa: F401 as above
from sac_kafka.lineage.datasets.systems.iceberg import copy_of
from sac_kafka.lineage.datasets.views import definition_of
from sac_kafka.lineage.datasets.writes import Write, writes
from sac_kafka.lineage.flow import FlowInputs, QueryFlow, TraversalOptions
from sac_kafka.model import (
    Application,
    ColumnLineage,
    ColumnSource,
    Dataset,
    DatasetRead,
    Dependency,
    Extent,
    Process,
    RowClause,
    Run,
    TopicDataset,
    are_copies,
)
from sac_kafka.model.bounds import NOT_PROJECTED
from sac_kafka.model.gaps import COLUMN_NOT_FOUND, COLUMNS_OF_VARIABLE, GapSeverity, severity_of
from sac_kafka.model.processes import NOT_COUNTED, WriteMetrics, merge_reads
from sac_kafka.plan.commands_without_write import CommandWithoutWrite
from sac_kafka.plan.execution import QueryExecution, ScanMetrics, SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan, walk
from sac_kafka.plan.operators import is_persisted_view
from sac_kafka.plan.streaming_events import RepeatedWrites
from sac_kafka.plan.systems.iceberg import ProcedureCall

MAX_CLAUSES = 100
"""Row clauses of a process that are reported with their text."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The processes of an execution.

    Attributes:
        processes: One per dataset that was written.
        views: Definitions of the views that were read, inner views first.
        counts: What was not understood: reason to number of times.
        unreported: The reason for each write that has no process.
        commands: For each process the number of its command within the execution; None if its metrics are not those of the write.
    """

    processes: tuple[Process, ...] = ()
    views: tuple[Process, ...] = ()
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    unreported: tuple[str, ...] = ()
    commands: tuple[int | None, ...] = ()


def extract(
    root: LogicalPlan,
    run: Run,
    application: Application,
    options: TraversalOptions = TraversalOptions(),  # noqa: B008 a frozen value
    counted: Sequence[WriteMetrics] = (),
    scans: Sequence[ScanMetrics] = (),
) -> Extraction:
    """Return the processes of one execution, one for each dataset that its command writes.

    `counted` are the metrics of each writing command under `root`, the analyzed plan, in order; `scans` are those of the
    scans that read for them.
    """
    if isinstance(root, CommandWithoutWrite):
        return Extraction()
    counts: Counter[str] = Counter()
    written = tuple(writes(root, options.patterns, counts))
    if not written and root.is_command and isinstance(root, UnknownPlan):
        counts[f"command not understood: {root.simple_name}"] += 1
    unreported = tuple(reason for reason in counts.elements() if severity_of(reason) is GapSeverity.FLOW)
    flows, processes = [], []
    for write in written:
        flow = QueryFlow(options, counts, write.own_reads)
        flows.append(flow)
        # The metrics of a row-level command include the unchanged rows that it rewrites.
        is_known = write.position < len(counted) and not write.own_reads
        metrics = counted[write.position] if is_known else NOT_COUNTED
        # A write that committed before another one failed succeeded.
        is_committed = run.failure is not None and len(written) > 1 and (metrics.files or 0) > 0
        ran = metrics.apply_to(dataclasses.replace(run, failure=None) if is_committed else run)
        process = _process(write, ran, application, flow)
        process = with_reads(process, reads(scans, flow.datasets_at(), write.position))
        processes.append(dataclasses.replace(process, defines_view=write.is_view and options.stops_at_views))
    views = _definitions(flows, run, application, options, counts)
    commands = tuple(None if write.own_reads else write.position for write in written)
    return Extraction(processes=tuple(processes), views=views, counts=counts, unreported=unreported, commands=commands)


def extract_copy(call: ProcedureCall, run: Run, application: Application, options: TraversalOptions) -> Extraction:
    """Return the process of a procedure that makes a table of the files of another one."""
    flow = QueryFlow(options, Counter())
    return Extraction(processes=(_process(copy_of(call), run, application, flow),), commands=(None,))


def extract_read(
    root: LogicalPlan, run: Run, application: Application, options: TraversalOptions, scans: Sequence[ScanMetrics] = ()
) -> Extraction:
    """Return the process of a query that returns rows to the driver: inputs but no output; none if it reads no dataset."""
    flow = QueryFlow(options, Counter())
    flow.skip_columns(NOT_PROJECTED)  # there is no output column to trace
    flow.follow(root)
    if not tuple(flow.inputs):
        return Extraction()
    process = process_of(flow.inputs.origin(), (), run, application)
    views = _definitions((flow,), run, application, options, Counter())
    return Extraction(processes=(with_reads(process, reads(scans, flow.datasets_at())),), views=views)


def process_of(origin: Origin, outputs: Sequence[Dataset], run: Run, application: Application) -> Process:
    """Return the process from the inputs of rows to what they are written to, without columns."""
    return Process(
        application=application,
        run=run,
        inputs=_sort_datasets(origin.inputs),
        outputs=tuple(outputs),
        other_sources=origin.other_sources,
        versions_read=origin.versions,
        through_driver=origin.through_driver,
        gaps=origin.gaps,
    )


def with_reads(process: Process, read: Iterable[DatasetRead]) -> Process:
    """Return a process with the read metrics of its inputs; those of other datasets are dropped."""
    inputs = {input_.key for input_ in process.inputs}
    of_inputs = tuple(one for one in read if one.dataset in inputs)
    return dataclasses.replace(process, run=dataclasses.replace(process.run, read=of_inputs)) if of_inputs else process


def _definitions(
    flows: Iterable[QueryFlow], run: Run, application: Application, options: TraversalOptions, counts: Counter[str]
) -> tuple[Process, ...]:
    """Return the definitions of the views at which flows stopped, each after those of the views that it reads."""
    definitions: dict[str, Process] = {}
    for flow in flows:
        definitions.update(flow.inputs.definitions)
        for view in (node for at in flow.views for node in walk(at) if is_persisted_view(node)):
            write = definition_of(view)
            if write.dataset.key not in definitions:
                bare = Run(execution_id=run.execution_id, query_text=getattr(write.dataset, "view_text", None))
                definition = _process(write, bare, application, QueryFlow(options, counts))
                definitions[write.dataset.key] = dataclasses.replace(definition, defines_view=True)
    return tuple(definitions.values())


def origin(
    root: LogicalPlan,
    application: Application,
    counts: Counter[str],
    options: TraversalOptions = TraversalOptions(),  # noqa: B008 as above
) -> Origin:
    """Return the inputs of a plan and the sources of its columns, for later plans that read its result."""
    flow = QueryFlow(options, counts)
    flow.follow(root)
    definitions = _definitions((flow,), Run(execution_id=0), application, options, counts)
    rows = flow.inputs.origin(flow.output_of(root), flow.clauses.of_rows(), flow.skip_reason)
    return dataclasses.replace(rows, definitions=definitions)


def _process(write: Write, run: Run, application: Application, flow: QueryFlow) -> Process:
    if write.columns_cut:
        flow.skip_columns(NOT_PROJECTED)
    flow.follow(write.query)
    flow.inputs.gaps.update(write.gaps)
    lineage: tuple[ColumnLineage, ...] = ()
    clauses: tuple[RowClause, ...] = ()
    if not flow.skip_reason:
        lineage = tuple(_column_lineage(write, flow.output_of(write.query), flow.inputs))
        clauses = tuple(merge_clauses(flow.clauses.of_rows()))
    row_level = sort_sources({s for c in clauses for s in c.sources})
    used = {(s.dataset, s.column) for s in (*(s for c in lineage for s in c.sources), *row_level)}
    inputs = flow.inputs.with_own(None if flow.skip_reason else {key for key, _ in used})
    rows = process_of(flow.inputs.origin(), (write.dataset,), run, application)
    return dataclasses.replace(
        rows,
        inputs=_sort_datasets(
            _keep_used_columns(d, used) if isinstance(d, TopicDataset) and not flow.skip_reason else d for d in inputs
        ),
        columns=lineage,
        row_level=row_level,
        clauses=tuple(c for c in clauses if c.text)[:MAX_CLAUSES],
        columns_omitted=flow.skip_reason,
        extent=Extent(part=write.part, is_replaced=write.is_replacement),
        gaps=tuple(gap for gap in rows.gaps if gap != COLUMNS_OF_VARIABLE or not are_copies(lineage)),
    )


def merge_clauses(clauses: Iterable[Clause]) -> Iterator[RowClause]:
    """Yield each distinct clause once (a plan may be used twice); only the first `MAX_CLAUSES` have a text."""
    sources: dict[tuple[Dependency, str], set[ColumnSource]] = {}
    for clause in clauses:
        text = clause.text() if len(sources) < MAX_CLAUSES else ""
        sources.setdefault((clause.kind, text), set()).update(without_placeholders(clause.sources))
    for (kind, text), of_clause in sources.items():
        yield RowClause(dependency=kind, text=text, sources=sort_sources(of_clause))


def _keep_used_columns(topic: TopicDataset, used: Set[tuple[str, str]]) -> TopicDataset:
    """Return a topic with its used columns only, as the others are the same for every topic of Spark's source."""
    return dataclasses.replace(topic, columns=tuple(c for c in topic.columns if (topic.key, c.name) in used))


def _column_lineage(write: Write, query: Columns, inputs: FlowInputs) -> Iterator[ColumnLineage]:
    """Match the written columns to those of the query: by exprId, or by position if an id is missing or not unique."""
    uses = Counter(c.expr_id for c in query.outputs)
    for i, attribute in enumerate(write.output):
        column = query.by_id.get(attribute.expr_id) if uses[attribute.expr_id] == 1 else None
        if column is None and i < len(query.outputs) == len(write.output):
            column = query.outputs[i]
        if column is None:
            inputs.note(COLUMN_NOT_FOUND)
            continue
        reasons, sources = unknown_reasons(column.sources), without_placeholders(column.sources)
        inputs.gaps.update(reasons)
        if sources or not reasons:
            yield ColumnLineage(
                dataset=write.dataset.key,
                column=attribute.name,
                sources=sort_sources(sources),
                expression=column.definition() if column.definition else None,
            )
    yield from (ColumnLineage(dataset=write.dataset.key, column=name, sources=()) for name in write.constants)


def sort_sources(sources: Set[ColumnSource]) -> tuple[ColumnSource, ...]:
    """Return source columns in a fixed order."""
    return tuple(sorted(sources, key=lambda s: (s.dataset, s.column, s.dependency.value)))


def _sort_datasets(datasets: Iterable[Dataset]) -> tuple[Dataset, ...]:
    return tuple(sorted(datasets, key=lambda d: d.key))


# ---- metrics


def transaction_metrics(event: SparkListenerSQLExecutionEnd) -> tuple[WriteMetrics, ...]:
    """Return what a writer without a command in the plan has counted in its transaction; () if there was none."""
    return (WriteMetrics(*event.counted),) if len(event.counted) == len(dataclasses.fields(WriteMetrics)) else ()


def total(metrics: Iterable[WriteMetrics]) -> WriteMetrics:
    """Return the sum of metrics; NOT_COUNTED if there are none."""
    parts = tuple(metrics)
    return reduce(add, parts) if parts else NOT_COUNTED


def write_metrics(query: QueryExecution | RepeatedWrites | None) -> tuple[WriteMetrics, ...]:
    """Return the metrics of each writing command of an execution, or of batches that repeat one, in order."""
    if query is None:
        return ()
    counted = zip_longest(query.rows_written, query.files_written, query.bytes_written, fillvalue=-1)
    return tuple(WriteMetrics(*(n if n >= 0 else None for n in numbers)) for numbers in counted)


def metrics_of_only_write(queries: Iterable[QueryExecution | None]) -> WriteMetrics:
    """Return the metrics of the single write within an action; unknown if there are several or none."""
    writes = [metrics for metrics in map(write_metrics, queries) if metrics]
    return writes[0][0] if len(writes) == 1 and len(writes[0]) == 1 else NOT_COUNTED


_ANY_WRITE = -1


def reads(
    scans: Iterable[ScanMetrics], datasets: Mapping[int, Iterable[str]], position: int = 0
) -> tuple[DatasetRead, ...]:
    """Return what was read for the write at a position, by dataset; `datasets` has the keys of leaves by their identity.

    Datasets that a single scan reads together are omitted, as the share of each is unknown.
    """
    alone: list[DatasetRead] = []
    together: set[str] = set()
    for scan in scans:
        if scan.write in (_ANY_WRITE, position):
            keys = {key for leaf in scan.leaves for key in datasets.get(id(leaf), ())}
            if len(keys) == 1:
                alone.append(DatasetRead(dataset=keys.pop(), rows=scan.rows, files=scan.files, bytes=scan.bytes))
            else:
                together |= keys
    return merge_reads(read for read in alone if read.dataset not in together)
