"""What messages tell of, drawn on standard output: all of it, or where one column comes from."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from sac_kafka.cli.output import print_data, print_data_json, print_data_json_line
from sac_kafka.cli.styles import LINEAGE
from sac_kafka.readable.drawing import lines, origin_lines
from sac_kafka.readable.graph import LineageGraph, graph_of
from sac_kafka.readable.labelling import labelled
from sac_kafka.readable.lineage import mark_altered
from sac_kafka.readable.model import CatalogChange, LineageColumn, LineageProcess
from sac_kafka.readable.name_lookup import column_names, find_one
from sac_kafka.readable.names import with_labels
from sac_kafka.readable.objects import item_object, origins_object
from sac_kafka.readable.origins import FlowsByColumn, flows_by_column


def add_column_option(parser: argparse.ArgumentParser | argparse._ActionsContainer) -> None:
    """Add the option that names a column."""
    parser.add_argument(
        "--column",
        metavar="DATASET.COLUMN",
        help="only where this column comes from, through all messages; the end of the dataset's name will do",
    )


def write_json(told: Iterable[LineageProcess | CatalogChange], column: str | None) -> bool:
    """Write each as a JSON object, one a line, or the ways back from the column as one; says whether there was anything.

    Raises:
        SacKafkaError: The column is of none of the messages, or of several datasets.
    """
    if column:
        print_data_json(origins_object(*_asked(column, labelled(graph_of(told)))))
        return True
    is_any = False
    for each in mark_altered(told):
        is_any = True
        print_data_json_line(item_object(with_labels(each)))
    return is_any


def draw(told: Iterable[LineageProcess | CatalogChange], column: str | None) -> bool:
    """Draw them, or the ways back from the column; says whether there was anything to draw.

    Raises:
        SacKafkaError: The column is of none of the messages, or of several datasets.
    """
    drawn = _origins(told, column) if column else (line for one in mark_altered(told) for line in lines(one))
    is_any = False
    for line in drawn:
        is_any = True
        print_data(line, LINEAGE)
    return is_any


def _origins(told: Iterable[LineageProcess | CatalogChange], name: str) -> Iterator[str]:
    return origin_lines(*_asked(name, labelled(graph_of(told))))


def _asked(name: str, graph: LineageGraph) -> tuple[FlowsByColumn, LineageColumn]:
    """What is said of columns, and the one that is meant."""
    made = flows_by_column(graph)

    def names(column: LineageColumn) -> tuple[str, ...]:
        return column_names(column, graph.datasets[column.dataset].full_name)

    return made, find_one(name, made, names, f"--column {name}", "no message contains its lineage")
