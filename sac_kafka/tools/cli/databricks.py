"""`sac-kafka databricks`: print a Databricks job that captures lineage, and its init script.

The job is printed for the Jobs API or for an asset bundle, and not sent to Databricks. Secrets are referred to by scope and
key. They become environment variables of the driver, which the properties file reads as `${env:NAME}`.
"""

from __future__ import annotations

import argparse
import re

from sac_kafka.errors import ConfigurationError
from sac_kafka.tools.cli.arguments import number
from sac_kafka.tools.cli.databricks_job import Job, Task, bundle, init_script, job, place
from sac_kafka.tools.cli.help_texts import add_action, description, show_help_alone
from sac_kafka.tools.cli.output import print_data_json, print_text

_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_KEY = r"[A-Za-z0-9_.@-]{1,128}"
_TASK_KEY = r"[A-Za-z0-9_-]{1,100}"
_WHEEL = "sac_kafka's wheel, below /Volumes, /Workspace or /dbfs"
_MAX_WORKERS = 99_999
_EXAMPLE = (
    "--init-script /Volumes/main/default/libs/init.sh --properties /Volumes/main/default/libs \\\n"
    "    --run /Workspace/Shared/daily_orders"
)
_RESERVED = ("SAC_KAFKA_AUTO", "ATLAS_CONF")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    databricks = commands.add_parser(
        "databricks", help="print a Databricks job that captures lineage", description=description(__doc__)
    )
    show_help_alone(databricks)
    actions = databricks.add_subparsers(metavar="ACTION")
    job_ = add_action(
        actions,
        "job",
        "print the job as JSON, for databricks jobs create --json",
        f"databricks job {_EXAMPLE} > job.json",
    )
    bundle_ = add_action(
        actions, "bundle", "print the job as YAML, for an asset bundle", f"databricks bundle {_EXAMPLE} > job.yml"
    )
    script = add_action(
        actions,
        "init-script",
        "print the init script that installs the wheel on the driver",
        "databricks init-script --wheel /Volumes/main/default/libs/sac_kafka.whl > init.sh",
    )
    for action, run in ((job_, print_job), (bundle_, print_bundle), (script, print_init_script)):
        action.set_defaults(run=run)
    script.add_argument("--wheel", required=True, metavar="PATH", help=_WHEEL)
    for action in (job_, bundle_):
        _add_job_options(action)


def _add_job_options(action: argparse.ArgumentParser) -> None:
    way = action.add_mutually_exclusive_group(required=True)
    way.add_argument(
        "--init-script",
        metavar="PATH",
        help="path of the script printed by databricks init-script, below /Volumes or /Workspace; needs no code change",
    )
    way.add_argument(
        "--wheel", metavar="PATH", help=f"{_WHEEL}, as a library of the task; the job's code must call sac_kafka.attach"
    )
    action.add_argument(
        "--properties", required=True, metavar="PATH", help="path of atlas-application.properties, or of its directory"
    )
    action.add_argument(
        "--run",
        dest="runs",
        required=True,
        metavar="JOB",
        help="path of the notebook or Python file, or PACKAGE:ENTRY_POINT of a wheel",
    )
    action.add_argument(
        "--task",
        choices=[each.value for each in Task],
        default=Task.NOTEBOOK.value,
        metavar="KIND",
        help=f"kind of task: {', '.join(each.value for each in Task)} (default: %(default)s); submit is deprecated by Databricks",
    )
    action.add_argument(
        "--name", default="sac_kafka job", metavar="NAME", help="name of the job (default: %(default)s)"
    )
    action.add_argument("--task-key", default="main", metavar="KEY", help="name of the task (default: %(default)s)")
    action.add_argument(
        "--parameter",
        dest="parameters",
        action="append",
        default=[],
        metavar="TEXT",
        help="parameter of the task, repeatable; NAME=VALUE for a notebook",
    )
    action.add_argument("--secret-scope", metavar="SCOPE", help="secret scope of the keys given by --secret")
    action.add_argument(
        "--secret",
        dest="secrets",
        type=_secret,
        action="append",
        default=[],
        metavar="VARIABLE=KEY",
        help="environment variable of the driver, and the key of its secret in the scope; repeatable",
    )
    action.add_argument(
        "--spark-version",
        default="17.3.x-scala2.13",
        metavar="VERSION",
        help="Databricks Runtime (default: %(default)s)",
    )
    action.add_argument(
        "--node-type",
        default="Standard_D4ds_v5",
        metavar="TYPE",
        help="node type of the cluster (default: %(default)s, for Azure)",
    )
    action.add_argument(
        "--workers",
        type=number(1, _MAX_WORKERS),
        default=1,
        metavar="N",
        help="number of workers (default: %(default)s)",
    )


def print_job(arguments: argparse.Namespace) -> int:
    """Print the job as JSON."""
    print_data_json(job(_wanted(arguments)))
    return 0


def print_bundle(arguments: argparse.Namespace) -> int:
    """Print the job as YAML."""
    print_text(bundle(_wanted(arguments)))
    return 0


def print_init_script(arguments: argparse.Namespace) -> int:
    """Print the init script."""
    print_text(init_script(place("--wheel", _wheel(arguments.wheel))))
    return 0


def _wanted(arguments: argparse.Namespace) -> Job:
    if arguments.secrets and not arguments.secret_scope:
        raise ConfigurationError("--secret needs --secret-scope")
    if arguments.secret_scope and not re.fullmatch(_KEY, arguments.secret_scope):
        raise ConfigurationError("--secret-scope: only letters, digits and _ . @ - are allowed, as in Databricks")
    if not re.fullmatch(_TASK_KEY, arguments.task_key):
        raise ConfigurationError(
            f"--task-key {arguments.task_key}: only letters, digits, _ and - are allowed, as in Databricks"
        )
    return Job(
        name=arguments.name,
        task=Task(arguments.task),
        task_key=arguments.task_key,
        runs=arguments.runs,
        parameters=arguments.parameters,
        wheel=place("--wheel", _wheel(arguments.wheel)) if arguments.wheel else None,
        properties=place("--properties", arguments.properties),
        init_script=place("--init-script", arguments.init_script) if arguments.init_script else None,
        secret_scope=arguments.secret_scope,
        secrets=dict(arguments.secrets),
        spark_version=arguments.spark_version,
        node_type=arguments.node_type,
        workers=arguments.workers,
    )


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
