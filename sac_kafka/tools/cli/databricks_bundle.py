"""Write Databricks asset bundles with the hook, as YAML.

Sources: docs.databricks.com, Databricks Asset Bundle configuration (settings), Add tasks to jobs in Databricks Asset Bundles,
whose resources are those of the Jobs API.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from sac_kafka.tools.cli.databricks_api import Json

_CLUSTER = "lineage"
_TASKS: Mapping[str, Json] = {
    "notebook": {"notebook_task": {"notebook_path": "./src/load.ipynb"}},
    "python": {"spark_python_task": {"python_file": "./src/load.py", "parameters": ["2026-11-26"]}},
    "jar": {
        "spark_jar_task": {"main_class_name": "com.example.Main"},
        "libraries": [{"jar": "/Volumes/main/default/libs/app.jar"}],
    },
    "wheel": {
        "python_wheel_task": {"package_name": "etl", "entry_point": "main"},
        "libraries": [{"whl": "./dist/*.whl"}],
    },
    "sql": {"notebook_task": {"notebook_path": "./src/report.sql"}},
}
"""A task of each kind that has lineage. `sql` is a notebook, because a `sql_task` runs on a SQL warehouse, which has no hook."""
_REMARK = """\
# databricks.yml: one task of each kind on a cluster with the hook. Replace names and paths, and remove what you do not need.
# A sql_task, dbt_task or pipeline_task, and a task without a cluster, which is serverless, have no lineage.
"""


def whole_bundle(name: str, new_cluster: Json) -> str:
    """Return a `databricks.yml` with a job of one task of each kind on one cluster."""
    job = {
        "name": name,
        "job_clusters": [{"job_cluster_key": _CLUSTER, "new_cluster": new_cluster}],
        "tasks": [{"task_key": key, "job_cluster_key": _CLUSTER, **task} for key, task in _TASKS.items()],
    }
    settings = {
        "bundle": {"name": _key_of(name)},
        "resources": {"jobs": {_key_of(name): job}},
        "targets": {"dev": {"mode": "development", "default": True}},
    }
    return _REMARK + _text(settings)


def bundle_of(job: Json) -> str:
    """Return a job as a resource, for a file that a `databricks.yml` includes."""
    return _text({"resources": {"jobs": {_key_of(str(job["name"])): job}}})


def _key_of(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "job"


# ---- YAML


def _text(value: Json) -> str:
    return "\n".join(_yaml(value)) + "\n"


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


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) and key.lower() not in _NO_TEXT else _scalar(key)


def _scalar(value: object) -> str:
    """Return a value as JSON, which is valid YAML except for surrogate pairs."""
    if not isinstance(value, str):
        return json.dumps(value)
    escaped = (json.dumps(each)[1:-1] if ord(each) < 0x10000 else rf"\U{ord(each):08x}" for each in value)
    return f'"{"".join(escaped)}"'
