"""Build run events: one for a flow, a change of a table, or the end of an application."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from types import MappingProxyType

from sac_kafka.model import (
    SPARK,
    Application,
    Change,
    ColumnRenamed,
    Dataset,
    DatasetDescribed,
    Process,
    RowsRemoved,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.facts import FINISHED
from sac_kafka.names.openlineage_names import LinkedName, OpenLineageName
from sac_kafka.openlineage import own_facets
from sac_kafka.openlineage.writing import own
from sac_kafka.openlineage.writing.facets import (
    DATASET_EVENT,
    PRODUCER,
    RUN_EVENT,
    ColumnFacets,
    JsonObject,
    WrittenFacets,
    describe,
    facet,
)
from sac_kafka.openlineage.writing.names import (
    EventNames,
    change_name,
    flow_name,
    leads_back,
    run_of_application,
    run_of_change,
    run_of_flow,
)
from sac_kafka.stats import Completeness
from sac_kafka.version import __version__

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_NO_TABLES: Mapping[str, TableDataset] = MappingProxyType({})
_VERSION = "version "
_SOURCE = "sac_kafka"


@dataclass(frozen=True, slots=True)
class Events:
    """The maker of events.

    Args:
        namespace: The namespace of jobs.
        names: The names of datasets.
        is_full: Whether column lineage includes what only decides values and rows.
        tags: Key and value of the tags of all jobs; labels have the value `true`.
    """

    namespace: str
    names: EventNames
    is_full: bool = True
    tags: tuple[tuple[str, str], ...] = ()

    def describe_flow(
        self,
        process: Process,
        now_ms: int,
        defined: Mapping[str, TableDataset] = _NO_TABLES,
        together: Iterable[str] = (),
    ) -> JsonObject:
        """Return the event of a flow.

        Args:
            process: The flow.
            now_ms: The time in epoch milliseconds, if the run has none.
            defined: The definitions, by key, of the tables that its statement created or replaced.
            together: The keys of all datasets that its execution writes.
        """
        process = replace(process, outputs=tuple(defined.get(output.key, output) for output in process.outputs))
        run, application, stream = process.run, process.application, process.stream
        facets = self._run_facets(application)
        if not process.defines_view:
            self._add_parent(facets, application)
            facet(
                facets, own_facets.RUN, **own.describe_application(application), facts=own.list_facts(process) or None
            )
        facet(facets, own_facets.COMPLETENESS, **own.rate_flow(process))
        if run.failure is not None:
            language = "JAVA" if application.engine.name == SPARK else "unknown"
            facet(facets, "errorMessage", message=run.failure, programmingLanguage=language)
        job_facets: WrittenFacets = {}
        job_type = "VIEW" if process.defines_view else "QUERY"
        self._add_job_facets(job_facets, application, job_type, is_stream=stream is not None)
        if run.query_text:
            facet(job_facets, "sql", query=run.query_text, dialect=application.engine.name.lower())
        state = "FAIL" if run.failure is not None else "RUNNING" if stream and stream.is_running else "COMPLETE"
        return self._event(
            state,
            now_ms if run.ended_ms is None else run.ended_ms,
            {"runId": run_of_flow(process), "facets": facets},
            {"name": flow_name(process, together), "facets": job_facets},
            self._list_once(process.inputs, lambda dataset: self._input(process, dataset)),
            self._list_once(process.outputs, lambda dataset: self._output(process, dataset, defined, together)),
        )

    def describe_change(self, change: Change, application: Application, now_ms: int) -> JsonObject | None:
        """Return the event of a change at an epoch time in milliseconds; None for one without a form, as of a database."""
        verb, dataset, previous = _change(change, application)
        if dataset is None:
            return None
        facets = self._run_facets(application)
        self._add_parent(facets, application)
        facet(facets, own_facets.RUN, **own.describe_application(application))
        job_facets: WrittenFacets = {}
        self._add_job_facets(job_facets, application, "COMMAND")
        output = self._dataset(dataset)
        former = None if previous is None else self._former(previous, output)
        facet(output["facets"], "lifecycleStateChange", lifecycleStateChange=verb, previousIdentifier=former)
        return self._event(
            "COMPLETE",
            now_ms,
            {"runId": run_of_change(application, verb, dataset, now_ms), "facets": facets},
            {"name": change_name(application.job, verb, dataset), "facets": job_facets},
            [],
            [output],
        )

    def _former(self, previous: Dataset, output: JsonObject) -> JsonObject:
        """Return the name that a dataset had before; as a table if its location has stayed the same."""
        name = self.names.find(previous)
        found = _identifier(name)
        is_same = all(output[key] == text for key, text in found.items())
        return _identifier(name.tables[0]) if is_same and name.tables else found

    def describe_dataset(self, described: DatasetDescribed, now_ms: int) -> JsonObject:
        """Return the event of a dataset that was described at an epoch time in milliseconds; it has no run."""
        dataset = self._dataset(described.dataset)
        facets: WrittenFacets = dataset["facets"]
        facet(facets, "documentation", description=described.description or None)
        owners = [{"name": described.owner, "type": "OWNER"}] if described.owner else None
        facet(facets, "ownership", owners=owners)
        return {
            "eventTime": _as_time(now_ms),
            "producer": PRODUCER,
            "schemaURL": DATASET_EVENT,
            "dataset": dataset,
        }

    def describe_end(
        self, application: Application, wrote: Completeness | None, status: str, now_ms: int
    ) -> JsonObject:
        """Return the event of the end of an application."""
        facets = self._run_facets(application)
        self._add_parent_of_application(facets, application)
        facet(facets, own_facets.RUN, **own.describe_application(application))
        facet(facets, own_facets.COMPLETENESS, **own.rate_application(wrote))
        job_facets: WrittenFacets = {}
        self._add_job_facets(job_facets, application, "APPLICATION")
        run = {"runId": run_of_application(application), "facets": facets}
        state = "COMPLETE" if status == FINISHED else "FAIL"
        return self._event(state, now_ms, run, {"name": application.job, "facets": job_facets}, [], [])

    # ---- the parts of an event

    def _event(
        self,
        state: str,
        time_ms: int,
        run: JsonObject,
        job: JsonObject,
        inputs: list[JsonObject],
        outputs: list[JsonObject],
    ) -> JsonObject:
        return {
            "eventType": state,
            "eventTime": _as_time(time_ms),
            "producer": PRODUCER,
            "schemaURL": RUN_EVENT,
            "run": run,
            "job": {"namespace": self.namespace, **job},
            "inputs": inputs,
            "outputs": outputs,
        }

    def _run_facets(self, application: Application) -> WrittenFacets:
        facets: WrittenFacets = {}
        engine = application.engine
        facet(
            facets,
            "processing_engine",
            version=engine.version or "unknown",
            name=engine.name.lower() or None,
            openlineageAdapterVersion=__version__,
        )
        return facets

    def _add_parent(self, facets: WrittenFacets, application: Application) -> None:
        """Add the run of the application, and the run that has started it as its root."""
        started_by = self._started_by(application)
        run = {"runId": run_of_application(application)}
        job = {"namespace": self.namespace, "name": application.job}
        facet(facets, "parent", run=run, job=job, root=started_by)

    def _add_parent_of_application(self, facets: WrittenFacets, application: Application) -> None:
        started_by = self._started_by(application)
        if started_by is not None:
            facet(facets, "parent", **started_by)

    def _started_by(self, application: Application) -> JsonObject | None:
        """Return the run that has started an application, if its identifier is one of OpenLineage."""
        facts = dict(application.facts)
        try:
            run_id = str(uuid.UUID(facts.get("parent_run_id", "")))
        except ValueError:
            return None
        name = facts.get("parent_job") or facts.get("parent") or "unknown"
        return {"run": {"runId": run_id}, "job": {"namespace": self.namespace, "name": name}}

    def _add_job_facets(
        self, facets: WrittenFacets, application: Application, job_type: str, *, is_stream: bool = False
    ) -> None:
        pattern = {"eventTrigger": "PERIODIC", "eventContentMode": "COMPLETE_SNAPSHOT"} if is_stream else None
        facet(
            facets,
            "jobType",
            processingType="STREAMING" if is_stream else "BATCH",
            integration=application.engine.name.upper() or "SPARK",
            jobType=job_type,
            emissionPattern=pattern,
        )
        tags = dict.fromkeys((*self.tags, *((label, "true") for label in application.labels)))
        facet(facets, "tags", tags=[{"key": key, "value": value, "source": _SOURCE} for key, value in tags] or None)

    def _dataset(self, dataset: Dataset) -> JsonObject:
        name = self.names.find(dataset)
        facets: WrittenFacets = {}
        describe(facets, dataset, name, dataset.columns)
        if not leads_back(dataset, name):
            facet(facets, own_facets.DATASET, **own_facets.identity_of(dataset))
        return {**_identifier(name), "facets": facets}

    def _list_once(self, datasets: Iterable[Dataset], build: Callable[[Dataset], JsonObject]) -> list[JsonObject]:
        """Return datasets, each name once: a model and the directory that it is saved in have the same one."""
        found: dict[LinkedName, JsonObject] = {}
        for dataset in datasets:
            known = found.setdefault(replace(self.names.find(dataset), tables=()), {})
            if not known:
                known |= build(dataset)
                continue
            stated = known["facets"].get(own_facets.DATASET, {})
            more = {"others": [*stated.get("others", ()), own_facets.identity_of(dataset)]}
            facet(known["facets"], own_facets.DATASET, **{**stated, **more})
        return [*found.values()]

    def _input(self, process: Process, dataset: Dataset) -> JsonObject:
        found = self._dataset(dataset)
        version = dict(process.versions_read).get(dataset.key)
        facet(found["facets"], "version", datasetVersion=version and version.removeprefix(_VERSION))
        of_use: WrittenFacets = {}
        for read in process.run.read:
            if read.dataset == dataset.key:
                facet(of_use, "inputStatistics", rowCount=read.rows, size=read.bytes, fileCount=read.files)
        return {**found, **({"inputFacets": of_use} if of_use else {})}

    def _output(
        self, process: Process, dataset: Dataset, defined: Mapping[str, TableDataset], together: Iterable[str]
    ) -> JsonObject:
        found, run = self._dataset(dataset), process.run
        facets: WrittenFacets = found["facets"]
        columns = ColumnFacets(process, self.names.find, self.is_full).build(dataset)
        facet(facets, "columnLineage", **(columns or {}))
        change = "CREATE" if dataset.key in defined else "OVERWRITE"
        if process.replaces_output and process.has_happened and not process.defines_view:
            facet(facets, "lifecycleStateChange", lifecycleStateChange=change)
        facet(facets, own_facets.FLOW, **own.describe_flow(process, self.names.find, together))
        of_use: WrittenFacets = {}
        facet(
            of_use, "outputStatistics", rowCount=run.rows_written, size=run.bytes_written, fileCount=run.files_written
        )
        return {**found, **({"outputFacets": of_use} if of_use else {})}


def _as_time(epoch_ms: int) -> str:
    time = (_EPOCH + timedelta(milliseconds=epoch_ms)).isoformat(timespec="milliseconds")
    return time.replace("+00:00", "Z")


def _identifier(name: OpenLineageName) -> JsonObject:
    return {"namespace": name.namespace, "name": name.name}


def _change(change: Change, application: Application) -> tuple[str, Dataset | None, Dataset | None]:
    """Return the word for a change, the dataset, and the one that it was before; no dataset for a change without a form."""
    match change:
        case TableDefined(table=table):
            is_new = (table.created_ms or 0) >= (application.started_ms or table.created_ms or 1)
            return "CREATE" if is_new else "ALTER", table, None
        case ColumnRenamed(table=table):
            return "ALTER", table, None
        case TableRenamed(old=old, new=new):
            return "RENAME", new, old
        case TableDropped(table=table):
            return "DROP", table, None
        case RowsRemoved(dataset=dataset, part=""):
            return "TRUNCATE", dataset, None
    return "", None, None
