"""Build the keys with which a Databricks cluster loads the hook: for a job's cluster, and as a cluster policy.

Sources: docs.databricks.com, Clusters API (ClusterSpec, InitScriptInfo, DataSecurityMode), Cluster Policies API, Compute policy
reference, Use a secret in a Spark configuration property or environment variable, Init scripts.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sac_kafka.errors import ConfigurationError

Json = Mapping[str, object]

PYTHON, JVM = "SAC_KAFKA_AUTO", "SAC_KAFKA_JAR"
"""Switches of a cluster: every Python attaches the hook; the init script gives the driver's JVM the jar and its listener."""
CONF = "ATLAS_CONF"
DEDICATED = "SINGLE_USER"
"""The access mode Dedicated: in mode Standard Python cannot access the driver's JVM, and the jar was not tried."""

_ROOTS = ("/Volumes/", "/Workspace/", "/dbfs/")
_DBFS, _MOUNTED_DBFS = "dbfs:/", "/dbfs/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Cluster with the hook. `secrets` maps environment variables to keys in `secret_scope`."""

    properties: str
    init_script: str | None
    secret_scope: str | None
    secrets: Mapping[str, str]
    spark_version: str
    node_type: str
    workers: int


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


def cluster(wanted: Cluster, switches: Collection[str]) -> Json:
    """Return a new cluster with the hook.

    Args:
        wanted: The cluster.
        switches: `PYTHON`, `JVM`, or both, which is right for every kind of task.

    Raises:
        ConfigurationError: Clusters run no init script from its path.
    """
    return {
        "spark_version": wanted.spark_version,
        "node_type_id": wanted.node_type,
        "num_workers": wanted.workers,
        "data_security_mode": DEDICATED,
        "spark_env_vars": _variables(wanted, switches),
        **({"init_scripts": [_stored(wanted.init_script)]} if wanted.init_script else {}),
    }


def policy(name: str, wanted: Cluster, wheel: str | None) -> Json:
    """Return a policy of clusters for every kind of task, for `databricks cluster-policies create --json`.

    What loads the hook is fixed; the runtime and the size are defaults. The API takes the definition as text.
    """
    keys = dict(cluster(wanted, (PYTHON, JVM)))
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


def _variables(wanted: Cluster, switches: Collection[str]) -> Mapping[str, str]:
    return {
        **{switch: "1" for switch in (PYTHON, JVM) if switch in switches},
        CONF: wanted.properties,
        **{name: f"{{{{secrets/{wanted.secret_scope}/{key}}}}}" for name, key in wanted.secrets.items()},
    }


def _stored(script: str) -> Json:
    if script.startswith(_MOUNTED_DBFS):
        raise ConfigurationError(
            f"--init-script {script}: clusters run no init scripts from DBFS; use a path below /Volumes or /Workspace"
        )
    is_on_a_volume = script.startswith("/Volumes/")
    kind, path = ("volumes", script) if is_on_a_volume else ("workspace", script.removeprefix("/Workspace"))
    return {kind: {"destination": path}}
