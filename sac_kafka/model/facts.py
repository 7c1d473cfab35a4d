"""Declare the facts of a run, each once: its name, type, source and meaning, and its attribute in Purview.

Outputs go through the tables, in their order, and encode values by their type; tools read facts by their rows, and docs/atlas.md
lists them. In Atlas a fact is a custom attribute and a member of `details`, both by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from sac_kafka.model.datasets import Dataset, PathDataset
from sac_kafka.model.gaps import gaps
from sac_kafka.model.processes import READ_BEFORE, SPARK, Application, Process, Requester, Stream
from sac_kafka.stats import Completeness

RUNNING, FINISHED, SUCCEEDED, FAILED = "running", "finished", "succeeded", "failed"
"""Status of a run; applications end as FINISHED, or as FAILED if an error or a signal ended the driver."""
COMPLETE, PARTIAL = "complete", "partial"
"""Values of LINEAGE; PARTIAL is followed by the reasons."""


class FactType(Enum):
    """The Python type of a fact; None and empty values are unknown."""

    TEXT = "a text"
    NUMBER = "a number"
    TIME = "epoch milliseconds"
    TEXTS = "a tuple of texts, or a mapping from text to text"
    INPUTS = "pairs of an input's key and a text"
    DATASETS = "datasets"
    COLUMNS = "column sources, which are separate facts by dependency"
    COUNTS = "a mapping from text to number"
    FACTS = "pairs of a name and a text: several facts"


PURVIEW_DETAILS = "lastRunDetails"
"""Purview's attribute with facts that have no other attribute, as JSON by their names."""

_Subject = TypeVar("_Subject", Process, "ApplicationRun")


