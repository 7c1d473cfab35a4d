"""`sac-kafka impact`: print everything that depends on a dataset or column, or with --upstream everything that it depends on.

A column is followed through all columns that are computed from it or influenced by it, with the expressions. If a column only
decides which rows a dataset has (filter, join, grouping), the dataset is listed and not followed further. Exit status: 0
dependencies found, 1 none found, 2 error.
"""

from __future__ import annotations

import argparse

from sac_kafka.errors import SacKafkaError
from sac_kafka.tools.cli.arguments import add, add_command, number
from sac_kafka.tools.cli.message_source import LINEAGE_KEYWORDS, add_source, read_graph, source_name
from sac_kafka.tools.cli.output import print_data, print_data_json
from sac_kafka.tools.cli.styles import TREE
from sac_kafka.tools.graph.graph import LineageGraph, label_graph
from sac_kafka.tools.graph.impact import Impact, Place, impact_of, summary, tree
from sac_kafka.tools.graph.name_lookup import find_place

NOTHING = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    impact = add_command(
        commands,
        run,
        "print what depends on a dataset or column",
        "impact messages.jsonl sales.orders",
        "impact topic sales.orders.amount --depth 2 --json",
        "impact spool reports.totals.total --upstream",
    )
    add_source(impact, keywords=LINEAGE_KEYWORDS)
    add(
        impact,
        "name DATASET[.COLUMN]",
        "name of the dataset or column, or the end of it; DATASET#COLUMN always names a column",
    )
    add(impact, "--upstream", "print what it depends on instead")
    add(impact, "--depth N", "follow at most N processes", type=number(1))
    add(impact, "--json", "print datasets, columns and edges as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Print the dependencies; return 1 if there are none.

    Raises:
        SacKafkaError: There is no lineage, or the name is unknown or ambiguous.
    """
    graph = label_graph(read_graph(arguments, arguments.source))
    if not graph.datasets:
        raise SacKafkaError(f"{source_name(arguments, arguments.source)} has no lineage")
    impact = impact_of(graph, find_place(graph, arguments.name), is_upstream=arguments.upstream, depth=arguments.depth)
    if arguments.json:
        print_data_json(_as_json(impact, graph))
    else:
        dropped = {name for name, each in graph.datasets.items() if each.is_dropped}
        for line in (*tree(impact, dropped), "", summary(impact)) if impact.edges else (summary(impact),):
            print_data(line, TREE)
    return 0 if impact.edges else NOTHING


def _as_json(impact: Impact, graph: LineageGraph) -> dict[str, object]:
    edges = [
        {
            "from": _place(edge.end if impact.is_upstream else edge.start),
            "to": _place(edge.start if impact.is_upstream else edge.end),
            "kind": edge.kind.value,
            "how": edge.how,
            "process": edge.process,
            "process_id": edge.process_id,
        }
        for edge in impact.edges
    ]
    return {
        "start": _place(impact.start),
        "direction": "upstream" if impact.is_upstream else "downstream",
        "is_cut": impact.is_cut,
        "omitted_edges": impact.omitted,
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
