"""A flow from datasets to datasets, and the run of it that was seen."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.lineage.model.changes import Change
from sac_kafka.lineage.model.columns import ColumnLineage, ColumnSource, RowClause
from sac_kafka.lineage.model.datasets import Dataset
from sac_kafka.lineage.model.reads import DatasetRead


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The Spark application, under the name of its job.

    `job` is what stays the same from run to run; `is_job_chosen` where it was not made of the application's name.
    `application_id` and `attempt` name this run, and so do the `facts` that its platform tells (run, task, workspace …; by
    their names, which no other attribute has). `started_ms` is epoch milliseconds.
    """

    job: str
    application_id: str
    name: str
    user: str
    spark_version: str = ""
    attempt: str | None = None
    started_ms: int | None = None
    facts: tuple[tuple[str, str], ...] = ()
    is_job_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """Who had a server run something: `server` is which kind it is, the ids are its own. `user` is "" where nobody is named."""

    user: str
    server: str
    session_id: str | None = None
    operation_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One execution of a flow. Times are epoch milliseconds; `query_text` is the user's own SQL statement, if it was SQL.

    `execution_id` is that of Spark SQL, None where an RDD was written by a job of its own.

    `failure` is the class of the error (and its SQLSTATE) of a run that failed. `plan_text` is there only where
    settings ask for it; `requester` is who asked for the execution where a server serves several (Connect, Thrift server).
    `rows_written`, `files_written` and `bytes_written` are what Spark counted, None where it did not; `read` is what it
    counted of inputs, sorted by their keys, without those of which it counted nothing (a cache, an RDD). `jobs` are the ids of
    the first 100 Spark jobs that ran for it. `executions` is how many executions of this application these figures are the
    sum of: those that wrote the parts of one dataset, or at the same time; the times are then from the first start to the
    last end.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """The streaming query that a process is, and what the query did since its last start.

    `identity` is what names it whatever the run: its name and its checkpoint, where it has neither the first flow that it
    showed. `name` and `checkpoint` are None where it has none that lasts. `query_id` is Spark's, kept in the checkpoint,
    `run_id` that of the last start. `batches` are those since then, `last_batch` is the number of the last one, which Spark
    counts from the query's first start. `rows_read` are those of each source, by its own description.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One user action that wrote something: the flow from `inputs` to `outputs`, both sorted by key.

    `columns` is the column lineage of all outputs. `row_level` are the columns that decided which rows were written (join,
    filter, group by, sort), once per process and not per column; `clauses` are these decisions one by one, from the
    leaves of the query up, at most 100. `columns_left_out` says why there is none of all this. `replaces_output` is
    True where the write replaced all rows that the output had (CREATE, overwrite of a whole table or directory).

    `defines_view` is True for the definition of a persisted view, its only output: the same whether a statement made the
    view or only read it, whatever the job, and told each time. Of its `run` nothing but the query's text is the view's.

    `other_sources` says in words where rows come from that no dataset holds ("rows of the driver"), sorted.

    `versions_read` says in words which state of an input was asked for, where that was not its newest: the input's key and
    `version 3`, `timestamp …`, `branch …`; sorted, at most 100. A fact of the run: no name has it.

    `through_driver` says of which inputs rows went through the driver's Python, or a value through a variable of SQL, and how
    that shows (`values of it`): the input's key and these words; sorted, at most 100. Of what the driver made of them no column
    is known, unless a frame came back as it was.

    `decided_by` are the datasets that the driver's Python had read values of the statement from: a literal of a condition, a
    parameter. They decided what was written, and are no inputs; sorted by key.

    `inputs_left_out` is how many more datasets were read, which rules have left out. `gaps` are reasons, as they are counted, why
    something else of it is not known (`gaps.REASONS`).

    `stream` is there for a streaming query, which is one process: all that its batches read and wrote so far.
    """

    application: Application
    run: Run
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]
    columns: tuple[ColumnLineage, ...] = ()
    row_level: tuple[ColumnSource, ...] = ()
    clauses: tuple[RowClause, ...] = ()
    columns_left_out: str | None = None
    replaces_output: bool = False
    defines_view: bool = False
    other_sources: tuple[str, ...] = ()
    versions_read: tuple[tuple[str, str], ...] = ()
    through_driver: tuple[tuple[str, str], ...] = ()
    decided_by: tuple[Dataset, ...] = ()
    inputs_left_out: int = 0
    gaps: tuple[str, ...] = ()
    stream: Stream | None = None

    @property
    def datasets(self) -> tuple[Dataset, ...]:
        """All datasets that it names: inputs, outputs, and those that decided what was written."""
        return (*self.inputs, *self.outputs, *self.decided_by)

    @property
    def has_happened(self) -> bool:
        """False for a run that failed. A query that failed has done what it says: only writes that succeeded are told of it."""
        return self.run.failure is None or self.stream is not None


Outcome = Process | Change
"""What an event of Spark's means."""
