"""`sac-kafka cost`: what messages cost the server that takes them, by job, and which tables and processes cost most.

Counted are entities, as a server works by entity: created or updated whole, changed in part, deleted; and the references
between them. Nothing is measured on a server.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from sac_kafka.cli.foreign_lines import named
from sac_kafka.cli.help_texts import ExamplesFormatter, description, examples
from sac_kafka.cli.saying import complain, give
from sac_kafka.cli.since import since
from sac_kafka.cli.unread import UnreadMessages
from sac_kafka.cli.where import Wanted, add_where, arrivals
from sac_kafka.errors import MessageError
from sac_kafka.readable.cost import Cost, Costs, Counting
from sac_kafka.reading.arrived import Arrived, Unread

NOTHING = 1
_PROG = "sac-kafka cost"
_TOP = 10
_HEAD = ("entities", "created", "updated", "deleted", "references", "processes", "columns", "messages", "bytes")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    cost = commands.add_parser(
        "cost",
        help="entities, messages and bytes by job, and what costs most",
        description=description(__doc__),
        epilog=examples("cost topic --since 1d --top 5"),
        formatter_class=ExamplesFormatter,
    )
    add_where(cost)
    cost.add_argument("--since", type=since, metavar="TIME", help="from then on: 30s, 5m, 2h or 7d ago, or 2026-11-20")
    cost.add_argument(
        "--top", type=_number, default=_TOP, metavar="N", help="how many of the dearest (default: %(default)s)"
    )
    cost.add_argument("--json", action="store_true", help="as one JSON object")
    cost.set_defaults(run=run)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 999999")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Count and write; exit status 1 if there are no messages.

    Raises:
        SacKafkaError: They cannot be read.
    """
    place = named(arguments.where)
    costs = _costs(arrivals(arguments, arguments.where, Wanted(arguments.since)), place)
    if arguments.json:
        print(json.dumps(_object(costs, arguments.top), indent=2))  # noqa: T201 # what the command is for
    elif costs.by_job:
        for line in _lines(costs, arguments.top):
            give(line)
    if costs.by_job:
        return 0
    complain(f"{place} has no messages", _PROG)
    return NOTHING


def _costs(found: Iterable[Arrived | Unread], place: str) -> Costs:
    counting = Counting()
    with UnreadMessages(place, _PROG) as unread:
        for each in found:
            try:
                if isinstance(each, Unread):
                    raise MessageError(each.problem)
                counting.take(each.text, each.key, each.records, each.bytes)
            except MessageError as error:  # noqa: PERF203 one bad message is not the end
                unread.take(each.place, str(error))
    return counting.costs()


def _figures(cost: Cost) -> tuple[int, ...]:
    return (
        cost.entities,
        cost.creates,
        cost.updates,
        cost.deletes,
        cost.relationships,
        cost.processes,
        cost.columns,
        cost.messages,
        cost.bytes,
    )


def _lines(costs: Costs, top: int) -> Iterator[str]:
    rows = [(job, _figures(cost)) for job, cost in costs.by_job.items()]
    if len(rows) > 1:
        rows.append(("all", _figures(costs.all)))
    yield from _table(_HEAD, "job", rows)
    dearest = costs.dearest(top)
    if dearest:
        yield ""
        yield from _table(
            ("entities",), "dearest", [(f"{name}  ({type_})", (number,)) for type_, name, number in dearest]
        )


def _table(head: Sequence[str], what: str, rows: Sequence[tuple[str, Sequence[int]]]) -> Iterator[str]:
    """Figures before names: these may be long, and a narrow terminal breaks them only."""
    cells = [[f"{each:,}" for each in figures] for _, figures in rows]
    widths = [max(len(title), *(len(row[i]) for row in cells)) for i, title in enumerate(head)]
    for name, row in ((what, head), *zip((name for name, _ in rows), cells, strict=True)):
        yield "  ".join([*(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)), name])


def _object(costs: Costs, top: int) -> dict[str, object]:
    def of(cost: Cost) -> dict[str, int]:
        return {"entities": cost.entities, **asdict(cost)}

    return {
        "all": of(costs.all),
        "jobs": {job: of(cost) for job, cost in costs.by_job.items()},
        "dearest": [{"type": type_, "name": name, "entities": number} for type_, name, number in costs.dearest(top)],
    }
