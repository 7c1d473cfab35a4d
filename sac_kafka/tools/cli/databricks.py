"""`sac-kafka databricks`: print what gives Databricks lineage: a job, an asset bundle, a cluster policy, an init script.

Nothing is sent to Databricks. Secrets are referred to by scope and
key. They become environment variables of the driver, which the properties file reads as `${env:NAME}`.
"""

from __future__ import annotations

import argparse
import re

from sac_kafka.errors import ConfigurationError
from sac_kafka.tools.cli.arguments import add, add_action, add_group, number
from sac_kafka.tools.cli.databricks_api import (
    CONF,
    DEDICATED,
    JVM,
    PYTHON,
    Json,
    Task,
    check_runtime,
    init_script_at,
    place,
    policy,
    task_of,
)
from sac_kafka.tools.cli.databricks_files import NOTEBOOK, bundle_of, init_script, whole_bundle
from sac_kafka.tools.cli.output import print_data_json, print_text

_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_KEY = r"[A-Za-z0-9_.@-]{1,128}"
_TASK_KEY = r"[A-Za-z0-9_-]{1,100}"
_INIT_SCRIPT = "path of the script printed by databricks init-script, below /Volumes or /Workspace"
_WHEEL = "sac_kafka's wheel, below /Volumes, /Workspace or /dbfs"
_MAX_WORKERS = 99_999
_EXAMPLE = "--init-script /Volumes/main/default/libs/init.sh --properties /Volumes/main/default/libs"
_RUN = f"{_EXAMPLE} \\\n    --run"
_RESERVED = (PYTHON, JVM, CONF)
_RUNTIME, _SUBMIT_RUNTIME = "17.3.x-scala2.13", "16.4.x-scala2.12"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    actions = add_group(commands, __doc__, "databricks", "print a Databricks job that captures lineage")
    job_ = add_action(
        actions,
        "job",
        print_job,
        "print the job as JSON, for databricks jobs create --json",
        f"databricks job {_RUN} /Workspace/Shared/daily_orders > job.json",
        f"databricks job {_RUN} /Volumes/main/default/libs/app.jar --task jar --class com.example.Main > job.json",
    )
    bundle_ = add_action(
        actions,
        "bundle",
        print_bundle,
        "print an asset bundle as YAML: databricks.yml with tasks of each kind, or one job as a resource",
        f"databricks bundle {_EXAMPLE} > databricks.yml",
        f"databricks bundle {_RUN} /Workspace/Shared/daily_orders > resources/daily_orders.yml",
    )
    policy_ = add_action(
        actions,
        "policy",
        print_policy,
        "print a cluster policy as JSON, for databricks cluster-policies create --json",
        f"databricks policy {_EXAMPLE} > policy.json",
    )
    script = add_action(
        actions,
        "init-script",
        print_init_script,
        "print the init script that installs the wheel, and with SAC_KAFKA_JAR=1 the jar, on the driver",
        "databricks init-script --wheel /Volumes/main/default/libs/sac_kafka.whl > init.sh",
    )
    add_action(
        actions,
        "notebook",
        print_notebook,
        "print a notebook that tries the hook, for databricks workspace import --format SOURCE --language PYTHON",
        "databricks notebook > lineage.py",
    )
    add(script, "--wheel PATH", _WHEEL, required=True)
    for action in (job_, bundle_):
        way = action.add_mutually_exclusive_group(required=True)
        add(way, "--init-script PATH", f"{_INIT_SCRIPT}; needs no code change")
        add(way, "--wheel PATH", f"{_WHEEL}, as a library of the task; the job's code must call sac_kafka.attach")
        _add_task_options(action, is_run_required=action is job_)
    add(policy_, "--init-script PATH", _INIT_SCRIPT, required=True)
    add(policy_, "--wheel PATH", f"{_WHEEL}, also as a library of the policy")
    for action, name in ((job_, "sac_kafka job"), (bundle_, "sac_kafka job"), (policy_, "sac_kafka")):
        _add_cluster_options(action, name)


def _add_task_options(action: argparse.ArgumentParser, *, is_run_required: bool) -> None:
    add(
        action,
        "--run JOB",
        "path of the notebook, Python file or JAR, or PACKAGE:ENTRY_POINT of a wheel",
        dest="runs",
        required=is_run_required,
    )
    add(
        action,
        "--task KIND",
        f"kind of task: {', '.join(each.value for each in Task)} (default: notebook); notebook is one in Python, scala "
        "and sql are notebooks, too; submit is deprecated by Databricks",
        choices=[each.value for each in Task],
    )
    add(action, "--class MAIN", "main class of a JAR", dest="main_class")
    add(action, "--task-key KEY", "name of the task (default: %(default)s)", default="main")
    add(action, "--parameter TEXT …", "parameter of the task, repeatable; NAME=VALUE for a notebook", dest="parameters")


