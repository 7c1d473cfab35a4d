"""`sac-kafka show`: print the lineage in messages as text.

SOURCE may be a file written with atlas.client.type = file, the output of a console consumer of the topic ATLAS_HOOK with one
message per line, the output of sac-kafka spool show, a spool or the topic itself. To see each message with its time, job and
user, use sac-kafka tail.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from sac_kafka.tools.cli.help_texts import ExamplesFormatter, description, examples
from sac_kafka.tools.cli.input_lines import display_name
from sac_kafka.tools.cli.message_source import add_source, lineage_of, read_messages
from sac_kafka.tools.cli.output import print_data, print_data_json, print_data_json_line, print_error
from sac_kafka.tools.cli.styles import LINEAGE
from sac_kafka.tools.graph.drawing import lines, origin_lines
from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.graph.labelling import labelled
from sac_kafka.tools.graph.name_lookup import column_names, find_one
from sac_kafka.tools.graph.objects import FlowsByColumn, flows_by_column, item_object, origins_object, other_sources
from sac_kafka.tools.messages.lineage import mark_altered
from sac_kafka.tools.messages.model import CatalogChange, LineageColumn, LineageProcess
from sac_kafka.tools.messages.names import with_labels


def add_column_option(parser: argparse.ArgumentParser | argparse._ActionsContainer) -> None:
    """Add the option that names a column."""
    parser.add_argument(
        "--column",
        metavar="DATASET.COLUMN",
        help="print only the sources of this column, through all messages; the end of the dataset's name is enough",
    )


def write_json(lineage: Iterable[LineageProcess | CatalogChange], column: str | None) -> bool:
    """Print each process and change as a JSON object, one per line, or the sources of the column as one object.

    Returns:
        Whether there was any lineage.

    Raises:
        SacKafkaError: The column is unknown or ambiguous.
    """
    if column:
        print_data_json(origins_object(*_find_column(column, labelled(graph_of(lineage)))))
        return True
    is_any = False
    for each in mark_altered(lineage):
        is_any = True
        print_data_json_line(item_object(with_labels(each)))
    return is_any


def draw(lineage: Iterable[LineageProcess | CatalogChange], column: str | None) -> bool:
    """Print the lineage, or the sources of the column, as text.

    Returns:
        Whether there was any lineage.

    Raises:
        SacKafkaError: The column is unknown or ambiguous.
    """
    drawn = _origins(lineage, column) if column else (line for one in mark_altered(lineage) for line in lines(one))
    is_any = False
    for line in drawn:
        is_any = True
        print_data(line, LINEAGE)
    return is_any


def _origins(lineage: Iterable[LineageProcess | CatalogChange], name: str) -> Iterator[str]:
    graph = labelled(graph_of(lineage))
    return origin_lines(*_find_column(name, graph), other_sources(graph))


def _find_column(name: str, graph: LineageGraph) -> tuple[FlowsByColumn, LineageColumn]:
    """Return the column lineage, and the column that the name refers to."""
    flows = flows_by_column(graph)

    def names(column: LineageColumn) -> tuple[str, ...]:
        return column_names(column, graph.datasets[column.dataset].full_name)

    return flows, find_one(name, flows, names, f"--column {name}", "no lineage of this column")


NOTHING = 1
_PROG = "sac-kafka show"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    show = commands.add_parser(
        "show",
        help="print the lineage in messages",
        description=description(__doc__),
        epilog=examples("show messages.jsonl --column sales.report.total", "show topic --json"),
        formatter_class=ExamplesFormatter,
    )
    add_source(show)
    add_column_option(show)
    show.add_argument(
        "--json",
        action="store_true",
        help="print each process and catalog change as a JSON object, one per line; with --column one object",
    )
    show.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the lineage; return 1 without any.

    Raises:
        SacKafkaError: The messages cannot be read, or the column is unknown or ambiguous.
    """
    place = display_name(arguments.source)
    shown = write_json if arguments.json else draw
    if shown(lineage_of(read_messages(arguments, arguments.source), place, _PROG), arguments.column):
        return 0
    print_error(f"{place} has no lineage", _PROG)
    return NOTHING
