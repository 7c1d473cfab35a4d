"""Build a Databricks job with the hook: JSON for the Jobs API, YAML for an asset bundle, and the cluster's init script.

Sources: docs.databricks.com, Jobs API 2.2 (create), Clusters API (ClusterSpec, InitScriptInfo, DataSecurityMode), Dynamic value
references, Use a secret in a Spark configuration property or environment variable, Init scripts.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sac_kafka.errors import ConfigurationError

Json = Mapping[str, object]

_ROOTS = ("/Volumes/", "/Workspace/", "/dbfs/")
_DBFS, _MOUNTED_DBFS = "dbfs:/", "/dbfs/"
_JOB = "{{job.name}}/{{task.name}}"
_RUN = "job_id={{job.id}},run_id={{job.run_id}}"
_INIT_SCRIPT = """\
#!/bin/bash
# Installs sac_kafka into the Python of the driver. Errors are logged here and do not prevent the cluster from starting.
set -u
wheel={wheel}
folder={folder}
python=/databricks/python/bin/python

say() {{ echo "sac_kafka: $*" >&2; }}

if [[ "${{DB_IS_DRIVER:-TRUE}}" != "TRUE" ]]; then
  exit 0
fi
if [[ ! -f "$wheel" ]]; then
  say "not installed: $wheel not found; upload it, and let the cluster's user read it"
  exit 0
fi
# Dependencies (confluent-kafka, fastavro; tomli on Python 3.10) are installed from
# wheels in the same folder if present, else from the package index.
if timeout 300 "$python" -m pip install --quiet --disable-pip-version-check --no-input --find-links "$folder" "$wheel"; then
  say "installed $wheel"
else
  say "not installed: pip failed with status $?; without a package index, upload wheels of the dependencies to $folder:" \
    "confluent-kafka, fastavro, and tomli on Python 3.10"
fi
if [[ "${{SAC_KAFKA_AUTO:-}}" != "1" ]]; then
  say "SAC_KAFKA_AUTO=1 is not set in the cluster's environment variables: call sac_kafka.attach(spark) in the code"
fi
if [[ -n "${{ATLAS_CONF:-}}" && ! -e "$ATLAS_CONF" ]]; then
  say "ATLAS_CONF: $ATLAS_CONF not found; upload atlas-application.properties"
