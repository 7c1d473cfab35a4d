"""`sac-kafka doctor`: see why no lineage gets through, or that it would, step by step, before any Spark is started.

It looks at Java, Spark, Python, the configuration, the way to the server, its certificate, the log-in, the topic and the right to
write to it, limits, clocks, types, names and the spool, within --timeout seconds. No message is sent but with --send: that is one
that says nothing, and is then looked for. The exit status is 1 where something is wrong, and 2 where that cannot be told: only a
Spark driver could connect. In a driver: spark-submit … $(sac-kafka runner) --doctor.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from itertools import chain

from sac_kafka.cli.checks import run_checks
from sac_kafka.cli.configured import add_options, read_configured
from sac_kafka.cli.environment_checks import check_environment
from sac_kafka.cli.help_texts import add_command
from sac_kafka.cli.output import print_masked, suppressed_log
from sac_kafka.cli.progress import show_progress
from sac_kafka.cli.seconds import seconds
from sac_kafka.cli.styles import DOCTOR
from sac_kafka.config.secrets import mask_line
from sac_kafka.deadlines import Deadline
from sac_kafka.transport.examining.findings import Finding, Verdict

WRONG = 1
INCONCLUSIVE = 2
_IN_JSON = {
    Verdict.GOOD: "ok",
    Verdict.DOUBT: "warn",
    Verdict.WRONG: "fail",
    Verdict.SKIPPED: "skipped",
    Verdict.UNKNOWN: "unknown",
}
_WORST = (Verdict.WRONG, Verdict.UNKNOWN, Verdict.DOUBT, Verdict.GOOD)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    command = add_command(
        commands,
        __doc__,
        "whether lineage would get through, step by step, and what to do where not",
        "doctor --file atlas-application.properties --send",
    )
    add_options(command)
    add_doctor_options(command)
    command.set_defaults(run=run)


def add_doctor_options(command: argparse.ArgumentParser) -> None:
    """Add what a doctor in a driver is given, too."""
    command.add_argument("--send", action="store_true", help="send one message that says nothing, and look for it")
    command.add_argument("--json", action="store_true", help="one JSON object: the verdict, and each step")
    command.add_argument(
        "--timeout",
        type=seconds,
        default=15.0,
        metavar="SECONDS",
        help="how long all of it may take (default: %(default)g)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Look at this machine, then at what the configuration names."""
    deadline = Deadline(arguments.timeout)
    steps = run_checks(lambda doubt: read_configured(arguments, doubt), deadline, None, sends=arguments.send)
    return tell(chain(check_environment(), steps), is_json=arguments.json)


def tell(steps: Iterable[Finding], *, is_json: bool) -> int:
    """Write a line for each step as soon as it is done, or all of them as JSON, and give the exit status."""
    seen = []
    with suppressed_log(), show_progress("looking further"):
        for step in steps:
            seen.append(step)
            if not is_json:
                print_masked(f"{step.verdict.value:<5} {step.name:<14} {_line(step)}", DOCTOR)
    if is_json:
        print_masked(_json(seen))
    return _STATUS.get(_verdict(seen), 0)


_STATUS = {Verdict.WRONG: WRONG, Verdict.UNKNOWN: INCONCLUSIVE}


def _line(step: Finding) -> str:
    return " ".join(step.text.split())


def _verdict(steps: Iterable[Finding]) -> Verdict:
    """The worst; what a log-in could not tell, a message that was taken has told."""
    counted = list(_counted(steps))
    return next((each for each in _WORST if each in counted), Verdict.GOOD)


def _counted(steps: Iterable[Finding]) -> Iterator[Verdict]:
    steps = list(steps)
    is_sent = any(each.name == "send" and each.verdict is Verdict.GOOD for each in steps)
    for each in steps:
        if not (is_sent and each.verdict is Verdict.UNKNOWN):
            yield each.verdict


def _json(steps: Iterable[Finding]) -> str:
    steps = list(steps)
    rows = [{"step": each.name, "verdict": _IN_JSON[each.verdict], "text": mask_line(_line(each))} for each in steps]
    return json.dumps({"verdict": _IN_JSON[_verdict(steps)], "steps": rows}, indent=2)
