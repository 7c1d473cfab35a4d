"""Read OpenLineage events of any producer; of the facets only those that `FACETS` names are kept."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from hashlib import blake2b
from types import MappingProxyType

from sac_kafka.errors import SacKafkaError
from sac_kafka.openlineage.own_facets import ALL

Facets = Mapping[str, Mapping[str, object]]
"""Facets by name."""

FACETS = frozenset(
    {
        *(
            "columnLineage",
            "dbt_node",
            "documentation",
            "errorMessage",
            "extractionError",
            "inputStatistics",
            "jobType",
        ),
        *("lifecycleStateChange", "lineage", "nominalTime", "outputStatistics", "ownership", "parent"),
        *("processing_engine", "schema", "sourceCodeLocation", "spark.exception", "spark_applicationDetails"),
        *("spark_properties", "sql", "symlinks", "tags", "version"),
        *ALL,
    }
)
"""The facets that lineage uses."""

START, RUNNING, COMPLETE, ABORT, FAIL, OTHER = "START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"
TERMINAL = frozenset({COMPLETE, ABORT, FAIL})
_STATES = frozenset({START, RUNNING, COMPLETE, ABORT, FAIL, OTHER})

MAX_TEXT = 4_000
"""Limit of a namespace, a name or an identifier; a longer one makes the event unreadable."""
MAX_DATASETS = 10_000
"""Limit of the inputs or outputs of an event."""
_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9})\d*)?\s?(Z|[+-]\d{2}:?\d{2})?",
    re.ASCII | re.IGNORECASE,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class EventError(SacKafkaError):
    """An event cannot be used; the text is the reason, which is counted."""


class OtherEventError(EventError):
    """An event of another kind, which has no run: of a dataset, or of a job without datasets."""


@dataclass(frozen=True, slots=True)
class NamespacedName:
    """A name in a namespace: of a dataset or a job."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class RunEvent:
    """An event of a run, or of a job with datasets; `time_ns` is epoch nanoseconds.

    The facets of an input or output include those of its use. `run_id` is "" for a job: what it does, whatever its runs.
    `version` distinguishes the events of a job: their time, or what they state.
    """

    state: str
    time_ns: int
    run_id: str
    job: NamespacedName
    producer: str
    run: Facets
    of_job: Facets
    inputs: Mapping[NamespacedName, Facets]
    outputs: Mapping[NamespacedName, Facets]
    version: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The namespace of the job, and the run; an event of a job has its own run."""
        return sys.intern(self.job.namespace), self.run_id or f"{self.job.name}@{self.version}"


def read_event(value: object) -> RunEvent:
    """Read an event from JSON.

    Raises:
        EventError: It is no event of a run or of a job with datasets, or lacks what identifies the run.
    """
    if not isinstance(value, dict):
        raise EventError("not an event: no JSON object")
    run, job = value.get("run"), value.get("job")
    is_static = run is None
    if is_static:
        if "dataset" in value:
            raise OtherEventError("DatasetEvent: it has no run")
        if not isinstance(job, dict):
            raise EventError("not an event: no run")
        if not (value.get("inputs") or value.get("outputs")):
            raise OtherEventError("JobEvent: it has no datasets")
        if name_of(job) is None:
            raise EventError("JobEvent without the name of its job")
    run = run if isinstance(run, dict) else {}
    run_id = _text(run.get("runId"))
    if not run_id and not is_static:
        raise EventError("run event without runId")
    state = OTHER if is_static else str(value.get("eventType") or OTHER).upper()
    job = job if isinstance(job, dict) else {}
    time_ns = _time_of_job(value) if is_static else nanoseconds(value.get("eventTime"))
    return RunEvent(
        state=state if state in _STATES else OTHER,
        time_ns=time_ns,
        run_id=run_id,
        job=NamespacedName(_text(job.get("namespace")), _text(job.get("name"))),
        producer=_text(value.get("producer")),
        run=_facets(run.get("facets")),
        of_job=_facets(job.get("facets")),
        inputs=dict(_datasets(value.get("inputs"), "inputFacets")),
        outputs=dict(_datasets(value.get("outputs"), "outputFacets")),
        version=(str(time_ns) if time_ns else _digest(value)) if is_static else "",
    )


def _digest(value: Mapping[str, object]) -> str:
    try:
        return blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=16).hexdigest()
    except RecursionError:
        raise EventError("nested too deeply") from None


def state(event: RunEvent) -> dict[str, object]:
    """Return an event of a run as JSON that `read_event` reads again."""
    day = datetime.fromtimestamp(event.time_ns // 1_000_000_000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    sides = {
        side: [{"namespace": n.namespace, "name": n.name, "facets": dict(facets)} for n, facets in datasets.items()]
        for side, datasets in (("inputs", event.inputs), ("outputs", event.outputs))
    }
    job = {"namespace": event.job.namespace, "name": event.job.name, "facets": dict(event.of_job)}
    return {
        "eventType": event.state,
        "eventTime": f"{day}.{event.time_ns % 1_000_000_000:09}Z" if event.time_ns else None,
        "producer": event.producer,
        **({"run": {"runId": event.run_id, "facets": dict(event.run)}} if event.run_id else {}),
        "job": job,
        **sides,
    }


def _time_of_job(value: Mapping[str, object]) -> int:
    """Return the time of an event of a job, which decides nothing; 0 if it is no time."""
    try:
        return nanoseconds(value.get("eventTime"))
    except EventError:
        return 0


def read_dataset(value: object) -> tuple[NamespacedName, Facets] | None:
    """Return the dataset of an event that describes one; None if it has none.

    Raises:
        EventError: The name is too long.
    """
    dataset = value.get("dataset") if isinstance(value, dict) else None
    name = name_of(dataset)
    return (name, _facets(dataset.get("facets"))) if name is not None and isinstance(dataset, dict) else None


def nanoseconds(time: object) -> int:
    """Return an ISO 8601 time as epoch nanoseconds; a time without a zone is UTC.

    Raises:
        EventError: It is no time.

    >>> nanoseconds("2026-11-24T01:53:38.204026496Z"), nanoseconds("2026-11-24T02:53:38.12+01:00")
    (1795485218204026496, 1795485218120000000)
    """
    match = _TIME.fullmatch(time.strip()) if isinstance(time, str) else None
    if match is None:
        raise EventError("run event without a valid eventTime")
    day, clock, fraction, zone = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{_offset(zone)}")
        seconds = (moment - _EPOCH) // timedelta(seconds=1)
    except (ValueError, OverflowError):
        raise EventError("run event without a valid eventTime") from None
    return seconds * 1_000_000_000 + int((fraction or "").ljust(9, "0"))


def _offset(zone: str | None) -> str:
    if zone is None or zone in "zZ":
        return "+00:00"
    return zone if ":" in zone else f"{zone[:3]}:{zone[3:]}"


def name_of(value: object) -> NamespacedName | None:
    """Return the name that an object of an event has; None if it has none.

    Raises:
        EventError: The name is too long.
    """
    if not isinstance(value, dict) or not _text(value.get("name")):
        return None
    return NamespacedName(_text(value.get("namespace")), _text(value.get("name")))


def objects(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the objects of a list in an event; anything else is omitted."""
    for item in value if isinstance(value, Sequence) and not isinstance(value, str) else ():
        if isinstance(item, dict):
            yield item


def value_of(facets: Mapping[str, object], *path: str) -> str:
    """Return the text at a path of keys; "" if it does not exist."""
    part: object = facets
    for key in path:
        part = part.get(key) if isinstance(part, Mapping) else None
    return part.strip() if isinstance(part, str) else ""


def _text(value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > MAX_TEXT:
        raise EventError("name or identifier too long")
    return text


def _facets(value: object, *more: object) -> Facets:
    all_facets = [group for group in (value, *more) if isinstance(group, dict)]
    return MappingProxyType(
        {
            key: facet
            for group in all_facets
            for key, facet in group.items()
            if key in FACETS and isinstance(facet, dict)
        }
    )


def _datasets(value: object, of_use: str) -> Iterator[tuple[NamespacedName, Facets]]:
    for number, item in enumerate(objects(value)):
        if number == MAX_DATASETS:
            raise EventError(f"more than {MAX_DATASETS} inputs or outputs")
        name = name_of(item)
        if name is not None:
            yield name, _facets(item.get("facets"), item.get(of_use))