fi
exit 0
"""


class Task(Enum):
    """Kinds of tasks that run Python in a separate driver."""

    NOTEBOOK = "notebook"
    PYTHON = "python"
    WHEEL = "wheel"
    SUBMIT = "submit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Path of a file in the cluster's file system: `/Volumes/…`, `/Workspace/…` or `/dbfs/…`."""

    path: str

    @property
    def uri(self) -> str:
        """Path as the APIs expect it: `dbfs:/…` for `/dbfs/…`."""
        return self.path.replace(_MOUNTED_DBFS, _DBFS, 1) if self.path.startswith(_MOUNTED_DBFS) else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Job with one task on a new cluster.

    `runs` is the notebook, the Python file, or `package:entry_point` of a wheel. The hook is installed by an `init_script`, or as
    a library from its `wheel`. `secrets` maps environment variables to keys in `secret_scope`.
    """

    name: str
    task: Task
    task_key: str
    runs: str
    parameters: Sequence[str]
    wheel: Place | None
    properties: Place
    init_script: Place | None
    secret_scope: str | None
    secrets: Mapping[str, str]
    spark_version: str
    node_type: str
    workers: int


def place(option: str, text: str) -> Place:
    """Return the path given by an option.

    Raises:
        ConfigurationError: Clusters cannot access the path.

    >>> place("--wheel", "dbfs:/lineage/x.whl")
    Place(path='/dbfs/lineage/x.whl')
    """
    path = text.replace(_DBFS, _MOUNTED_DBFS, 1) if text.startswith(_DBFS) else text
    clean = posixpath.normpath(path)
    if not path.startswith(_ROOTS) or not f"{clean}/".startswith(_ROOTS) or re.search(r"[\x00-\x1f\x7f]", path):
        raise ConfigurationError(
            f"{option} {text}: not accessible to clusters; use a path below /Volumes, /Workspace or /dbfs"
        )
    return Place(path=clean)


def job(wanted: Job) -> Json:
    """Return the job as JSON for `databricks jobs create --json`.

    Raises:
        ConfigurationError: The options of the task are invalid.
    """
    libraries = {"libraries": [{"whl": wanted.wheel.uri}]} if wanted.wheel else {}
    if wanted.task is Task.SUBMIT and wanted.wheel:
        raise ConfigurationError(
            "--task submit: use --init-script instead of --wheel, because such a task has no libraries"
        )
    task = {"task_key": wanted.task_key, **_task(wanted), "new_cluster": _cluster(wanted), **libraries}
    return {"name": wanted.name, "tasks": [task]}


def bundle(wanted: Job) -> str:
    """Return the job as YAML for the configuration of an asset bundle.

    Raises:
        ConfigurationError: The options of the task are invalid.
    """
    key = re.sub(r"[^A-Za-z0-9]+", "_", wanted.name).strip("_") or "job"
    return "\n".join(_yaml({"resources": {"jobs": {key: job(wanted)}}})) + "\n"


def init_script(wheel: Place) -> str:
    """Return the script that installs the wheel into the driver's Python and never fails the cluster's start."""
    return _INIT_SCRIPT.format(wheel=shlex.quote(wheel.path), folder=shlex.quote(posixpath.dirname(wheel.path)))


# ---- the objects of the Jobs API


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
    return {"spark_python_task": {"python_file": place("--run", wanted.runs).uri, **_parameters(wanted.parameters)}}


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


def _submit(wanted: Job) -> Json:
    """Return a submit task, the only kind whose Spark configuration can refer to the ids of job, task and run."""
    conf = (f"spark.atlas.hook.spark.job.name={_JOB}", f"spark.atlas.hook.spark.custom.attributes={_RUN}")
    options = [part for each in conf for part in ("--conf", each)]
    return {"spark_submit_task": {"parameters": [*options, place("--run", wanted.runs).uri, *wanted.parameters]}}


_TASKS = {Task.NOTEBOOK: _notebook, Task.PYTHON: _python, Task.WHEEL: _wheel, Task.SUBMIT: _submit}


def _task(wanted: Job) -> Json:
    return _TASKS[wanted.task](wanted)


def _parameters(parameters: Sequence[str]) -> Json:
    return {"parameters": list(parameters)} if parameters else {}


def _cluster(wanted: Job) -> Json:
    """Return a new cluster in access mode Dedicated: in other modes Python cannot access the driver's JVM."""
    return {
        "spark_version": wanted.spark_version,
        "node_type_id": wanted.node_type,
        "num_workers": wanted.workers,
        "data_security_mode": "SINGLE_USER",
        "spark_env_vars": {
            "SAC_KAFKA_AUTO": "1",
            "ATLAS_CONF": wanted.properties.path,
            **{name: f"{{{{secrets/{wanted.secret_scope}/{key}}}}}" for name, key in wanted.secrets.items()},
        },
        **({"init_scripts": [_stored(wanted.init_script)]} if wanted.init_script else {}),
    }


def _stored(script: Place) -> Json:
    if script.path.startswith(_MOUNTED_DBFS):
        raise ConfigurationError(
            f"--init-script {script.path}: clusters run no init scripts from DBFS; use a path below /Volumes or /Workspace"
        )
    is_on_a_volume = script.path.startswith("/Volumes/")
    kind, path = ("volumes", script.path) if is_on_a_volume else ("workspace", script.path.removeprefix("/Workspace"))
    return {kind: {"destination": path}}


# ---- YAML


def _yaml(value: object, indent: str = "") -> Iterator[str]:
    """Yield the YAML lines of a value; strings are quoted, as are keys that YAML would read as another type."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if isinstance(each, Mapping | list) and each:
                yield f"{indent}{_key(key)}:"
                yield from _yaml(each, indent + "  ")
            else:
                yield f"{indent}{_key(key)}: {_scalar(each)}"
    elif isinstance(value, list):
        for each in value:
            first, *more = _yaml(each, "  ") if isinstance(each, Mapping) else (f"  {_scalar(each)}",)
            yield f"{indent}- {first[2:]}"
            yield from (indent + line for line in more)


_PLAIN = re.compile(r"[A-Za-z_]+")
_NO_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_SURROGATES = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})")


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) and key.lower() not in _NO_TEXT else _scalar(key)


def _scalar(value: object) -> str:
    """Return a value as JSON, which is valid YAML except for surrogate pairs."""
    parts = re.split(r"(\\\\)", json.dumps(value))  # an escaped backslash does not start an escape sequence
    return "".join(part if part == "\\\\" else _SURROGATES.sub(_whole, part) for part in parts)


def _whole(found: re.Match[str]) -> str:
    high, low = (int(each, 16) for each in found.groups())
    return f"\\U{0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF):08x}"
