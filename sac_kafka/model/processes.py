"""Processes (flows from datasets to datasets), their runs, and the application that they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sac_kafka.model.columns import ColumnLineage, ColumnSource, RowClause
from sac_kafka.model.datasets import Database, Dataset, TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDefined:
    """A table or view was created, replaced or altered; `table` is its complete current definition."""

    table: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRenamed:
    """A table was renamed; `old` only identifies it (catalog, database, name), `new` is its complete definition."""

    old: TableDataset
    new: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRenamed:
    """A column of a table was renamed; `table` is the complete definition with the new name."""

    table: TableDataset
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDropped:
    """A table or view was dropped; `table` only identifies it (catalog, database, name)."""

    table: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseDefined:
    """A database was created or altered; `database` is its complete definition."""

    database: Database


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseDropped:
    """A database was dropped with all its tables."""

    database: Database


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetDescribed:
    """A person or a tool has described a dataset; the server keeps what they did not state.

    `description` and `owner` are "" if they are not stated; the columns are those of the dataset. `labels` are its tags.
    """

    dataset: Dataset
    description: str = ""
    owner: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsRemoved:
    """A statement of `job` left a dataset, or a `part` of it as in `Extent`, without the rows that it had."""

    dataset: Dataset
    part: str = ""
    job: str = ""


_CatalogChange = TableDefined | TableRenamed | ColumnRenamed | TableDropped | DatabaseDefined | DatabaseDropped
Change = _CatalogChange | DatasetDescribed | RowsRemoved
"""Any change that is no flow: to a catalog, the description of a dataset, or the removal of rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """Where a write puts its rows: in the whole output, or only in a `part` of it.

    A part is a directory, or an identifier of a static partition or condition that is equal for equal ones. `is_replaced` is
    True if none of the previous rows there remain (CREATE, overwrite of a whole table or directory or static partition).
    """

    part: str = ""
    is_replaced: bool = False


