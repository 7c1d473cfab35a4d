"""Name the application and the job that a run belongs to, as the hook names them for the same program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sac_kafka.masking import mask_text
from sac_kafka.model import SPARK, Application, Engine
from sac_kafka.names.job_names import job_name
from sac_kafka.openlineage.events import MAX_TEXT, NamespacedName, name_of, value_of
from sac_kafka.openlineage.governance import labels_of, list_tags, owners_of
from sac_kafka.openlineage.runs import MergedRun, facet

_MAX_VERSION = 100
STATIC = "STATIC"
"""The state of what an event of a job, which has no run, states."""


class Starter(NamedTuple):
    """The job and the run that have started an application."""

    job: NamespacedName
    run_id: str


Starters = Mapping[str, Starter]
"""What has started an application, by the run of the application."""


def engine_of(run: MergedRun) -> Engine:
    """Return the engine of a run; without a name if it states none."""
    facet = run.facet("processing_engine")
    name, version = (mask_text(value_of(facet, key)[:_MAX_VERSION]) for key in ("name", "version"))
    return Engine(name=SPARK if name.lower() == SPARK.lower() else name, version=version)


def application_of(run: MergedRun, starters: Starters, namespace: str) -> Application:
    """Return the application of a run.

    Args:
        run: The run.
        starters: What has started applications.
        namespace: The namespace of jobs that is not part of their names.
    """
    engine, job = engine_of(run), run.job.value
    assert isinstance(job, NamespacedName)
    details = run.facet("spark_applicationDetails")
    is_spark = engine.name == SPARK
    starter = _starter(run, starters, is_application=bool(_spark_name(run)))
    named = next((found for name in _NAMES if (found := name(run, starter))), "")
    plain = job.name if job.namespace in ("", "default", namespace) else f"{job.namespace}/{job.name}"
    return Application(
        job=mask_text(named or plain),
        application_id=value_of(details, "applicationId") or (is_spark and run.parent_run_id) or run.run_id,
        name=mask_text(_spark_name(run) or job.name),
        user=value_of(details, "userName"),
        engine=engine,
        started_ms=None,
        facts=tuple(_facts(run, job, starter)),
        is_job_chosen=True,
        labels=labels_of(facet(run.of_job, "tags")),  # those of a run are its client's
    )


def _spark_name(run: MergedRun) -> str:
    """Return the name of a Spark application; names of its jobs are made of it, and of the plan."""
    properties = run.facet("spark_properties").get("properties")
    name = properties.get("spark.app.name") if isinstance(properties, dict) else ""
    return (name.strip() if isinstance(name, str) else "") or value_of(run.facet("spark_applicationDetails"), "appName")


def _starter(run: MergedRun, starters: Starters, *, is_application: bool) -> Starter | None:
    """Return what has started the application of a run; the parent of an action of Spark is the application itself."""
    parent = run.facet("parent")
    if not is_application:
        job = name_of(parent.get("job"))
        return Starter(job, run.parent_run_id) if job is not None else None
    root = parent.get("root")
    known = starters.get(run.parent_run_id)
    if known is not None or not isinstance(root, dict):
        return known
    job, run_id = name_of(root.get("job")), value_of(root, "run", "runId")
    return Starter(job, run_id) if job is not None and run_id not in ("", run.parent_run_id) else None


def _of_spark(run: MergedRun, starter: Starter | None) -> str:
    """Name the job of a Spark application: by the job that has started it, else by its name."""
    name = _spark_name(run)
    return job_name(None, name, starter.job.name if starter is not None else None) if name else ""


def _of_dbt(run: MergedRun, starter: Starter | None) -> str:
    """Name the job of a dbt node as the hook does (`stages.dbt`): its names in OpenLineage depend on how dbt is run."""
    del starter
    node = value_of(run.facet("dbt_node"), "unique_id")
    return f"dbt {node}" if node else ""


_NAMES: tuple[Callable[[MergedRun, Starter | None], str], ...] = (_of_dbt, _of_spark)
"""The names of producers whose job names are not those of their jobs."""


def _facts(run: MergedRun, job: NamespacedName, starter: Starter | None) -> list[tuple[str, str]]:
    code = run.facet("sourceCodeLocation")
    known = {
        "openlineage_job": f"{job.namespace}/{job.name}",
        "openlineage_run_id": run.run_id,
        "openlineage_state": run.state if run.run_id else STATIC,
        "producer": str(run.producer.value),
        "parent_job": starter.job.name if starter is not None else "",
        "parent_run_id": starter.run_id if starter is not None else "",
        "dbt_node": value_of(run.facet("dbt_node"), "unique_id"),
        "documentation": value_of(run.facet("documentation"), "description"),
        "owner": owners_of(run.facet("ownership")),
        "nominal_time": value_of(run.facet("nominalTime"), "nominalStartTime"),
        "source_code": " ".join(filter(None, (value_of(code, "url"), value_of(code, "version")))),
    }
    masked = {name: mask_text(text) for name, text in known.items()}
    masked["dataset_tags"] = list_tags((*run.outputs.items(), *run.inputs.items()))
    return [(name, text[:MAX_TEXT]) for name, text in masked.items() if text]
