"""Name the application and the job that a run belongs to, as the hook names them for the same program."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sac_kafka.masking import mask_text
from sac_kafka.model import SPARK, Application, Engine
from sac_kafka.names.job_names import job_name
from sac_kafka.openlineage.datasets import value_of
from sac_kafka.openlineage.events import MAX_TEXT, NamespacedName
from sac_kafka.openlineage.runs import MergedRun

_MAX_VERSION = 100


_Parents = Mapping[str, NamespacedName]
"""The job that has started an application, by the run of the application."""


def engine_of(run: MergedRun) -> Engine:
    """Return the engine of a run; without a name if it states none."""
    facet = run.facet("processing_engine")
    name, version = (mask_text(value_of(facet, key)[:_MAX_VERSION]) for key in ("name", "version"))
    return Engine(name=SPARK if name.lower() == SPARK.lower() else name, version=version)


def application_of(run: MergedRun, parents: _Parents, namespace: str) -> Application:
    """Return the application of a run.

    Args:
        run: The run.
        parents: The jobs that have started applications.
        namespace: The namespace of jobs that is not part of their names.
    """
    engine, job = engine_of(run), run.job.value
    assert isinstance(job, NamespacedName)
    details = run.facet("spark_applicationDetails")
    is_spark = engine.name == SPARK
    named = next((found for name in _NAMES if (found := name(run, parents))), "")
    plain = job.name if job.namespace in ("", "default", namespace) else f"{job.namespace}/{job.name}"
    return Application(
        job=mask_text(named or plain),
        application_id=value_of(details, "applicationId") or (is_spark and run.parent_run_id) or run.run_id,
        name=mask_text(_spark_name(run) or job.name),
        user=value_of(details, "userName"),
        engine=engine,
        started_ms=None,
        facts=tuple(_facts(run, job)),
        is_job_chosen=True,
    )


def _spark_name(run: MergedRun) -> str:
    """Return the name of a Spark application; names of its jobs are made of it, and of the plan."""
    properties = run.facet("spark_properties").get("properties")
    name = properties.get("spark.app.name") if isinstance(properties, dict) else ""
    return (name.strip() if isinstance(name, str) else "") or value_of(run.facet("spark_applicationDetails"), "appName")


def _of_spark(run: MergedRun, parents: _Parents) -> str:
    """Name the job of a Spark application: by the job that has started it, else by its name."""
    name = _spark_name(run)
    if not name:
        return ""
    started_by = parents.get(run.parent_run_id)
    root = run.facet("parent").get("root")
    has_root = isinstance(root, dict) and value_of(root, "run", "runId") not in ("", run.parent_run_id)
    of_root = value_of(root, "job", "name") if isinstance(root, dict) and has_root else ""
    return job_name(None, name, started_by.name if started_by is not None else of_root or None)


def _of_dbt(run: MergedRun, parents: _Parents) -> str:
    """Name the job of a dbt node as the hook does (`stages.dbt`): its names in OpenLineage depend on how dbt is run."""
    del parents
    node = value_of(run.facet("dbt_node"), "unique_id")
    return f"dbt {node}" if node else ""


_NAMES: tuple[Callable[[MergedRun, _Parents], str], ...] = (_of_dbt, _of_spark)
"""The names of producers whose job names are not those of their jobs."""


def _facts(run: MergedRun, job: NamespacedName) -> list[tuple[str, str]]:
    parent = run.facet("parent")
    known = {
        "openlineage_job": f"{job.namespace}/{job.name}",
        "openlineage_run_id": run.run_id,
        "openlineage_state": run.state,
        "producer": str(run.producer.value),
        "parent_job": value_of(parent, "job", "name"),
        "parent_run_id": run.parent_run_id,
    }
    return [(name, mask_text(text)[:MAX_TEXT]) for name, text in known.items() if text]
