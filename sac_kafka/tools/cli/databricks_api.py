"""Build what the APIs of Databricks take, with the hook: clusters, cluster policies, and jobs as JSON for the Jobs API.

Sources: docs.databricks.com, Clusters API (ClusterSpec, InitScriptInfo, DataSecurityMode), Cluster Policies API, Compute policy
reference, Use a secret in a Spark configuration property or environment variable, Init scripts; Jobs API 2.2 (create), Dynamic
value references, Spark Submit task deprecation notice.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from sac_kafka.errors import ConfigurationError

Json = Mapping[str, object]

PYTHON, JVM = "SAC_KAFKA_AUTO", "SAC_KAFKA_JAR"
"""Switches of a cluster: every Python attaches the hook; the init script gives the driver's JVM the jar and its listener."""
CONF = "ATLAS_CONF"
DEDICATED = "SINGLE_USER"
"""The access mode Dedicated: in mode Standard Python cannot access the driver's JVM, and the jar was not tried."""

_ROOTS = ("/Volumes/", "/Workspace/", "/dbfs/")
_DBFS, _MOUNTED_DBFS = "dbfs:/", "/dbfs/"
_JOB = "{{job.name}}/{{task.name}}"
_RUN = "job_id={{job.id}},run_id={{job.run_id}}"
_NO_SUBMIT = (17, 3)
"""Databricks Runtime from which on there are no submit tasks."""


def place(option: str, text: str) -> str:
    """Return the path given by an option, in the cluster's file system: `/Volumes/…`, `/Workspace/…` or `/dbfs/…`.

    Raises:
        ConfigurationError: Clusters cannot access the path.

    >>> place("--wheel", "dbfs:/lineage/x.whl")
    '/dbfs/lineage/x.whl'
    """
    path = text.replace(_DBFS, _MOUNTED_DBFS, 1) if text.startswith(_DBFS) else text
    clean = posixpath.normpath(path)
    if not path.startswith(_ROOTS) or not f"{clean}/".startswith(_ROOTS) or re.search(r"[\x00-\x1f\x7f]", path):
        raise ConfigurationError(
            f"{option} {text}: not accessible to clusters; use a path below /Volumes, /Workspace or /dbfs"
        )
    return clean


def uri(path: str) -> str:
    """Return a path as the APIs expect it: `dbfs:/…` for `/dbfs/…`."""
    return path.replace(_MOUNTED_DBFS, _DBFS, 1) if path.startswith(_MOUNTED_DBFS) else path


def policy(name: str, new_cluster: Json, wheel: str | None) -> Json:
    """Return a policy of clusters for every kind of task, for `databricks cluster-policies create --json`.

    What loads the hook is fixed; the runtime and the size are defaults. The API takes the definition as text.
    """
    keys = dict(new_cluster)
    defaults = {key: keys.pop(key) for key in ("spark_version", "node_type_id", "num_workers")}
    rules = {
        **{path: {"type": "fixed", "value": value} for path, value in _paths(keys)},
        **{key: {"type": "unlimited", "defaultValue": value} for key, value in defaults.items()},
    }
    libraries = {"libraries": [{"whl": uri(wheel)}]} if wheel else {}
    return {"name": name, "definition": json.dumps(rules, indent=2), **libraries}


def _paths(value: object, *above: str) -> list[tuple[str, object]]:
    """Return the attribute paths of a policy: names and positions, joined by dots."""
    if isinstance(value, Mapping):
        return [found for key, each in value.items() for found in _paths(each, *above, key)]
    if isinstance(value, list):
        return [found for i, each in enumerate(value) for found in _paths(each, *above, str(i))]
    return [(".".join(above), value)]


def init_script_at(script: str) -> Json:
    """Return an init script of a cluster.

    Raises:
        ConfigurationError: Clusters run no init script from its path.
    """
    if script.startswith(_MOUNTED_DBFS):
        raise ConfigurationError(
            f"--init-script {script}: clusters run no init scripts from DBFS; use a path below /Volumes or /Workspace"
        )
    is_on_a_volume = script.startswith("/Volumes/")
    kind, path = ("volumes", script) if is_on_a_volume else ("workspace", script.removeprefix("/Workspace"))
    return {kind: {"destination": path}}


