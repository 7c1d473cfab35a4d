"""`sac-kafka emit`: send flows that a file states, or those of a dbt project, without Spark.

The file is TOML or JSON, with the keys of sac_kafka.emit, or with flows and datasets: see docs/emit.md. All is read and
validated before anything is sent.

With --dbt, the flows of the models and snapshots of dbt's last run are read from manifest.json, run_results.json and, if it
exists, catalog.json.

Exit status: 0 success, 1 no flow or a message was not delivered, 2 error.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from sac_kafka.emitting.dbt_artifacts import read_project
from sac_kafka.emitting.documents import read_document
from sac_kafka.emitting.session import EmitSession
from sac_kafka.emitting.stated_flows import StatingProcess
from sac_kafka.errors import SacKafkaError
from sac_kafka.model import Outcome, Process
from sac_kafka.stats import Flushed, with_noun
from sac_kafka.tools.cli.arguments import add, add_command, add_seconds
from sac_kafka.tools.cli.configured import add_options, read_with_options
from sac_kafka.tools.cli.input_lines import display_name, read_lines
from sac_kafka.tools.cli.output import print_error, print_masked_json

NO = 1
_REMEDY = "name a file of flows"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    emit = add_command(
        commands,
        run,
        "send flows that a file or a dbt project states",
        "emit flows.toml --conf atlas.client.type=console",
        "emit --dbt target/",
    )
    add(emit, "file FILE", "TOML or JSON, - for standard input; several are allowed", nargs="*")
    add(emit, "--dbt DIR", "the directory with dbt's artifacts, such as target/")
    add(
        emit,
        "--dbt-profiles-dir DIR",
        "for --dbt: the directory of profiles.yml, which names the database's server (default: as dbt finds it)",
    )
    add(
        emit,
        "--dbt-namespace NAMESPACE",
        "for --dbt: the OpenLineage namespace of the database, such as postgres://db1:5432, instead of profiles.yml",
    )
    add(emit, "--check", "only validate, without a configuration: send nothing")
    add_seconds(emit, "--timeout", 60.0, "maximum time to wait for delivery; the rest is spooled")
    add(emit, "--json", "print the counts as a JSON object")
    add_options(emit, has_destination=False)


def run(arguments: argparse.Namespace) -> int:
    """Read, validate and send the flows.

    Raises:
        SacKafkaError: The configuration or a flow is wrong, or a file cannot be read.
    """
    if bool(arguments.file) == bool(arguments.dbt):
        raise SacKafkaError("name a file of flows, - for standard input, or --dbt DIR")
    skipped: Counter[str] = Counter()
    if arguments.check:
        return _report(arguments, _statements(arguments, StatingProcess(), skipped), skipped, None)
    session = EmitSession(read_with_options(arguments).settings)
    try:
        statements = _statements(arguments, session.by, skipped)
        for each in statements:
            session.emit(each, 0.0)
        session.flush(arguments.timeout)
    finally:
        session.close()
        session.join()
    return _report(arguments, statements, skipped, session.flush(0.0))


def _statements(
    arguments: argparse.Namespace, by: StatingProcess, skipped: Counter[str]
) -> Sequence[tuple[Outcome, ...]]:
    if arguments.dbt:
        return read_project(arguments.dbt, by, skipped, arguments.dbt_namespace, arguments.dbt_profiles_dir)
    found: list[tuple[Outcome, ...]] = []
    for file in arguments.file:
        text = "\n".join(read_lines(file, _REMEDY))
        found += read_document(text, by, display_name(file))
    return found


def _report(
    arguments: argparse.Namespace,
    statements: Sequence[tuple[Outcome, ...]],
    skipped: Counter[str],
    sent: Flushed | None,
) -> int:
    """Report what became of the flows; return the exit status."""
    flows = sum(isinstance(each, Process) for outcomes in statements for each in outcomes)
    datasets = sum(not isinstance(each, Process) for outcomes in statements for each in outcomes)
    if arguments.json:
        states = ("delivered", "kept", "lost", "problem")
        messages = {} if sent is None else {state: getattr(sent, state) for state in states}
        print_masked_json({"flows": flows, "datasets": datasets, "skipped": dict(skipped), "messages": messages})
    else:
        parts = [with_noun(flows, "flow"), *([f"{with_noun(datasets, 'dataset')} described"] if datasets else [])]
        parts += [f"{number} {reason}" for reason, number in sorted(skipped.items())]
        outcome = "valid" if sent is None else sent.problem or f"{with_noun(sent.delivered, 'message')} delivered"
        print_error(f"{', '.join(parts)}: {outcome}", arguments.program)
    return 0 if statements and (sent is None or sent) else NO
