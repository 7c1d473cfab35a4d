"""`sac-kafka pack`: pack this virtual environment into an archive for Spark jobs on a cluster.

Packs the virtual environment in which this command is installed, without pyspark, which spark-submit provides, and prints how to
submit a job with the archive.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from sac_kafka.settings.files.finding import FILE_NAME
from sac_kafka.tools.cli.help_texts import add_command
from sac_kafka.tools.cli.output import print_masked, print_masked_json
from sac_kafka.tools.cli.packing import Environment, check, pack
from sac_kafka.tools.cli.progress import show_progress

DEFAULT_FILE = Path("env.tar.gz")
ALIAS = "env"
"""Folder in the working directory of each container into which the archive is unpacked."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    command = add_command(commands, __doc__, "pack this Python environment for a cluster", "pack --output env.tar.gz")
    command.add_argument(
        "-o",
        "--output",
        type=Path,
        default=DEFAULT_FILE,
        metavar="FILE",
        help="the archive to write (default: %(default)s)",
    )
    command.add_argument("--json", action="store_true", help="print the archive and how to submit a job as JSON")
    command.set_defaults(run=write_archive)


def write_archive(arguments: argparse.Namespace) -> int:
    """Pack the environment and print how to use the archive."""
    environment = Environment(Path(sys.prefix), Path(sys.base_prefix))
    check(environment)
    with show_progress(f"packing {environment.prefix}"):
        size = pack(environment, arguments.output)
    version = ".".join(map(str, sys.version_info[:3]))
    if arguments.json:
        of = {"prefix": str(environment.prefix), "interpreter": str(environment.interpreter), "python": version}
        print_masked_json(
            {"path": str(arguments.output), "bytes": size, **of, "submit": " ".join(submit_line(arguments.output))}
        )
        return 0
    print_masked(f"{arguments.output}: {size / 1e6:.0f} MB, {environment.prefix} without pyspark")
    print_masked(
        f"Every node needs {environment.interpreter} (Python {version}), the base interpreter. Submit a job:\n"
    )
    print_masked(" \\\n  ".join(submit_line(arguments.output)))
    return 0


def submit_line(archive: Path) -> tuple[str, ...]:
    """Return the `spark-submit` command, one part per line."""
    return (
        "spark-submit --master yarn --deploy-mode cluster",
        f"--archives {shlex.quote(str(archive))}#{ALIAS}",
        f"--files {FILE_NAME}",
        f"--conf spark.pyspark.python=./{ALIAS}/bin/python",
        "--conf spark.yarn.appMasterEnv.SAC_KAFKA_AUTO=1",
        "JOB.py",
    )
