"""Turn a merged run into the process and the changes that it means."""

from __future__ import annotations

import marshal
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import Any

from sac_kafka.model import (
    APPENDED,
    REPLACED,
    SPARK,
    Application,
    Dataset,
    DatasetRead,
    Outcome,
    Process,
    RowsRemoved,
    Run,
    Stream,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.bounds import DEFAULT, Budget
from sac_kafka.model.cache import Cache
from sac_kafka.model.gaps import COLUMNS_NOT_STATED, CONDITIONS_NOT_STATED
from sac_kafka.model.processes import NOT_COUNTED, WriteMetrics, merge_reads
from sac_kafka.names.paths import Patterns
from sac_kafka.openlineage.applications import Starters, application_of, engine_of
from sac_kafka.openlineage.columns import FlowColumns, OutputLineage, flow_columns, output_lineages
from sac_kafka.openlineage.datasets import NamedDatasets, mark_replacement, number
from sac_kafka.openlineage.events import ABORT, COMPLETE, FAIL, NamespacedName, name_of, value_of
from sac_kafka.openlineage.own import divide, is_flow, restore
from sac_kafka.openlineage.runs import Datasets, MergedRun, StampedFacets, facet
from sac_kafka.openlineage.sql_text import mask_sql
from sac_kafka.settings.declarations.choices import QueryText

READ_ONLY = "runs that only read"
NO_DATASETS = "runs without datasets"
NO_WRITE = "runs with outputs that write no rows, such as definitions"
TEST = "runs of tests"
NOT_UNDERSTOOD = "query not understood: the producer could not extract its lineage"
NOT_DEFINED = "DatasetEvent: no table of a catalog, or without columns"
_DEFINING = frozenset({"ALTER", "CREATE", "DROP", "RENAME"})
_WRITES = frozenset({"SEED", "SNAPSHOT", "COPY", "MODEL"})
"""Types of jobs that write rows although they have no input."""
_STREAMS = frozenset({"STREAMING", "SERVICE"})
_ERROR_CLASS = re.compile(r"\[([A-Z][A-Z0-9_.]{2,99})\]")
_QUOTES = "spark"
"""A dialect with literals in both kinds of quotes."""
_SQLSTATE = re.compile(r"SQLSTATE: ([0-9A-Z]{5})\b")
_WORD = re.compile(r"[^\W\d]\w*")
_NO_CLASS = frozenset({"Error", "Exception"})
_VALUE = re.compile(r"[=:] ?[^\s,;)]+")
"""What may be data in an error message, in addition to literals and addresses."""
_OF_ONE_RUN = frozenset({"inputStatistics", "outputStatistics", "version"})
"""The facets of datasets that differ from run to run."""
_CACHED_BYTES = 8 * 1024 * 1024
_SEARCHED = 4_000
_MAX_MESSAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOptions:
    """Settings of flows.

    `namespace` is that of jobs which is not part of their names; `namespaces` are other names of those of datasets.
    """

    patterns: Patterns = ()
    budget: Budget = DEFAULT
    query_text: QueryText = QueryText.MASKED
    namespace: str = ""
    namespaces: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Data:
    """What the datasets of a run mean: the same for all runs of a job, as a rule. `counts` is what is omitted, by reason."""

    named: NamedDatasets
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]
    origins: tuple[str, ...]
    columns: FlowColumns
    gaps: tuple[str, ...]
    counts: Counter[str]


