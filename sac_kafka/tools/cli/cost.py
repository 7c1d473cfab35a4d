"""`sac-kafka cost`: estimate the load of messages on the Atlas server by job, and list the most expensive entities.

Counts the entities that the server has to create, update or delete, and the references between them, because its work grows with
these. The server itself is not measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict
from operator import attrgetter

from sac_kafka.tools.cli.arguments import SINCE_HELP, add, add_command, number, since
from sac_kafka.tools.cli.input_lines import display_name
from sac_kafka.tools.cli.message_source import MessageFilter, add_source, read_messages, use_messages
from sac_kafka.tools.cli.output import print_data, print_data_json, print_data_table, print_error
from sac_kafka.tools.cli.terminal import Table, TableColumn
from sac_kafka.tools.graph.cost import Cost, CostCounter, Costs

NOTHING = 1
_TOP = 10
_HEAD = ("entities", "created", "updated", "deleted", "references", "processes", "columns", "messages", "bytes")
_FIGURES = attrgetter(
    "entities", "creates", "updates", "deletes", "relationships", "processes", "columns", "messages", "bytes"
)
"""Returns the figures below the titles of `_HEAD`."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    cost = add_command(
        commands,
        run,
        "count entities, messages and bytes by job",
        "cost topic --since 1d --top 5",
    )
    add_source(cost)
    add(cost, "--since TIME", SINCE_HELP, type=since)
    add(
        cost,
        "--top N",
        "number of the most expensive tables and processes to list (default: %(default)s)",
        type=number(0),
        default=_TOP,
    )
    add(cost, "--json", "print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Count and print; return 1 if there are no messages.

    Raises:
        SacKafkaError: The messages cannot be read.
    """
    place = display_name(arguments.source)
    counting = CostCounter()
    use_messages(
        read_messages(arguments, arguments.source, MessageFilter(arguments.since)),
        lambda each, message: counting.add(message, each.key, each.records, each.bytes),
        place,
        arguments.program,
    )
    costs = counting.costs()
    if arguments.json:
        print_data_json(_object(costs, arguments.top))
    elif costs.by_job:
        most_expensive = _most_expensive(costs, arguments.top)
        print_data_table(_jobs(costs))
        if most_expensive.rows:
            print_data("")
            print_data_table(most_expensive)
    if costs.by_job:
        return 0
    print_error(f"{place} has no messages", arguments.program)
    return NOTHING


def _jobs(costs: Costs) -> Table:
    rows = tuple(_row(_FIGURES(cost), job) for job, cost in costs.by_job.items())
    return Table(_columns(*_HEAD, "job"), rows, _row(_FIGURES(costs.all), "all") if len(rows) > 1 else ())


def _most_expensive(costs: Costs, top: int) -> Table:
    rows = tuple(_row((number,), f"{name}  ({type_})") for type_, name, number in costs.most_expensive(top))
    return Table(_columns("entities", "most expensive"), rows)


def _row(figures: Iterable[int], name: str) -> tuple[str, ...]:
    return (*(f"{figure:,}" for figure in figures), name)


def _columns(*titles: str) -> tuple[TableColumn, ...]:
    return tuple(TableColumn(title, is_right=number < len(titles)) for number, title in enumerate(titles, 1))


def _object(costs: Costs, top: int) -> dict[str, object]:
    def of(cost: Cost) -> dict[str, int]:
        return {"entities": cost.entities, **asdict(cost)}

    return {
        "all": of(costs.all),
        "jobs": {job: of(cost) for job, cost in costs.by_job.items()},
        "most_expensive": [
            {"type": type_, "name": name, "entities": number} for type_, name, number in costs.most_expensive(top)
        ],
    }
