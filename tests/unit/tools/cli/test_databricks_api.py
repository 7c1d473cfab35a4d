"""`sac-kafka databricks` prints only keys and values of Databricks' own client (databricks-sdk).

Its types drop unknown keys, so the printed output must round-trip through them unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from databricks.sdk.service.compute import ClusterSpec, Policy
from databricks.sdk.service.jobs import JobSettings

from tests.unit.tools.cli.conftest import Cli

CONF = "/Volumes/main/lineage/conf"
CLUSTER = (
    *("--properties", CONF, "--init-script", f"{CONF}/init.sh"),
    *("--secret-scope", "lineage", "--secret", "EVENT_HUBS=event-hub"),
)
JOBS = {
    "notebook": ("--run", "/Workspace/etl/load", "--parameter", "day=1"),
    "python": ("--run", "/Workspace/etl/load.py", "--parameter", "1"),
    "wheel": ("--run", "etl:load", "--parameter", "1"),
    "jar": ("--run", f"{CONF}/app.jar", "--class", "com.example.Main", "--parameter", "1"),
    "scala": ("--run", "/Workspace/etl/load"),
    "sql": ("--run", "/Workspace/etl/load"),
    "submit": ("--run", f"{CONF}/load.py", "--parameter", "1"),
}


def is_known(job: Mapping[str, Any]) -> bool:
    return JobSettings.from_dict(dict(job)).as_dict() == job


@pytest.mark.parametrize("task", JOBS)
def test_job_round_trips_unchanged(task: str, cli: Cli) -> None:
    assert is_known(cli("databricks", "job", *CLUSTER, "--task", task, *JOBS[task]).json(0))


def test_job_with_a_library_round_trips_unchanged(cli: Cli) -> None:
    options = ("--wheel", f"{CONF}/sac_kafka.whl", *CLUSTER[:2], *JOBS["notebook"])
    assert is_known(cli("databricks", "job", *options).json(0))


def test_job_of_a_bundle_round_trips_unchanged(cli: Cli) -> None:
    (job,) = yaml.safe_load(cli("databricks", "bundle", *CLUSTER).text(0))["resources"]["jobs"].values()
    assert len(job["tasks"]) == 5
    assert is_known(job)


@pytest.mark.parametrize("script", [f"{CONF}/init.sh", "/Workspace/Shared/init.sh"])
def test_the_rules_of_a_policy_are_of_a_cluster(script: str, cli: Cli) -> None:
    wheel = ("--wheel", f"{CONF}/sac_kafka.whl")
    policy = cli("databricks", "policy", *CLUSTER, *wheel, "--init-script", script).json(0)
    assert Policy.from_dict(policy).as_dict() == policy
    cluster = cluster_of(json.loads(policy["definition"]))
    assert len(cluster["spark_env_vars"]) == 4
    assert ClusterSpec.from_dict(cluster).as_dict() == cluster


KEYS = {"fixed": {"type", "value"}, "unlimited": {"type", "defaultValue"}}
"""Of the policy definition language: a rule of each type, without what is optional and not printed (`hidden`, `isOptional`)."""


def cluster_of(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cluster that has the values of all rules: a path joins names and positions by dots."""
    cluster: dict[str, Any] = {}
    for path, rule in rules.items():
        assert set(rule) == KEYS[rule["type"]]
        *above, last = path.split(".")
        at: Any = cluster
        for name, following in zip(above, path.split(".")[1:], strict=True):
            made: Any = [] if following.isdecimal() else {}
            if name.isdecimal():
                assert int(name) == len(at)
                at.append(made)
                at = made
            else:
                at = at.setdefault(name, made)
        at[last] = rule["value" if rule["type"] == "fixed" else "defaultValue"]
    return cluster


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("tags_", "a"), "b"),
        (("tasks", 0, "spark_jar_task", "jar_path"), "/Volumes/app.jar"),
        (("tasks", 0, "new_cluster", "access_mode"), "SINGLE_USER"),
        (("tasks", 0, "new_cluster", "data_security_mode"), "DEDICATED"),
        (("tasks", 0, "new_cluster", "init_scripts", 0, "volume"), {"destination": "/Volumes/init.sh"}),
    ],
)
def test_unknown_keys_are_found(path: tuple[Any, ...], value: object, cli: Cli) -> None:
    job = cli("databricks", "job", *CLUSTER, "--task", "jar", *JOBS["jar"]).json(0)
    at: Any = job
    for each in path[:-1]:
        at = at[each] if isinstance(at, list) else at.setdefault(each, {})
    at[path[-1]] = value
    assert not is_known(job)
