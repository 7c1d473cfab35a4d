"""`sac-kafka show`: messages as lineage that a person can read.

Reads what `atlas.client.type = file` has written, what a consumer of ATLAS_HOOK prints one message a line, or the output
of `sac-kafka spool show`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from sac_kafka.cli.drawn import add_column_option, draw
from sac_kafka.cli.foreign_lines import lines, named
from sac_kafka.cli.help_texts import description
from sac_kafka.cli.saying import complain
from sac_kafka.errors import MessageError
from sac_kafka.figures import counted
from sac_kafka.readable.lineage import said
from sac_kafka.readable.told import ToldChange, ToldProcess

NOTHING = 1
_PROG = "sac-kafka show"
_CURE = "name a file of messages, one a line"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    show = commands.add_parser("show", help="draw the lineage that messages tell of", description=description(__doc__))
    show.add_argument("file", metavar="FILE", help="messages, one a line; - for standard input")
    add_column_option(show)
    show.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Draw them; exit status 1 if there is nothing to draw.

    Raises:
        SacKafkaError: The file cannot be read, or the column is of none of the messages or of several datasets.
    """
    if draw(_told(arguments.file), arguments.column):
        return 0
    complain(f"{named(arguments.file)} tells of no lineage", _PROG)
    return NOTHING


def _told(file: str) -> Iterator[ToldProcess | ToldChange]:
    """What the messages of a file say; lines that are none are counted on standard error."""
    unread = 0
    first = ""
    for number, line in enumerate(lines(file, _CURE), 1):
        for value in _values(line):
            try:
                yield from said(value)
            except MessageError as e:  # noqa: PERF203 one bad line is not the end
                unread += 1
                first = first or f"line {number}: {e}"
    if unread:
        complain(f"{counted(unread, 'message')} of {named(file)} could not be read; {first}", _PROG)


def _values(line: str) -> Iterator[str]:
    """The messages of a line: none, itself, or the values of a line of `sac-kafka spool show`."""
    if not line.strip():
        return
    if '"values"' not in line or '"reason"' not in line:
        yield line
        return
    try:
        kept = json.loads(line)
        values = kept["values"] if len(kept["values"]) == 1 else [line]
        yield from [value if isinstance(value, str) else json.dumps(value) for value in values]
    except (ValueError, KeyError, TypeError, RecursionError):
        yield line