# ---- jobs


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


def task_of(task: Task, runs: str, main_class: str | None, parameters: Sequence[str], wheel: str | None) -> Json:
    """Return what a task runs, without its name and cluster, as JSON of the Jobs API.

    `runs` is the notebook, the Python file, the JAR, or `package:entry_point` of a wheel; `wheel` is None if the cluster's init
    script installs sac_kafka.

    Raises:
        ConfigurationError: The options of the task are invalid.
    """
    is_jar = runs.lower().endswith(".jar")
    if is_jar != (task is Task.JAR):
        fix = "a JAR is run by --task jar --class MAIN" if is_jar else "must be a JAR for --task jar"
        raise ConfigurationError(f"--run {runs}: {fix}")
    if bool(main_class) != is_jar:
        raise ConfigurationError(
            f"--task {task.value}: " + ("--class MAIN is required" if is_jar else "has no --class")
        )
    if wheel and task.switch == JVM:
        raise ConfigurationError(
            f"--task {task.value}: use --init-script instead of --wheel, because it starts no Python that could attach"
        )
    if wheel and task is Task.SUBMIT:
        raise ConfigurationError(
            "--task submit: use --init-script instead of --wheel, because such a task has no libraries"
        )
    if main_class:
        jar = {"main_class_name": main_class, **_parameters(parameters)}
        return {"spark_jar_task": jar, "libraries": [{"jar": uri(place("--run", runs))}]}
    return {**_TASKS[task](runs, parameters), **({"libraries": [{"whl": uri(wheel)}]} if wheel else {})}


def check_runtime(task: Task, spark_version: str) -> None:
    """Check that a Databricks Runtime has this kind of task.

    Raises:
        ConfigurationError: It does not.
    """
    runtime = re.match(r"(\d+)\.(\d+)\.", spark_version)
    if task is Task.SUBMIT and runtime and (int(runtime[1]), int(runtime[2])) >= _NO_SUBMIT:
        raise ConfigurationError(
            "--task submit: Databricks Runtime 17.3 and newer have no such tasks; use --task python"
        )


# ---- the tasks of the Jobs API


def _notebook(path: str, parameters: Sequence[str]) -> Json:
    pairs = [parameter.partition("=") for parameter in parameters]
    for name, is_pair, _ in pairs:
        if not (name and is_pair):
            raise ConfigurationError(f"--parameter {name}: must be NAME=VALUE for a notebook")
    if not path.startswith("/"):
        raise ConfigurationError(f"--run {path}: give the absolute path of the notebook, /Workspace/…")
    given = {"base_parameters": {name: value for name, _, value in pairs}} if pairs else {}
    return {"notebook_task": {"notebook_path": path, "source": "WORKSPACE", **given}}


def _python(file: str, parameters: Sequence[str]) -> Json:
    return {"spark_python_task": {"python_file": uri(place("--run", file)), **_parameters(parameters)}}


def _wheel(runs: str, parameters: Sequence[str]) -> Json:
    package, _, entry_point = runs.partition(":")
    if not package or not entry_point:
        raise ConfigurationError(f"--run {runs}: must be PACKAGE:ENTRY_POINT for a wheel")
    return {
        "python_wheel_task": {"package_name": package, "entry_point": entry_point, **_parameters(parameters)},
    }


def _submit(file: str, parameters: Sequence[str]) -> Json:
    """Return a submit task, the only kind whose Spark configuration can refer to the ids of job, task and run."""
    conf = (f"spark.atlas.hook.spark.job.name={_JOB}", f"spark.atlas.hook.spark.custom.attributes={_RUN}")
    options = [part for each in conf for part in ("--conf", each)]
    return {"spark_submit_task": {"parameters": [*options, uri(place("--run", file)), *parameters]}}


_TASKS: Mapping[Task, Callable[[str, Sequence[str]], Json]] = {
    Task.NOTEBOOK: _notebook,
    Task.PYTHON: _python,
    Task.WHEEL: _wheel,
    Task.SCALA: _notebook,
    Task.SQL: _notebook,
    Task.SUBMIT: _submit,
}


def _parameters(parameters: Sequence[str]) -> Json:
    return {"parameters": list(parameters)} if parameters else {}
