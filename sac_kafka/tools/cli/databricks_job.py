"""Build a Databricks job with the hook as JSON for the Jobs API.

Sources: docs.databricks.com, Jobs API 2.2 (create), Dynamic value references, Spark Submit task deprecation notice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sac_kafka.errors import ConfigurationError
from sac_kafka.tools.cli.databricks_cluster import JVM, PYTHON, Cluster, Json, cluster, place, uri

_JOB = "{{job.name}}/{{task.name}}"
_RUN = "job_id={{job.id}},run_id={{job.run_id}}"
_NO_SUBMIT = (17, 3)
"""Databricks Runtime from which on there are no submit tasks."""


class Task(Enum):
    """Kinds of tasks that run in a driver of their cluster; those in Scala and SQL start no Python."""

    NOTEBOOK = "notebook"
    PYTHON = "python"
    WHEEL = "wheel"
    JAR = "jar"
    SCALA = "scala"
    SQL = "sql"
    SUBMIT = "submit"

    @property
    def switch(self) -> str:
        """What loads the hook for it."""
        return JVM if self in (Task.JAR, Task.SCALA, Task.SQL) else PYTHON


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Job with one task on a new cluster.

    `runs` is the notebook, the Python file, the JAR, or `package:entry_point` of a wheel. The hook is installed by the cluster's
    init script, or as a library from its `wheel`.
    """

    name: str
    task: Task
    task_key: str
    runs: str
    main_class: str | None
    parameters: Sequence[str]
    wheel: str | None
    cluster: Cluster


def job(wanted: Job) -> Json:
    """Return the job as JSON for `databricks jobs create --json`.

    Raises:
        ConfigurationError: The options of the task are invalid.
    """
    _check(wanted)
    libraries = _libraries(wanted)
    task = {
        "task_key": wanted.task_key,
        **_TASKS[wanted.task](wanted),
        "new_cluster": cluster(wanted.cluster, (wanted.task.switch,)),
        **({"libraries": libraries} if libraries else {}),
    }
    return {"name": wanted.name, "tasks": [task]}


def _check(wanted: Job) -> None:
    task, is_jar = wanted.task, wanted.runs.lower().endswith(".jar")
    if is_jar != (task is Task.JAR):
        fix = "a JAR is run by --task jar --class MAIN" if is_jar else "must be a JAR for --task jar"
        raise ConfigurationError(f"--run {wanted.runs}: {fix}")
    if bool(wanted.main_class) != (task is Task.JAR):
        raise ConfigurationError(
            f"--task {task.value}: " + ("--class MAIN is required" if is_jar else "has no --class")
        )
    if wanted.wheel and task.switch == JVM:
        raise ConfigurationError(
            f"--task {task.value}: use --init-script instead of --wheel, because it starts no Python that could attach"
        )
    if wanted.wheel and task is Task.SUBMIT:
        raise ConfigurationError(
            "--task submit: use --init-script instead of --wheel, because such a task has no libraries"
        )
    runtime = re.match(r"(\d+)\.(\d+)\.", wanted.cluster.spark_version)
    if task is Task.SUBMIT and runtime and (int(runtime[1]), int(runtime[2])) >= _NO_SUBMIT:
        raise ConfigurationError(
            "--task submit: Databricks Runtime 17.3 and newer have no such tasks; use --task python"
        )


# ---- the tasks of the Jobs API


def _notebook(wanted: Job) -> Json:
    pairs = [each.partition("=") for each in wanted.parameters]
    for name, is_pair, _ in pairs:
        if not (name and is_pair):
            raise ConfigurationError(f"--parameter {name}: must be NAME=VALUE for a notebook")
    if not wanted.runs.startswith("/"):
        raise ConfigurationError(f"--run {wanted.runs}: give the absolute path of the notebook, /Workspace/…")
    parameters = {"base_parameters": {name: value for name, _, value in pairs}} if pairs else {}
    return {"notebook_task": {"notebook_path": wanted.runs, "source": "WORKSPACE", **parameters}}


def _python(wanted: Job) -> Json:
    return {"spark_python_task": {"python_file": uri(place("--run", wanted.runs)), **_parameters(wanted.parameters)}}


def _wheel(wanted: Job) -> Json:
    package, _, entry_point = wanted.runs.partition(":")
    if not package or not entry_point:
        raise ConfigurationError(f"--run {wanted.runs}: must be PACKAGE:ENTRY_POINT for a wheel")
    return {
        "python_wheel_task": {
            "package_name": package,
            "entry_point": entry_point,
            **_parameters(wanted.parameters),
        }
    }


def _jar(wanted: Job) -> Json:
    return {"spark_jar_task": {"main_class_name": wanted.main_class, **_parameters(wanted.parameters)}}


def _libraries(wanted: Job) -> list[Json]:
    if wanted.task is Task.JAR:
        return [{"jar": uri(place("--run", wanted.runs))}]
    return [{"whl": uri(wanted.wheel)}] if wanted.wheel else []


def _submit(wanted: Job) -> Json:
    """Return a submit task, the only kind whose Spark configuration can refer to the ids of job, task and run."""
    conf = (f"spark.atlas.hook.spark.job.name={_JOB}", f"spark.atlas.hook.spark.custom.attributes={_RUN}")
    options = [part for each in conf for part in ("--conf", each)]
    return {"spark_submit_task": {"parameters": [*options, uri(place("--run", wanted.runs)), *wanted.parameters]}}


_TASKS: Mapping[Task, Callable[[Job], Json]] = {
    Task.NOTEBOOK: _notebook,
    Task.PYTHON: _python,
    Task.WHEEL: _wheel,
    Task.JAR: _jar,
    Task.SCALA: _notebook,
    Task.SQL: _notebook,
    Task.SUBMIT: _submit,
}


def _parameters(parameters: Sequence[str]) -> Json:
    return {"parameters": list(parameters)} if parameters else {}
