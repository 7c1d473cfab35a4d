"""`sac-kafka runner`: print the path of a script for spark-submit that runs a job and captures its lineage.

Pass it to spark-submit in place of the job, followed by the job and its arguments:

spark-submit [OPTION …] $(sac-kafka runner) APP [ARGUMENT …]
spark-submit [OPTION …] $(sac-kafka runner) --doctor [--send] [--json]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from sac_kafka.launch.preparing import RUNNER
from sac_kafka.launch.programs import WrongUseError
from sac_kafka.tools.cli import run as running
from sac_kafka.tools.cli.arguments import add, add_command
from sac_kafka.tools.cli.doctor import add_doctor_options
from sac_kafka.tools.cli.output import (
    EXIT_PIPE_CLOSED,
    Parser,
    discard_output,
    print_error,
    print_masked,
    print_masked_json,
)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    command = add_command(
        commands,
        run,
        "print the path of the script that runs a job under spark-submit",
        "runner",
        "runner --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add(command, "--json", "print the path as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the path of the script."""
    if arguments.json:
        print_masked_json({"path": str(RUNNER)})
    else:
        print_masked(str(RUNNER))
    return 0


def main(arguments: Sequence[str]) -> int:
    """Run a job under spark-submit; its exceptions are not handled."""
    parser = Parser(
        prog=RUNNER.name,
        usage=f"spark-submit … {RUNNER.name} [OPTION …] (APP | -m MODULE) [ARGUMENT …]",
        description="Run a Spark job unchanged and capture its lineage. With --doctor instead of a job: check why there is no "
        "lineage (see --doctor --help).",
        allow_abbrev=False,
    )
    if "--doctor" in arguments[:1]:
        return _examine(arguments[1:])
    running.add_job(parser)
    parsed = parser.parse_args(arguments)
    try:
        words = running.words_of(parsed)
        job = running.job_of(parsed, words)
        if isinstance(job, str):
            return running.start_main(job, words)
    except WrongUseError as error:
        print_error(str(error), RUNNER.name)
        return running.FAILED
    running.start(job, words[1:])
    return 0


def _examine(arguments: Sequence[str]) -> int:
    """Check the driver, and its connection to the server, instead of running a job."""
    from sac_kafka.tools.doctor import doctor_in_driver  # imported late: it loads modules that only a driver needs

    parser = Parser(
        prog=f"{RUNNER.name} --doctor",
        description="Check in the Spark driver that lineage can be captured and delivered.",
        epilog=f"Example: spark-submit --master yarn {RUNNER.name} --doctor --send",
        allow_abbrev=False,
    )
    add_doctor_options(parser)
    try:
        status = doctor_in_driver.run(parser.parse_args(arguments))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe, as `| head` does
        discard_output()
        return EXIT_PIPE_CLOSED
    return status
