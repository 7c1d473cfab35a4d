"""Name datasets and jobs, and identify runs, so that the same one is named and identified alike in all events."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from sac_kafka.model import SESSION_CATALOG, Application, Dataset, Process, TableDataset
from sac_kafka.model.bounds import Bounded
from sac_kafka.names.openlineage_names import LinkedName, dataset_of, name_of

_MAX_LOCATIONS = 20_000
_MAX_LABEL = 500
_RUNS = uuid.UUID("5a7f0f0e-6b1d-5c52-9d3e-2f1c8f4b7a10")
"""The namespace of the identifiers of runs (RFC 9562, UUIDv5)."""


@dataclass(slots=True)
class EventNames:
    """The OpenLineage names of datasets; `metastore` is the namespace of tables.

    A table is named by its location. Some statements only name a table: it has the location that an earlier one has shown.
    """

    metastore: str
    _locations: Bounded[str, str] = field(default_factory=lambda: Bounded(_MAX_LOCATIONS))

    def find(self, dataset: Dataset) -> LinkedName:
        """Return the name of a dataset."""
        if not isinstance(dataset, TableDataset):
            return name_of(dataset, self.metastore)
        if dataset.location:
            self._locations[dataset.key] = dataset.location
        elif not dataset.is_view:
            dataset = replace(dataset, location=self._locations.get(dataset.key))
        return name_of(dataset, self.metastore)


def leads_back(dataset: Dataset, name: LinkedName) -> bool:
    """Return whether the name is read as the same dataset."""
    found = dataset_of(name, (), ())
    return found is not None and found.key == dataset.key


def flow_name(process: Process, together: Iterable[str] = ()) -> str:
    """Return the name of the job of a flow: the application's, and what it writes.

    Args:
        process: The flow.
        together: The keys of all datasets that its execution writes, so that the flows of one execution are of one job.
    """
    if process.defines_view:
        return f"view.{_label(process.outputs)}"
    stream = process.stream
    if stream is not None:
        label = stream.name or (PurePosixPath(stream.checkpoint).name if stream.checkpoint else "")
        return ".".join(filter(None, (process.application.job, "stream", label, _label(process.outputs))))
    return f"{process.application.job}.{_label(process.outputs, together) or 'read'}"


def change_name(job: str, verb: str, dataset: Dataset) -> str:
    """Return the name of the job that changes a dataset."""
    return f"{job}.{verb.lower()}.{_label([dataset])}"


def _label(datasets: Iterable[Dataset], together: Iterable[str] = ()) -> str:
    """Return the names of datasets, and of those with these keys, as `shown_name`."""
    keys = sorted({*(dataset.key for dataset in datasets), *together})
    return ",".join(key.partition(":")[2].removeprefix(f"{SESSION_CATALOG}.") for key in keys)[:_MAX_LABEL]


def run_of_application(application: Application) -> str:
    """Return the identifier of the run of an application."""
    return _identifier("application", application)


def run_of_flow(process: Process) -> str:
    """Return the identifier of a run: of an execution however many flows it has, of a streaming query since its start.

    It depends on nothing that differs if the event is made again.
    """
    application, run, stream = process.application, process.run, process.stream
    outputs = [dataset.key for dataset in process.outputs]
    if process.defines_view:
        inputs = [dataset.key for dataset in process.inputs]
        definition = ["view", *outputs, *inputs, run.query_text or "", repr(process.columns), repr(process.clauses)]
        return str(uuid.uuid5(_RUNS, "\0".join(definition)))
    if stream is not None:
        return _identifier("stream", application, stream.run_id, *stream.identity)
    if run.execution_id is not None:
        return _identifier("execution", application, str(run.execution_id))
    return _identifier("run", application, str(run.started_ms), *outputs)


def run_of_change(application: Application, verb: str, dataset: Dataset, now_ms: int) -> str:
    """Return the identifier of a change at an epoch time in milliseconds."""
    return _identifier("change", application, verb, dataset.key, str(now_ms))


def _identifier(kind: str, application: Application, *parts: str) -> str:
    named = (kind, application.application_id, application.attempt or "", *parts)
    return str(uuid.uuid5(_RUNS, "\0".join(named)))