@dataclass(frozen=True, slots=True)
class Fact(Generic[_Subject]):
    """A fact, or several ones of which each has one of the `names`.

    `value` is the source; `doc` is Markdown, "" for a fact that the one before it describes, too.
    """

    name: str
    value: Callable[[_Subject], object]
    type: FactType = FactType.TEXT
    purview: str = ""
    doc: str = field(default="", kw_only=True)
    names: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def all_names(self) -> tuple[str, ...]:
        """The names of the fact's custom attributes."""
        return self.names or (self.name,)

    def read(self, attributes: Mapping[str, str]) -> str:
        """Return the fact from the custom attributes of an entity; "" if it has none."""
        return attributes.get(self.name, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationRun:
    """An application with its status and, at its end, the completeness of the lineage of its writes."""

    application: Application
    status: str = RUNNING
    wrote: Completeness | None = None


def lineage(process: Process) -> str | None:
    """Return the completeness of a process' lineage with reasons; None if the run wrote nothing."""
    if not process.outputs or process.run.failure is not None:
        return None
    reasons = gaps(process)
    return f"{PARTIAL}: {'; '.join(reasons)}" if reasons else COMPLETE


def status(process: Process) -> str:
    """Return the status of the last run."""
    if process.run.failure is not None:
        return FAILED
    return RUNNING if process.stream is not None and process.stream.is_running else SUCCEEDED


def _seconds(process: Process) -> float | None:
    """Return the length of the run; None if a time is unknown or the clock was set back."""
    start, end = process.run.started_ms, process.run.ended_ms
    return None if start is None or end is None or end < start else (end - start) / 1000


def _job_ids(process: Process) -> str:
    spans: list[list[int]] = []
    for job in process.run.jobs:
        if spans and job == spans[-1][1] + 1:
            spans[-1][1] = job
        else:
            spans.append([job, job])
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def _figures(process: Process) -> tuple[tuple[str, str], ...]:
    """Return the counters of each input as text, `rows=3 files=1 bytes=812`."""
    return tuple(
        (
            each.dataset,
            " ".join(f"{name}={n}" for name in ("rows", "files", "bytes") if (n := getattr(each, name)) is not None),
        )
        for each in process.run.read
    )


def _through_driver(process: Process) -> tuple[tuple[str, str], ...]:
    return tuple((each.dataset.key, each.how) for each in process.through_driver if each.how != READ_BEFORE)


def _locations(datasets: Iterable[Dataset]) -> tuple[str, ...]:
    """Return the concrete paths of a run that differ from its datasets' names."""
    paths = (dataset for dataset in datasets if isinstance(dataset, PathDataset))
    return tuple(location for path in paths for location in path.locations if location != path.path)


def _constants(process: Process) -> tuple[str, ...]:
    """Return columns without source columns. After a failure the column lineage is still that of the last successful run."""
    columns = (column for column in process.columns if not column.sources) if process.run.failure is None else ()
    return tuple(f"{column.column} = {column.expression}" if column.expression else column.column for column in columns)


def _of_stream(value: Callable[[Stream], object]) -> Callable[[Process], object]:
    return lambda process: None if process.stream is None else value(process.stream)


def _of_requester(value: Callable[[Requester], object]) -> Callable[[Process], object]:
    return lambda process: None if process.run.requester is None else value(process.run.requester)


def _other_engine(application: Application) -> str:
    engine = application.engine
    return "" if engine.name == SPARK else f"{engine.name} {engine.version}".rstrip()


def _spark_version(application: Application) -> str:
    return application.engine.version if application.engine.name == SPARK else ""


_PLATFORM = (
    *("platform", "workspace", "workspace_id", "cluster", "cluster_id", "project", "lakehouse", "lakehouse_id"),
    *("job_id", "run_id", "task", "task_run_id", "notebook", "script", "runtime", "workload", "platform_user"),
    *("parent", "parent_job", "parent_task", "parent_run_id", "parent_attempt", "dbt_node"),
)


_TEXT, _NUMBER, _TIME, _TEXTS = FactType.TEXT, FactType.NUMBER, FactType.TIME, FactType.TEXTS
_INPUTS, _JSON = FactType.INPUTS, PURVIEW_DETAILS

STATUS: Fact[Process] = Fact(
    "status", status, _TEXT, "lastRunStatus", doc="`succeeded` or `failed`; of an active streaming query `running`"
)
LINEAGE: Fact[Process] = Fact(
    "lineage", lineage, _TEXT, _JSON, doc="`complete`, or `partial` and the [reasons](completeness.md)"
)

QUERY_FACTS: tuple[Fact[Process], ...] = (
    COLUMN_LINEAGE := Fact(
        *("column_lineage", lambda p: p.columns_omitted and f"omitted: {p.columns_omitted}"),
        doc="the limit that was reached, if column lineage is missing",
    ),
    INPUTS_EXCLUDED := Fact(
        "inputs_excluded", lambda p: p.inputs_excluded or None, _NUMBER, doc="inputs that [filters](filters.md) exclude"
    ),
    Fact(
        *("read", _figures, _INPUTS, _JSON),
        doc="what was read of each input: `sales.orders: rows=3 files=1 bytes=812` ([what counts](lineage.md#runs))",
    ),
    Fact(
        *("versions_read", lambda p: p.versions_read, _INPUTS, "versionsRead"),
        doc="the state of an input, if not the newest: `sales.orders: version 3`",
    ),
    THROUGH_DRIVER := Fact(
        *("through_driver", _through_driver, _INPUTS, "throughDriver"),
        doc="the inputs whose rows went through [the driver's Python](driver-python.md), and how: `sales.orders: values of it`",
    ),
    DECIDED_BY := Fact(
        *("decided_by", lambda p: p.decided_by, FactType.DATASETS),
        doc="the datasets of [values in the statement](driver-python.md#values-in-statements-and-conditions): `sales.control`",
    ),
    OTHER_SOURCES := Fact(
        *("other_sources", lambda p: p.other_sources, _TEXTS, "otherSources"),
        doc="sources that are no dataset: `rows of the driver`",
    ),
)
"""The facts of the query, which do not depend on the run."""

COLUMN_FACTS: tuple[Fact[Process], ...] = (
    ROWS_BY := Fact(
        *("rows_by_", lambda p: p.row_level, FactType.COLUMNS),
        names=("rows_by_join", "rows_by_filter", "rows_by_group_by", "rows_by_sort"),
        doc="the columns that decided rows",
    ),
    COLUMNS_WITHOUT_SOURCES := Fact(
        *("columns_without_sources", _constants, _TEXTS),
        doc="columns that come from no other column: `n = count(*)`; absent after a failed run",
    ),
)
"""The facts of the columns, absent without column lineage."""

FACTS: tuple[Fact[Process], ...] = (
    STATUS,
    FAILURE := Fact(
        *("failure", lambda p: p.run.failure, _TEXT, _JSON),
        doc="the error's class, condition and SQLSTATE ([failed runs](lineage.md#runs-that-failed))",
    ),
    LINEAGE,
    Fact("started", lambda p: p.run.started_ms, _TIME, "lastRunStarted", doc="times and length of the run"),
    ENDED := Fact("ended", lambda p: p.run.ended_ms, _TIME, "lastRunEnded"),
    Fact("duration_seconds", _seconds, _NUMBER, _JSON),
    ROWS_WRITTEN := Fact(
        "rows_written", lambda p: p.run.rows_written, _NUMBER, "rowsWritten", doc="what Spark counted"
    ),
    FILES_WRITTEN := Fact("files_written", lambda p: p.run.files_written, _NUMBER, _JSON),
    BYTES_WRITTEN := Fact("bytes_written", lambda p: p.run.bytes_written, _NUMBER, _JSON),
    Fact(
        *("executions", lambda p: p.run.executions if p.run.executions > 1 else None, _NUMBER, _JSON),
        doc="the number of writes in these figures, if several",
    ),
    APPLICATION_ID := Fact(
        "application_id", lambda p: p.application.application_id, _TEXT, "lastRunId", doc="the application"
    ),
    Fact("attempt", lambda p: p.application.attempt, _TEXT, _JSON),
    Fact(
        *("execution_id", lambda p: p.run.execution_id, _NUMBER, _JSON),
        doc="Spark's ids of the execution and of its first 100 jobs: `41-43 47`",
    ),
    Fact("job_ids", _job_ids, _TEXT, _JSON),
    Fact(
        "spark_version", lambda p: _spark_version(p.application), _TEXT, "sparkVersion", doc="Spark or another engine"
    ),
    Fact("engine", lambda p: _other_engine(p.application), _TEXT, _JSON),
    Fact(
        *("platform", lambda p: p.application.facts, FactType.FACTS),
        names=_PLATFORM,
        doc="the run on its [platform](platforms/README.md)",
    ),
    Fact("user", _of_requester(lambda r: r.user), doc="of a [server](servers.md): its user, session and statement"),
    Fact("server", _of_requester(lambda r: r.server)),
    Fact("session_id", _of_requester(lambda r: r.session_id)),
    Fact("operation_id", _of_requester(lambda r: r.operation_id)),
    Fact("query_name", _of_stream(lambda s: s.name), doc="of a [streaming query](streaming.md)"),
    Fact("checkpoint", _of_stream(lambda s: s.checkpoint)),
    Fact("query_id", _of_stream(lambda s: s.query_id)),
    Fact("query_run_id", _of_stream(lambda s: s.run_id)),
    Fact("output_mode", _of_stream(lambda s: s.output_mode)),
    Fact("batches", _of_stream(lambda s: s.batches), _NUMBER),
    Fact("last_batch", _of_stream(lambda s: s.last_batch), _NUMBER),
    Fact("rows_read", _of_stream(lambda s: sum(rows for _, rows in s.rows_read) if s.rows_read else None), _NUMBER),
    Fact("rows_read_by_source", _of_stream(lambda s: {source: str(rows) for source, rows in s.rows_read}), _TEXTS),
    Fact(
        "read_locations", lambda p: _locations(p.inputs), _TEXTS, doc="the paths, if the dataset's name is their root"
    ),
    Fact("written_locations", lambda p: _locations(p.outputs), _TEXTS),
    *QUERY_FACTS,
    *COLUMN_FACTS,
)
"""The facts of a process, most important first."""


def _of_writes(value: Callable[[Completeness], object]) -> Callable[[ApplicationRun], object]:
    return lambda run: None if run.wrote is None else value(run.wrote)


APPLICATION_FACTS: tuple[Fact[ApplicationRun], ...] = (
    Fact("status", lambda a: a.status, doc="see below"),
    Fact("application_id", lambda a: a.application.application_id, doc="the run; its platform, as of a process"),
    Fact("attempt", lambda a: a.application.attempt),
    Fact("spark_version", lambda a: _spark_version(a.application)),
    Fact("engine", lambda a: _other_engine(a.application)),
    Fact("started", lambda a: a.application.started_ms, _TIME),
    Fact("platform", lambda a: a.application.facts, FactType.FACTS, names=_PLATFORM),
    Fact(
        "lineage",
        _of_writes(lambda w: COMPLETE if w["writes"] == w["with_column_lineage"] else PARTIAL),
        doc="at the end: of all writes, their numbers, and the reasons as JSON",
    ),
    WRITES := Fact("writes", _of_writes(lambda w: w["writes"]), _NUMBER),
    Fact("writes_with_table_lineage", _of_writes(lambda w: w["with_table_lineage"]), _NUMBER),
    Fact("writes_with_column_lineage", _of_writes(lambda w: w["with_column_lineage"]), _NUMBER),
    WRITES_NOT_COMPLETE := Fact("writes_not_complete", _of_writes(lambda w: w["reasons"]), FactType.COUNTS),
)
"""The facts of the last run of an application."""
