"""`sac-kafka diff`: compare the lineage of two runs, for example in a pull request or a build.

Compares datasets, processes and column lineage with its expressions. Times, ids, row counts and the order of messages are
ignored. Compare complete runs: unchanged metadata is sent only once, so it is missing from the end of a topic.
Exit status: 0 success, 1 a difference of a kind given by --fail-on was found, 2 error.
"""

from __future__ import annotations

import argparse
from collections import Counter

from sac_kafka.errors import SacKafkaError
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.arguments import add, add_command
from sac_kafka.tools.cli.input_lines import STANDARD_INPUT
from sac_kafka.tools.cli.message_source import (
    LINEAGE_KEYWORDS,
    add_allow_empty,
    add_reading_options,
    read_graph,
    require_content,
    source_help,
)
from sac_kafka.tools.cli.output import print_data, print_data_json, print_error
from sac_kafka.tools.cli.styles import DIFFERENCES, PLAIN
from sac_kafka.tools.graph.differences import (
    ALL,
    MAX_EDGES,
    DifferenceKind,
    LineageDifference,
    difference_lines,
    differences,
    markdown,
)
from sac_kafka.tools.graph.graph import LineageGraph

HAPPENED = 1
ANY = "any"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    diff = add_command(
        commands,
        run,
        "compare the lineage of two runs",
        "diff main.jsonl branch.jsonl",
        "diff main.jsonl branch.jsonl --markdown > comment.md",
        "diff main.jsonl branch.jsonl --fail-on removed-edge --fail-on new-source",
    )
    add(diff, "old OLD", f"source of the old lineage: {source_help(keywords=LINEAGE_KEYWORDS)}")
    add(diff, "new NEW", "source of the new lineage, as for OLD")
    form = diff.add_mutually_exclusive_group()
    add(form, "--json", "print the differences as one JSON object")
    add(form, "--markdown", "print Markdown, for a comment on a pull request")
    add(
        diff,
        ALL,
        f"print all edges, also where more than {MAX_EDGES} of a dataset or between the columns of two differ",
    )
    add(
        diff,
        "--fail-on KIND …",
        "exit with status 1 if there is a difference of this kind; repeatable: "
        f"{', '.join([ANY, *(each.value for each in DifferenceKind)])}",
        choices=[ANY, *(each.value for each in DifferenceKind)],
    )
    add_allow_empty(diff)
    add_reading_options(diff)


def run(arguments: argparse.Namespace) -> int:
    """Print the differences; return 1 if one is of a kind given by --fail-on.

    Raises:
        SacKafkaError: A source cannot be read or has no lineage, or both are standard input.
    """
    if arguments.old == arguments.new == STANDARD_INPUT:
        raise SacKafkaError("standard input can be read once only; name a file as OLD or as NEW")
    old, new = (_graph(arguments, source) for source in (arguments.old, arguments.new))
    found = differences(old, new, None if arguments.all else MAX_EDGES)
    failing = _failing(found, arguments.fail_on)
    if arguments.json:
        print_data_json({"differences": [_as_json(each) for each in found], "failed_on": list(failing)})
    else:
        for line in (markdown if arguments.markdown else difference_lines)(found):
            print_data(line, PLAIN if arguments.markdown else DIFFERENCES)
    if failing:
        plurals = {kind: f"{kind}es" if kind.endswith("s") else f"{kind}s" for kind in failing}
        counts = (with_noun(number, kind, plurals[kind]) for kind, number in failing.items())
        print_error(f"fails on {', '.join(counts)}", arguments.program)
    return HAPPENED if failing else 0


def _graph(arguments: argparse.Namespace, source: str) -> LineageGraph:
    graph = read_graph(arguments, source)
    require_content(arguments, source, graph.datasets, "lineage")
    return graph


def _failing(found: tuple[LineageDifference, ...], asked: list[str]) -> dict[str, int]:
    """Return the number of differences of each kind given by --fail-on."""
    numbers: Counter[str] = Counter()
    for each in found:
        if ANY in asked or each.kind.value in asked:
            numbers[each.kind.value] += each.number
    return numbers


def _as_json(each: LineageDifference) -> dict[str, str | int]:
    fields: dict[str, str | int] = {
        "kind": each.kind.value,
        "name": each.name,
        "source": each.source,
        "before": each.before,
        "after": each.after,
        "number": each.number if each.number > 1 else 0,
    }
    return {key: value for key, value in fields.items() if value}
