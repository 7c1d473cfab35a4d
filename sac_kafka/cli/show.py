"""`sac-kafka show`: messages as lineage that a person can read.

Reads all that is there: what atlas.client.type = file has written, what a consumer of ATLAS_HOOK prints one message a line,
the output of sac-kafka spool show, a spool, or the topic. `sac-kafka tail` shows messages one by one, with when and whose.
"""

from __future__ import annotations

import argparse

from sac_kafka.cli.drawn import add_column_option, draw, write_json
from sac_kafka.cli.help_texts import ExamplesFormatter, description, examples
from sac_kafka.cli.input_lines import display_name
from sac_kafka.cli.message_source import add_source, lineage_of, read_messages
from sac_kafka.cli.output import print_error

NOTHING = 1
_PROG = "sac-kafka show"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    show = commands.add_parser(
        "show",
        help="draw the lineage that messages tell of",
        description=description(__doc__),
        epilog=examples("show messages.jsonl --column sales.report.total", "show topic --json"),
        formatter_class=ExamplesFormatter,
    )
    add_source(show)
    add_column_option(show)
    show.add_argument(
        "--json",
        action="store_true",
        help="each process and change as a JSON object, one a line; with --column one object",
    )
    show.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Draw them; exit status 1 if there is nothing to draw.

    Raises:
        SacKafkaError: They cannot be read, or the column is of none of the messages or of several datasets.
    """
    place = display_name(arguments.source)
    shown = write_json if arguments.json else draw
    if shown(lineage_of(read_messages(arguments, arguments.source), place, _PROG), arguments.column):
        return 0
    print_error(f"{place} tells of no lineage", _PROG)
    return NOTHING