@dataclass(slots=True)
class Flows:
    """The maker of processes. `starters` is what has started applications, `counts` what is omitted, by reason."""

    options: FlowOptions = field(default_factory=FlowOptions)
    starters: Starters = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    _known: Cache = field(default_factory=lambda: Cache(_CACHED_BYTES))

    def outcomes(self, run: MergedRun) -> Iterator[Outcome]:
        """Yield what a run means; nothing if it is no write, which is counted."""
        for part in divide(run):
            yield from self._outcomes(part)

    def _outcomes(self, run: MergedRun) -> Iterator[Outcome]:
        kind = value_of(run.facet("jobType"), "jobType").upper()
        if kind == "TEST":
            self.counts[TEST] += 1
            return
        key = _content(run)
        data = self._known.get(blake2b(key).digest(), lambda: self._data(run), lambda _: len(key))
        self.counts.update(data.counts)
        if not data.outputs:
            self.counts[READ_ONLY if data.inputs else NO_DATASETS] += 1
            return
        application = application_of(run, self.starters, self.options.namespace)
        failure = _failure(run)
        if not failure:
            yield from _changes(run, data.named, application.job)
        has_written = kind in _WRITES or any(
            "outputStatistics" in facets or is_flow(facets) for facets in run.outputs.values()
        )
        if not (data.inputs or data.origins or has_written):
            self.counts[NO_WRITE] += 1
            return
        yield restore(self._process(run, application, data, failure), run)

    def _data(self, run: MergedRun) -> _Data:
        lineages = output_lineages(run)
        counts = Counter[str]()
        named = NamedDatasets(self.options.patterns, counts, self.options.namespaces)
        outputs = named.add({**{name: {} for name in lineages}, **run.outputs})
        written = len(named.unnamed)
        outer = {name for lineage in lineages.values() for name in lineage.sources} - set(run.inputs)
        inputs = named.add({**run.inputs, **{name: run.outputs.get(name, {}) for name in sorted(outer, key=str)}})
        by_output: dict[str, list[OutputLineage]] = {}
        for name, lineage in lineages.items():
            if (output := named.key(name)) is not None:
                by_output.setdefault(output, []).append(lineage)
        origins = tuple(sorted(named.unnamed[written:])) if run.inputs else ()
        for before in map(_name_before, run.outputs.values()):
            if before is not None:
                named.find(before)  # and count it if it has no dataset: what is cached must not change when it is used
        return _Data(
            named=named,
            inputs=inputs,
            outputs=outputs,
            origins=origins,
            columns=flow_columns(by_output, named.key, self.options.budget),
            gaps=tuple(_gaps(lineages.values())),
            counts=counts,
        )

    def define(self, name: NamespacedName, facets: StampedFacets) -> Iterator[Outcome]:
        """Yield what an event of a dataset defines: a table, as others are defined by their flows only."""
        named = NamedDatasets(self.options.patterns, self.counts, self.options.namespaces)
        for dataset in named.add({name: facets}):
            change = _definition(named, name, dataset, facets)
            if change is None:
                self.counts[NOT_DEFINED] += 1
            else:
                yield change

    def _process(self, run: MergedRun, application: Application, data: _Data, failure: str | None) -> Process:
        columns = data.columns
        is_replaced = _is_replaced(run)
        return Process(
            application=application,
            run=self._run(run, data.named, failure),
            inputs=data.inputs,
            outputs=tuple(map(mark_replacement, data.outputs)) if is_replaced else data.outputs,
            columns=columns.columns,
            row_level=columns.row_level,
            clauses=columns.clauses,
            columns_omitted=columns.omitted,
            extent=REPLACED if is_replaced else APPENDED,
            other_sources=data.origins,
            versions_read=tuple(_versions(run, data.named)),
            gaps=(NOT_UNDERSTOOD, *data.gaps) if run.facet("extractionError") else data.gaps,
            stream=_stream(run, application, data.outputs),
        )

    def _run(self, run: MergedRun, named: NamedDatasets, failure: str | None) -> Run:
        query = run.facet("sql")
        text = value_of(query, "query")
        if self.options.query_text is QueryText.MASKED and text:
            text = mask_sql(text, value_of(query, "dialect") or engine_of(run).name)
        reads = (_read(named.key(name), facets) for name, facets in run.inputs.items())
        known = Run(
            execution_id=None,
            started_ms=run.begin_ns // 1_000_000 if run.run_id else None,
            ended_ms=None if run.ended_ns is None else run.ended_ns // 1_000_000,
            query_text=text or None,
            failure=failure,
            read=merge_reads(read for read in reads if read is not None),
        )
        return _metrics(run.outputs).apply_to(known)


def _read(key: str | None, facets: StampedFacets) -> DatasetRead | None:
    counts = [number(facets, "inputStatistics", *keys) for keys in (("rowCount",), ("fileCount",), ("size",))]
    if key is None or counts == [None, None, None]:
        return None
    rows, files, size = counts
    return DatasetRead(dataset=key, rows=rows, files=files, bytes=size)


def _metrics(outputs: Datasets) -> WriteMetrics:
    """Return what was written to all outputs that state it."""
    counted = [
        WriteMetrics(
            number(facets, "outputStatistics", "rowCount"),
            number(facets, "outputStatistics", "fileCount"),
            number(facets, "outputStatistics", "size"),
        )
        for facets in outputs.values()
        if facet(facets, "outputStatistics")
    ]
    return sum(counted[1:], counted[0]) if counted else NOT_COUNTED


def _failure(run: MergedRun) -> str | None:
    """Return the class of the error, else the first line of its message without what may be data."""
    if run.state not in (FAIL, ABORT):
        return None
    exception, error = run.facet("spark.exception"), run.facet("errorMessage")
    texts = [value_of(exception, "stackTrace"), value_of(exception, "message"), value_of(error, "message")]
    searched = " ".join(text[:_SEARCHED] for text in (*texts, value_of(error, "stackTrace")))
    condition, state = _ERROR_CLASS.search(searched), _SQLSTATE.search(searched)
    words = (word for word in _WORD.findall(searched) if word not in _NO_CLASS)
    thrown = (word for word in words if word.endswith(("Exception", "Error")))
    line = mask_sql(value_of(error, "message").partition("\n")[0][:_MAX_MESSAGE], _QUOTES)
    message = _VALUE.sub("?", " ".join("?" if "@" in word else word for word in line.split()))
    known = [condition[1]] if condition else [*islice(thrown, 1)] or [*filter(None, [message])]
    return " ".join([f"{run.state}:" if known else run.state, *known, *([f"SQLSTATE {state[1]}"] if state else [])])


