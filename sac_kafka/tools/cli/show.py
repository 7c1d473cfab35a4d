"""`sac-kafka show`: print the lineage in messages as text.

SOURCE may be a file written with atlas.client.type = file, the output of a console consumer of the topic ATLAS_HOOK with one
message per line, the output of sac-kafka spool show, a spool or the topic itself. To see each message with its time, job and
user, use sac-kafka tail.
"""

from __future__ import annotations

import argparse

from sac_kafka.tools.cli.drawn import add_column_option, draw, write_json
from sac_kafka.tools.cli.help_texts import ExamplesFormatter, description, examples
from sac_kafka.tools.cli.input_lines import display_name
from sac_kafka.tools.cli.message_source import add_source, lineage_of, read_messages
from sac_kafka.tools.cli.output import print_error

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