APPENDED = Extent()
REPLACED = Extent(is_replaced=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRead:
    """Metrics of reading one dataset, identified by its key; None for what Spark did not count.

    `rows` are those that the source returned, after its own filtering; `bytes` is the size of the opened `files`. For a view,
    the metrics are those of its tables. A dataset that is read twice is counted twice.
    """

    dataset: str
    rows: int | None = None
    files: int | None = None
    bytes: int | None = None

    def __add__(self, other: DatasetRead) -> DatasetRead:
        """Add up two reads of the same dataset; a metric that one of them lacks is None."""
        return DatasetRead(
            dataset=self.dataset,
            rows=sum_counts(self.rows, other.rows),
            files=sum_counts(self.files, other.files),
            bytes=sum_counts(self.bytes, other.bytes),
        )


def sum_counts(one: int | None, other: int | None) -> int | None:
    """Return the sum of two counts; None if one of them is unknown."""
    return None if one is None or other is None else one + other


SPARK = "Spark"
"""Spark's name as an engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What ran an application: its name as people write it (`Flink`), and its version, "" if unknown."""

    name: str = SPARK
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The application of an engine and the job that it runs.

    `job` is the name that is stable across runs; `is_job_chosen` is True unless it was derived from the application's name.
    `application_id` and `attempt` identify this run; `facts` are what the platform reports about it (run, task, workspace …),
    as pairs of a unique attribute name and a value. `labels` are tags of the job, in Atlas' form. `started_ms` is epoch
    milliseconds.
    """

    job: str
    application_id: str
    name: str
    user: str
    engine: Engine = Engine()
    attempt: str | None = None
    started_ms: int | None = None
    facts: tuple[tuple[str, str], ...] = ()
    is_job_chosen: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """Facts about the session of a driver on which the names of Purview's assets depend: see `NamingContext` there."""

    mounts: tuple[tuple[str, str], ...] = ()
    is_hive: bool = True
    configured_catalogs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """The user of a server (`server`: its kind) who requested an execution; the ids are the server's. `user` is "" if unknown."""

    user: str
    server: str
    session_id: str | None = None
    operation_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One execution of a flow. Times are epoch milliseconds; `query_text` is the user's SQL statement, None if it was not SQL.

    `execution_id` is that of Spark SQL, None if an RDD was written outside of Spark SQL.

    `failure` is the error class (and SQLSTATE) of a failed run. `plan_text` is only set if a setting requests it; `requester`
    is the user who requested the execution on a shared server (Connect, Thrift server). `rows_written`, `files_written` and
    `bytes_written` are Spark's metrics, None if Spark did not report them; `read` are its metrics of inputs, sorted by key,
    without inputs that have none (a cache, an RDD). `jobs` are the ids of the first 100 Spark jobs of the execution.
    `executions` is the number of executions whose metrics are added up here: those that wrote parts of one dataset or ran at
    the same time; the times then range from the first start to the last end.
    """

    execution_id: int | None
    started_ms: int | None = None
    ended_ms: int | None = None
    query_text: str | None = None
    failure: str | None = None
    rows_written: int | None = None
    files_written: int | None = None
    bytes_written: int | None = None
    read: tuple[DatasetRead, ...] = ()
    jobs: tuple[int, ...] = ()
    executions: int = 1
    plan_text: str | None = None
    requester: Requester | None = None


@dataclass(frozen=True, slots=True)
class WriteMetrics:
    """The metrics of one write; None for each that was not counted."""

    rows: int | None = None
    files: int | None = None
    bytes: int | None = None

    def __add__(self, other: WriteMetrics) -> WriteMetrics:
        """Return the sum; a metric that either side lacks is unknown."""
        return WriteMetrics(
            sum_counts(self.rows, other.rows), sum_counts(self.files, other.files), sum_counts(self.bytes, other.bytes)
        )

    def apply_to(self, run: Run) -> Run:
        """Return a run with these metrics."""
        return replace(run, rows_written=self.rows, files_written=self.files, bytes_written=self.bytes)


NOT_COUNTED = WriteMetrics()


def metrics_of_run(run: Run) -> WriteMetrics:
    """Return the metrics of a run."""
    return WriteMetrics(run.rows_written, run.files_written, run.bytes_written)


def merge_reads(reads: Iterable[DatasetRead]) -> tuple[DatasetRead, ...]:
    """Return one read per dataset, sorted by key; counts of the same dataset are added."""
    by_key: dict[str, DatasetRead] = {}
    for read in reads:
        known = by_key.get(read.dataset)
        by_key[read.dataset] = read if known is None else known + read
    return tuple(by_key[key] for key in sorted(by_key))


def sum_reads(one: Iterable[DatasetRead], other: Iterable[DatasetRead]) -> tuple[DatasetRead, ...]:
    """Return the sum of what two runs read; datasets that were not counted in both are omitted."""
    first, second = ({each.dataset: each for each in run} for run in (one, other))
    both = first.keys() & second.keys()
    return merge_reads(run[key] for run in (first, second) for key in both)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """The streaming query behind a process, and its progress since its last start.

    `identity` identifies the process across runs: the query's name and checkpoint, and the dataset unless the sink decides it;
    the first flow if the query has neither. `name` and `checkpoint` are None if it has no permanent one. `query_id` is Spark's
    id, which is stored in the checkpoint, `run_id` that of the last start. `batches` counts the micro-batches since then;
    `last_batch` is the id of the last one, which Spark counts from the very first start. `rows_read` are the rows read per
    source, by the source's description.
    """

    identity: tuple[str, ...]
    name: str | None
    checkpoint: str | None
    query_id: str
    run_id: str
    output_mode: str | None = None
    is_running: bool = True
    batches: int = 0
    last_batch: int | None = None
    rows_read: tuple[tuple[str, int], ...] = ()


READ_BEFORE = "read just before"
"""How `DriverRead` describes a dataset whose rows may have returned: nothing shows it, so it is no input."""


@dataclass(frozen=True, slots=True)
class DriverRead:
    """A dataset that was read by the driver's Python, or into a SQL variable, and how it is known that its values returned."""

    dataset: Dataset
    how: str


def distinct_reads(reads: Iterable[DriverRead]) -> tuple[DriverRead, ...]:
    """Return each pair of a dataset's key and a description once, sorted."""
    found = {(read.dataset.key, read.how): read for read in reads}
    return tuple(found[pair] for pair in sorted(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One user action that wrote data: the flow from `inputs` to `outputs`, both sorted by key.

    `columns` is the column lineage of all outputs. `row_level` are the columns that decided which rows were written (join,
    filter, group by, sort), per process and not per column; `clauses` are the single clauses behind them, from the leaves of
    the query upwards, at most 100. If column lineage was omitted, `columns_omitted` is the reason. `extent` is the extent of
    the write within the output.

    `defines_view` is True for the definition of a persisted view, its only output. The definition does not depend on the job
    or on whether a statement created or only read the view, and is emitted each time. Only the query text of its `run`
    belongs to the view.

    `other_sources` describes, for people, origins of rows that are not datasets ("rows of the driver"); sorted.

    `versions_read` holds pairs of an input's key and the requested state, if this was not the latest (`version 3`,
    `timestamp …`, `branch …`); sorted, at most 100. It belongs to the run and is not part of any name.

    `through_driver` are the inputs whose rows went through the driver's Python or a SQL variable; sorted, at most 100. The
    columns of such rows are unknown, unless a DataFrame was passed on unchanged. Those that are READ_BEFORE may be inputs.

    `decided_by` are the datasets from which the driver's Python had read values of the statement, such as a literal of a
    condition or a parameter. They decided what was written, but are no inputs; sorted by key.

    `inputs_excluded` is the number of inputs excluded by rules. `gaps` are the other reasons for incomplete lineage
    (`gaps.REASONS`).

    `stream` is set for a flow of a streaming query: what all its batches so far have read for one dataset, or for its sink.
    """

    application: Application
    run: Run
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]
    columns: tuple[ColumnLineage, ...] = ()
    row_level: tuple[ColumnSource, ...] = ()
    clauses: tuple[RowClause, ...] = ()
    columns_omitted: str | None = None
    extent: Extent = APPENDED
    defines_view: bool = False
    other_sources: tuple[str, ...] = ()
    versions_read: tuple[tuple[str, str], ...] = ()
    through_driver: tuple[DriverRead, ...] = ()
    decided_by: tuple[Dataset, ...] = ()
    inputs_excluded: int = 0
    gaps: tuple[str, ...] = ()
    stream: Stream | None = None

    @property
    def in_question(self) -> tuple[Dataset, ...]:
        """Datasets that may be inputs: the driver has read them, and holds values that nothing explains."""
        inputs = {input_.key for input_ in self.inputs}
        return tuple(r.dataset for r in self.through_driver if r.how == READ_BEFORE and r.dataset.key not in inputs)

    @property
    def datasets(self) -> tuple[Dataset, ...]:
        """All datasets of the process: inputs, outputs, those that decided what was written, and those that may be inputs."""
        in_question = self.in_question if self.through_driver else ()
        return (*self.inputs, *self.outputs, *self.decided_by, *in_question)

    @property
    def replaces_output(self) -> bool:
        """True if the write replaced all rows of the output."""
        return self.extent.is_replaced and not self.extent.part

    @property
    def has_happened(self) -> bool:
        """False for a failed run. True for a failed streaming query: only its successful writes are reported."""
        return self.run.failure is None or self.stream is not None


Outcome = Process | Change
"""The meaning of a Spark event: a process, or a change to a catalog."""
