"""`sac-kafka impact`: everything that depends on a dataset or a column, through all messages.

With --upstream it is everything that it depends on. A column is followed through the columns that its value flows into and
those whose value it decides, shown with their expressions; where it decides rows (a filter, a join, a grouping), the dataset is
named, and followed no further. Exit status: 0 something was found, 1 nothing depends on it, 2 it could not be done.
"""

from __future__ import annotations

import argparse

from sac_kafka.cli.help_texts import add_command
from sac_kafka.cli.message_source import (
    LINEAGE_KEYWORDS,
    TOPIC,
    add_reading_options,
    read_graph,
    source_help,
    source_name,
)
from sac_kafka.cli.numbers import number
from sac_kafka.cli.output import print_data, print_data_json
from sac_kafka.cli.styles import TREE
from sac_kafka.errors import SacKafkaError
from sac_kafka.readable.graph import LineageGraph
from sac_kafka.readable.impact import Impact, Place, impact_of
from sac_kafka.readable.impact_drawing import summary, tree
from sac_kafka.readable.labelling import labelled
from sac_kafka.readable.name_lookup import find_place

NOTHING = 1
_PROG = "sac-kafka impact"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    impact = add_command(
        commands,
        __doc__,
        "what depends on a dataset or a column",
        "impact sales.orders --in lineage.jsonl",
        "impact sales.orders.amount --in topic --depth 2 --json",
        "impact reports.totals.total --upstream --in spool",
    )
    impact.add_argument(
        "name", metavar="DATASET[.COLUMN]", help="the end of the name will do; DATASET#COLUMN is always a column"
    )
    impact.add_argument(
        "--in", dest="source", metavar="SOURCE", default=TOPIC, help=source_help(TOPIC, LINEAGE_KEYWORDS)
    )
    impact.add_argument("--upstream", action="store_true", help="what it depends on, instead of what depends on it")
    impact.add_argument("--depth", type=number(1), metavar="N", help="no further than N processes away")
    impact.add_argument("--json", action="store_true", help="places and edges as one JSON object")
    add_reading_options(impact)
    impact.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show what was reached; exit status 1 if that is nothing.

    Raises:
        SacKafkaError: There are no messages to read, or the name is of nothing, or of several things.
    """
    there = labelled(read_graph(arguments, arguments.source, _PROG))
    if not there.datasets:
        raise SacKafkaError(f"{source_name(arguments, arguments.source)} tells of no lineage")
    impact = impact_of(there, find_place(there, arguments.name), is_upstream=arguments.upstream, depth=arguments.depth)
    if arguments.json:
        print_data_json(_as_json(impact, there))
    else:
        dropped = {name for name, each in there.datasets.items() if each.is_dropped}
        for line in (*tree(impact, dropped), "", summary(impact)) if impact.edges else (summary(impact),):
            print_data(line, TREE)
    return 0 if impact.edges else NOTHING


def _as_json(impact: Impact, graph: LineageGraph) -> dict[str, object]:
    edges = [
        {
            "from": _place(each.end if impact.is_upstream else each.start),
            "to": _place(each.start if impact.is_upstream else each.end),
            "kind": each.kind.value,
            "how": each.how,
            "process": each.process,
            "process_id": each.process_id,
        }
        for each in impact.edges
    ]
    return {
        "start": _place(impact.start),
        "direction": "upstream" if impact.is_upstream else "downstream",
        "is_cut": impact.is_cut,
        "places": [
            {**_place(place), **_known(graph, place), "depth": depth} for place, depth in impact.depths.items() if depth
        ],
        "edges": edges,
    }


def _place(place: Place) -> dict[str, str]:
    return {"dataset": place} if isinstance(place, str) else {"dataset": place.dataset, "column": place.name}


def _known(graph: LineageGraph, place: Place) -> dict[str, object]:
    node = graph.datasets.get(place if isinstance(place, str) else place.dataset)
    return {"type": node.type_name if node else "", "is_dropped": bool(node and node.is_dropped)}
