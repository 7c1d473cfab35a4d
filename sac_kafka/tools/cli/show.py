"""`sac-kafka show`: print the lineage in messages, the origins of a column, or the jobs that write and read a dataset.

The lineage is what a server holds after it has processed the messages; --all prints every message. SOURCE may be a file written
with atlas.client.type = file, the output of a console consumer of the topic ATLAS_HOOK with one message per line, the output of
sac-kafka spool show, a spool, the topic itself or an Atlas server. To see each message with its time, job and user, use
sac-kafka tail.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from sac_kafka.errors import SacKafkaError
from sac_kafka.model.facts import ENDED, FAILURE, ROWS_WRITTEN, STATUS
from sac_kafka.tools.cli.arguments import add, add_command
from sac_kafka.tools.cli.message_source import (
    LINEAGE_KEYWORDS,
    add_source,
    read_changes,
    read_graph,
    read_state,
    source_name,
)
from sac_kafka.tools.cli.output import print_data, print_data_json, print_data_json_line, print_data_table, print_error
from sac_kafka.tools.cli.styles import LINEAGE
from sac_kafka.tools.cli.terminal import Table, TableColumn
from sac_kafka.tools.graph.drawing import lines, origin_lines
from sac_kafka.tools.graph.graph import LineageGraph, graph_of, label_graph
from sac_kafka.tools.graph.name_lookup import column_names, find_dataset, find_one, matches
from sac_kafka.tools.graph.objects import (
    FlowsByColumn,
    accesses_object,
    flows_by_column,
    item_object,
    origins_object,
    other_sources,
    writers_and_readers,
)
from sac_kafka.tools.messages.lineage import mark_alterations
from sac_kafka.tools.messages.model import CatalogChange, LineageColumn, LineageProcess
from sac_kafka.tools.messages.names import with_labels
from sac_kafka.tools.messages.state import ServerState

NOTHING = 1
_COLUMNS = (
    *(TableColumn(title, is_right=False) for title in ("access", "job", "last run", "status")),
    TableColumn("rows written"),
    TableColumn("process", is_right=False),
)


def add_column_option(parser: argparse.ArgumentParser | argparse._ActionsContainer) -> None:
    """Add the option that names a column."""
    add(
        parser,
        "--column DATASET.COLUMN",
        "print only the sources of this column, through all messages; the end of the dataset's name is enough",
    )


def print_origins(state: ServerState, column: str, *, as_json: bool) -> None:
    """Print the sources of a column, as text or as one JSON object.

    Raises:
        SacKafkaError: The column is unknown or ambiguous.
    """
    graph = label_graph(graph_of(state.items()))
    flows, place = _find_column(column, graph)
    if as_json:
        print_data_json(origins_object(flows, place))
    else:
        for line in origin_lines(flows, place, other_sources(graph)):
            print_data(line, LINEAGE)


def write_json(lineage: Iterable[LineageProcess | CatalogChange]) -> bool:
    """Print each process and change as a JSON object, one per line; return whether there was any."""
    is_any = False
    for mark_alteration in mark_alterations(lineage):
        is_any = True
        print_data_json_line(item_object(with_labels(mark_alteration)))
    return is_any


def draw(lineage: Iterable[LineageProcess | CatalogChange]) -> bool:
    """Print the lineage as text; return whether there was any."""
    is_any = False
    for line in (line for one in mark_alterations(lineage) for line in lines(one)):
        is_any = True
        print_data(line, LINEAGE)
    return is_any


def _find_column(name: str, graph: LineageGraph) -> tuple[FlowsByColumn, LineageColumn]:
    """Return the column lineage, and the column that the name refers to."""
    flows = flows_by_column(graph)

    def names(column: LineageColumn) -> tuple[str, ...]:
        return column_names(column, graph.datasets[column.dataset].full_name)

    if not matches(name, flows, names) and (only_read := matches(name, graph.columns(), names)):
        raise SacKafkaError(
            f"--column {name}: {only_read[0]} is only read here, no process writes it; sac-kafka impact lists what depends on it"
        )
    return flows, find_one(name, flows, names, f"--column {name}", "no lineage of this column")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    show = add_command(
        commands,
        run,
        "print the lineage in messages, and the jobs of a dataset",
        "show messages.jsonl",
        "show messages.jsonl --column sales.report.total",
        "show topic --dataset sales.report --json",
    )
    add_source(show, keywords=LINEAGE_KEYWORDS)
    which = show.add_mutually_exclusive_group()
    add_column_option(which)
    add(
        which,
        "--dataset DATASET",
        "print only the jobs that write or read this dataset, with their last run; the end of its name is enough",
    )
    add(which, "--all", "print every message, not what a server holds after the last one")
    add(
        show,
        "--json",
        "print each process and catalog change as a JSON object, one per line; with --column or --dataset one object",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the lineage; return 1 without any.

    Raises:
        SacKafkaError: The messages cannot be read, or the column or dataset is unknown or ambiguous.
    """
    if arguments.dataset is not None:
        return _show_accesses(arguments)
    if arguments.column is not None:
        print_origins(read_state(arguments, arguments.source), arguments.column, as_json=arguments.json)
        return 0
    read = read_changes if arguments.all else _read_items
    if (write_json if arguments.json else draw)(read(arguments, arguments.source)):
        return 0
    print_error(f"{source_name(arguments, arguments.source)} has no lineage", arguments.program)
    return NOTHING


def _read_items(arguments: argparse.Namespace, source: str) -> Iterator[LineageProcess | CatalogChange]:
    return read_state(arguments, source).items()


def _show_accesses(arguments: argparse.Namespace) -> int:
    graph = label_graph(read_graph(arguments, arguments.source))
    dataset = find_dataset(graph, arguments.dataset, f"--dataset {arguments.dataset}")
    writers, readers = writers_and_readers(graph, dataset)
    if arguments.json:
        print_data_json(accesses_object(dataset, writers, readers))
    elif writers or readers:
        print_data(dataset, LINEAGE)
        rows = (*(_row("writes", writer) for writer in writers), *(_row("reads", reader) for reader in readers))
        print_data_table(Table(_COLUMNS, rows))
    if writers or readers:
        return 0
    print_error(f"{source_name(arguments, arguments.source)}: no job writes or reads {dataset}", arguments.program)
    return NOTHING


def _row(access: str, process: LineageProcess) -> tuple[str, ...]:
    ended, status, failure, rows = (each.read(process.attributes) for each in (ENDED, STATUS, FAILURE, ROWS_WRITTEN))
    return access, process.job or "-", ended, f"{status}: {failure}" if failure else status, rows, process.name