def _add_cluster_options(action: argparse.ArgumentParser, name: str) -> None:
    add(action, "--properties PATH", "path of atlas-application.properties, or of its directory", required=True)
    add(action, "--name NAME", "name in Databricks (default: %(default)s)", default=name)
    add(action, "--secret-scope SCOPE", "secret scope of the keys given by --secret")
    add(
        action,
        "--secret VARIABLE=KEY …",
        "environment variable of the driver, and the key of its secret in the scope; repeatable",
        dest="secrets",
        type=_secret,
    )
    add(action, "--spark-version VERSION", f"Databricks Runtime (default: {_RUNTIME}; for submit {_SUBMIT_RUNTIME})")
    add(
        action,
        "--node-type TYPE",
        "node type of the cluster (default: %(default)s, for Azure)",
        default="Standard_D4ds_v5",
    )
    add(action, "--workers N", "number of workers (default: %(default)s)", type=number(1, _MAX_WORKERS), default=1)


def print_job(arguments: argparse.Namespace) -> int:
    """Print the job as JSON."""
    print_data_json(_job(arguments))
    return 0


def print_bundle(arguments: argparse.Namespace) -> int:
    """Print the job as a resource, or without a job a whole bundle."""
    if arguments.runs is not None:
        print_text(bundle_of(_job(arguments)))
        return 0
    if arguments.task or arguments.main_class or arguments.parameters or arguments.wheel:
        raise ConfigurationError("--task, --class, --parameter and --wheel need --run")
    print_text(whole_bundle(arguments.name, _cluster(arguments, PYTHON, JVM)))
    return 0


def print_policy(arguments: argparse.Namespace) -> int:
    """Print the policy as JSON."""
    print_data_json(policy(arguments.name, _cluster(arguments, PYTHON, JVM), _library(arguments.wheel)))
    return 0


def print_init_script(arguments: argparse.Namespace) -> int:
    """Print the init script."""
    print_text(init_script(place("--wheel", _wheel(arguments.wheel))))
    return 0


def print_notebook(_: argparse.Namespace) -> int:
    """Print the sample notebook."""
    print_text(NOTEBOOK)
    return 0


def _job(arguments: argparse.Namespace) -> Json:
    """Return the job of one task on a new cluster."""
    kind = Task(arguments.task or Task.NOTEBOOK)
    if not re.fullmatch(_TASK_KEY, arguments.task_key):
        raise ConfigurationError(
            f"--task-key {arguments.task_key}: only letters, digits, _ and - are allowed, as in Databricks"
        )
    arguments.spark_version = arguments.spark_version or (_SUBMIT_RUNTIME if kind is Task.SUBMIT else _RUNTIME)
    new_cluster = _cluster(arguments, kind.switch)
    check_runtime(kind, arguments.spark_version)
    runs = task_of(kind, arguments.runs, arguments.main_class, arguments.parameters, _library(arguments.wheel))
    return {
        "name": arguments.name,
        "tasks": [{"task_key": arguments.task_key, **runs, "new_cluster": new_cluster}],
    }


def _cluster(arguments: argparse.Namespace, *switches: str) -> Json:
    """Return a new cluster with the hook, which `switches` load: `PYTHON`, `JVM`, or both for every kind of task."""
    scope = arguments.secret_scope
    if arguments.secrets and not scope:
        raise ConfigurationError("--secret needs --secret-scope")
    if scope and not re.fullmatch(_KEY, scope):
        raise ConfigurationError("--secret-scope: only letters, digits and _ . @ - are allowed, as in Databricks")
    properties = place("--properties", arguments.properties)
    script = place("--init-script", arguments.init_script) if arguments.init_script else None
    return {
        "spark_version": arguments.spark_version or _RUNTIME,
        "node_type_id": arguments.node_type,
        "num_workers": arguments.workers,
        "data_security_mode": DEDICATED,
        "spark_env_vars": {
            **dict.fromkeys(switches, "1"),
            CONF: properties,
            **{name: f"{{{{secrets/{scope}/{key}}}}}" for name, key in arguments.secrets},
        },
        **({"init_scripts": [init_script_at(script)]} if script else {}),
    }


def _library(path: str | None) -> str | None:
    return place("--wheel", _wheel(path)) if path else None


def _wheel(path: str) -> str:
    if not path.endswith(".whl"):
        raise ConfigurationError(f"--wheel {path}: name the file itself, sac_kafka-….whl, which make wheel builds")
    return path


def _secret(text: str) -> tuple[str, str]:
    """Parse a variable and a key; an invalid text is not shown, because it may be the secret itself."""
    found = re.fullmatch(rf"({_VARIABLE})=({_KEY})", text)
    if found is None:
        raise argparse.ArgumentTypeError("must be VARIABLE=KEY, where KEY is the name of the secret, not its value")
    if found[1] in _RESERVED:
        raise argparse.ArgumentTypeError(f"{found[1]} is set by sac_kafka: use another variable")
    return found[1], found[2]
