"""`sac-kafka run`: run a Spark job unchanged and capture its lineage.

APP is a Python script, a zip file, a wheel, a folder, or a jar with --class; everything after APP is passed to the job. The job's
output, errors and exit status are the same as without sac-kafka. In deploy mode cluster, use spark-submit with the script whose
path sac-kafka runner prints.
"""

from __future__ import annotations

import argparse
import os
import sys

import sac_kafka_auto
from sac_kafka.launch import submitting
from sac_kafka.launch.preparing import prepare
from sac_kafka.launch.programs import Program, WrongUseError, is_path_safe, module, program
from sac_kafka.launch.running import run as run_program
from sac_kafka.tools.cli.arguments import add, add_command
from sac_kafka.tools.cli.output import print_error

FAILED = 2


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    command = add_command(
        commands,
        run,
        "run a Spark job and capture its lineage",
        "run job.py 2026-11-20",
        "run --conf spark.atlas.client.type=console -m package.job",
        usage="sac-kafka run [OPTION …] (APP | -m MODULE) [ARGUMENT …]",
        allow_abbrev=False,
    )
    add_job(command)
    submitting.add_options(command)
    command.set_defaults(is_job=True)


def add_job(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a job; everything after them is passed to the job."""
    add(parser, "--class MAIN", "main class of a Scala or Java job; APP is its jar", dest="main")
    add(parser, "-m MODULE", "run a Python module, like python -m", dest="module", nargs=argparse.REMAINDER)
    add(parser, "--entry-point NAME", "console script to run, if a wheel has several")
    add(
        parser,
        "job APP",
        "job.py, job.zip, job.whl, job.jar or a folder, followed by the job's arguments",
        nargs=argparse.REMAINDER,
    )


def run(parsed: argparse.Namespace) -> int:
    """Run the job; its exceptions are not handled."""
    try:
        words = words_of(parsed)
        if not submitting.find_pyspark():
            raise WrongUseError(
                f"PySpark is not installed in {sys.executable}: install it, set SPARK_HOME, or use spark-submit with "
                "$(sac-kafka runner)"
            )
        if sys.path and not is_path_safe():
            del sys.path[0]  # the folder of this command's script
        sys.path[:0] = submitting.import_path(parsed)
        job = job_of(parsed, words)  # after extending the path, which may provide the module
        submitting.submit(parsed, job if isinstance(job, str) else job.name)
        if isinstance(job, str):
            return start_main(job, words)
    except WrongUseError as error:
        print_error(str(error), "sac-kafka run")
        return FAILED
    start(job, words[1:])
    return 0


def words_of(parsed: argparse.Namespace) -> list[str]:
    """Return the job's name followed by its arguments; raises WrongUseError if no job is named."""
    words: list[str] = parsed.job[1:] if parsed.job[:1] == ["--"] else parsed.job
    if parsed.module is not None:
        words = parsed.module
    if not words:
        raise WrongUseError("no job given: name a script, a zip file, a wheel, a jar with --class, or a module with -m")
    if sum(each is not None for each in (parsed.module, parsed.main, parsed.entry_point)) > 1:
        raise WrongUseError("use only one of --class, -m and --entry-point")
    return words


def job_of(parsed: argparse.Namespace, words: list[str]) -> Program | str:
    """Return the Python job, or the main class of a jar; raises WrongUseError if it does not exist."""
    if parsed.main is not None:
        return str(parsed.main)
    return module(words[0]) if parsed.module is not None else program(words[0], parsed.entry_point)


def start(job: Program, arguments: list[str]) -> None:
    """Run a Python job in this process."""
    prepare(job)
    run_program(job, arguments)


def start_main(name: str, words: list[str]) -> int:
    """Run a main class in the driver's JVM and return its exit status; raises WrongUseError."""
    from sac_kafka.launch import java_main

    return java_main.run(name, words[0], words[1:], is_on=sac_kafka_auto.chosen(os.environ) is not False)