def _change_of(facets: StampedFacets) -> str:
    return value_of(facet(facets, "lifecycleStateChange"), "lifecycleStateChange").upper()


def _name_before(facets: StampedFacets) -> NamespacedName | None:
    """Return the name that a table had before it was renamed."""
    return name_of(facet(facets, "lifecycleStateChange").get("previousIdentifier"))


def _is_replaced(run: MergedRun) -> bool:
    """Return whether all rows of all outputs were replaced; Spark states OVERWRITE also for appends."""
    is_spark = engine_of(run).name == SPARK
    changes = {_change_of(facets) for facets in run.outputs.values()}
    return bool(changes) and changes <= ({"CREATE"} if is_spark else {"CREATE", "OVERWRITE"})


def _changes(run: MergedRun, named: NamedDatasets, job: str) -> Iterator[Outcome]:
    """Yield the definitions and removals of tables, and the removal of rows, by a run that has ended."""
    if run.state != COMPLETE:
        return
    for name, facets in run.outputs.items():
        dataset, change = named.by_name.get(name), _change_of(facets)
        if dataset is not None and change == "TRUNCATE":
            yield RowsRemoved(dataset=dataset, job=job)
        elif dataset is not None and change in _DEFINING:
            defined = _definition(named, name, dataset, facets)
            if defined is not None:
                yield defined


def _definition(
    named: NamedDatasets, name: NamespacedName, dataset: Dataset, facets: StampedFacets
) -> TableDefined | TableRenamed | TableDropped | None:
    """Return the change of a table; None without a dataset, or its definition is not known."""
    if not isinstance(dataset, TableDataset):
        return None
    if _change_of(facets) == "DROP":
        return TableDropped(table=dataset)
    before = _name_before(facets)
    if before is not None:
        old = _former(named, dataset, name, before)
        return TableRenamed(old=old, new=dataset) if old is not None and old.key != dataset.key else None
    return TableDefined(table=dataset) if dataset.columns else None


def _former(
    named: NamedDatasets, table: TableDataset, name: NamespacedName, before: NamespacedName
) -> TableDataset | None:
    """Return the former name of a table; Spark states it as a directory next to that of the new name."""
    old = named.find(before)
    if isinstance(old, TableDataset):
        return old
    folder, _, last = before.name.rpartition("/")
    is_sibling = folder and name.name == f"{folder}/{table.name}"
    return TableDataset(catalog=table.catalog, database=table.database, name=last) if is_sibling and last else None


def _versions(run: MergedRun, named: NamedDatasets) -> Iterator[tuple[str, str]]:
    for name, facets in run.inputs.items():
        version, key = value_of(facet(facets, "version"), "datasetVersion"), named.key(name)
        if version and key is not None:
            yield key, f"version {version[:100]}"


def _content(run: MergedRun) -> bytes:
    """Return what the datasets of a run and their columns are made of.

    Raises:
        RecursionError: A facet is nested too deeply.
    """
    sides: Any = [
        [(n.namespace, n.name, {k: v.value for k, v in facets.items() if k not in _OF_ONE_RUN}) for n, facets in side]
        for side in (run.outputs.items(), run.inputs.items())
    ]
    try:
        return marshal.dumps((sides, dict(run.facet("lineage"))), 2)
    except ValueError:
        raise RecursionError from None


def _gaps(lineages: Iterable[OutputLineage]) -> Iterator[str]:
    """Yield what the producer does not state. One that states how columns are used states what decides the rows as well."""
    known = [*lineages]
    if not any(lineage.fields for lineage in known):
        yield COLUMNS_NOT_STATED
    if not any(lineage.is_typed for lineage in known):
        yield CONDITIONS_NOT_STATED


def _stream(run: MergedRun, application: Application, outputs: tuple[Dataset, ...]) -> Stream | None:
    if value_of(run.facet("jobType"), "processingType").upper() not in _STREAMS:
        return None
    return Stream(
        identity=(application.job, *(output.key for output in outputs)),
        name=None,
        checkpoint=None,
        query_id=run.run_id,
        run_id=run.run_id,
        is_running=not run.has_ended,
    )


def is_stream(run: MergedRun) -> bool:
    """Return whether a run need not end."""
    return value_of(run.facet("jobType"), "processingType").upper() in _STREAMS
