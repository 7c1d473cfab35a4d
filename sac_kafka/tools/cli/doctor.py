"""`sac-kafka doctor`: check step by step that lineage can be captured and delivered, without starting Spark.

Checks Java, Spark, Python, leftovers of the Spark Atlas Connector, the configuration, the network, TLS, the login, the topic
and the permission to write to it, size limits, clocks, Atlas types, names and the spool, within --timeout seconds. With --send
it also sends an empty test message and reads it back. Exit status: 0 no errors, 1 errors found, 2 inconclusive (only a Spark
driver can connect). To run the checks in a driver:
spark-submit … $(sac-kafka runner) --doctor.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from sac_kafka.deadlines import Deadline
from sac_kafka.masking import mask_line
from sac_kafka.tools.cli.arguments import add, add_command, add_seconds
from sac_kafka.tools.cli.configured import add_options, read_with_options
from sac_kafka.tools.cli.output import print_masked, suppressed_log
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.cli.styles import DOCTOR
from sac_kafka.tools.doctor.checks import run_checks
from sac_kafka.tools.doctor.connector_checks import check_connector
from sac_kafka.tools.doctor.environment_checks import check_environment
from sac_kafka.transport.diagnostics.findings import Finding, Verdict

WRONG = 1
INCONCLUSIVE = 2
_IN_JSON = {
    Verdict.GOOD: "ok",
    Verdict.DOUBT: "warn",
    Verdict.WRONG: "fail",
    Verdict.SKIPPED: "skipped",
    Verdict.UNKNOWN: "unknown",
}
_STATUS = {Verdict.WRONG: WRONG, Verdict.UNKNOWN: INCONCLUSIVE}
_WORST = (Verdict.WRONG, Verdict.UNKNOWN, Verdict.DOUBT, Verdict.GOOD)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    command = add_command(
        commands,
        run,
        "find out why lineage does not arrive, and how to fix it",
        "doctor --conf-file atlas-application.properties --send",
    )
    add_options(command)
    add(
        command,
        "--properties-file FILE",
        "settings of Spark, checked instead of conf/spark-defaults.conf, as spark-submit reads them",
        type=Path,
    )
    add_doctor_options(command)


def add_doctor_options(command: argparse.ArgumentParser) -> None:
    """Add the options that `--doctor` of the runner has, too."""
    add(command, "--send", "send an empty test message and read it back")
    add(command, "--json", "print the verdict and all steps as one JSON object")
    add_seconds(command, "--timeout", 15.0, "maximum duration of all checks")


def run(arguments: argparse.Namespace) -> int:
    """Check this machine, then everything that the configuration refers to."""
    deadline = Deadline(arguments.timeout)
    steps = run_checks(lambda doubt: read_with_options(arguments, doubt), deadline, None, sends=arguments.send)
    connector = check_connector(dict(arguments.conf), arguments.properties_file)
    return report(chain(check_environment(), connector, steps), is_json=arguments.json)


def report(steps: Iterable[Finding], *, is_json: bool) -> int:
    """Print each step when it is done, or all of them as JSON, and return the exit status."""
    seen: list[Finding] = []
    with suppressed_log(), show_progress("checking"):
        for step in steps:
            seen.append(step)
            if not is_json:
                print_masked(f"{step.verdict.value:<5} {step.name:<14} {_line(step)}", DOCTOR)
    if is_json:
        print_masked(_json(seen))
    return _STATUS.get(_verdict(seen), 0)


def _line(step: Finding) -> str:
    return " ".join(step.text.split())


def _verdict(steps: Sequence[Finding]) -> Verdict:
    """Return the worst verdict; a delivered test message overrides an inconclusive login check of its destination."""
    reached = {step.destination for step in steps if step.name == "send" and step.verdict is Verdict.GOOD}
    found = {step.verdict for step in steps if step.verdict is not Verdict.UNKNOWN or step.destination not in reached}
    return next((each for each in _WORST if each in found), Verdict.GOOD)


def _json(steps: Sequence[Finding]) -> str:
    rows = [{"step": step.name, "verdict": _IN_JSON[step.verdict], "text": mask_line(_line(step))} for step in steps]
    return json.dumps({"verdict": _IN_JSON[_verdict(steps)], "steps": rows}, indent=2)
