"""`sac-kafka show`: messages as lineage that a person can read.

Reads what `atlas.client.type = file` has written, what a consumer of ATLAS_HOOK prints one message a line, or the output
of `sac-kafka spool show`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from sac_kafka.cli.help_texts import description
from sac_kafka.cli.saying import complain
from sac_kafka.errors import MessageError, SacKafkaError
from sac_kafka.readable.drawing import lines, ways, writable
from sac_kafka.readable.lineage import Change, Column, Process, as_altered, said
from sac_kafka.readable.origins import Made, made_of

NOTHING = 1
_PROG = "sac-kafka show"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    show = commands.add_parser("show", help="draw the lineage that messages tell of", description=description(__doc__))
    show.add_argument("file", metavar="FILE", help="messages, one a line; - for standard input")
    show.add_argument(
        "--column",
        metavar="DATASET.COLUMN",
        help="only where this column comes from, through all messages; the end of the dataset's name will do",
    )
    show.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Draw them; exit status 1 if there is nothing to draw.

    Raises:
        SacKafkaError: The file cannot be read, or the column is of none of the messages or of several datasets.
    """
    told = _told(arguments.file)
    drawn = (
        _origins(list(told), arguments.column)
        if arguments.column
        else (line for one in as_altered(told) for line in lines(one))
    )
    nothing = True
    for line in drawn:
        nothing = False
        print(writable(line, sys.stdout.encoding))  # noqa: T201 # what the command is for
    if nothing:
        complain(f"{_named(arguments.file)} tells of no lineage", _PROG)
    return NOTHING if nothing else 0


def _told(file: str) -> Iterator[Process | Change]:
    """What the messages of a file say; lines that are none are counted on standard error."""
    unread = 0
    first = ""
    for number, line in _lines(file):
        for value in _values(line):
            try:
                yield from said(value)
            except MessageError as e:  # noqa: PERF203 one bad line is not the end
                unread += 1
                first = first or f"line {number}: {e}"
    if unread:
        complain(f"{unread} message{'s' if unread > 1 else ''} of {_named(file)} could not be read; {first}", _PROG)


def _named(file: str) -> str:
    return "standard input" if file == "-" else file


def _lines(file: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers."""
    try:
        if file == "-":
            yield from ((number, line) for number, line in enumerate(sys.stdin, 1) if line.strip())
            return
        with Path(file).open(encoding="utf-8", errors="replace") as opened:
            yield from ((number, line) for number, line in enumerate(opened, 1) if line.strip())
    except OSError as e:
        raise SacKafkaError(f"{file}: {e.strerror or e}; name a file of messages, one a line") from e


def _values(line: str) -> Iterator[str]:
    """The messages of a line: itself, or the values of a line of `sac-kafka spool show`."""
    if '"values"' not in line or '"reason"' not in line:
        yield line
        return
    try:
        kept = json.loads(line)
        values = kept["values"] if len(kept["values"]) == 1 else [line]
        yield from [value if isinstance(value, str) else json.dumps(value) for value in values]
    except (ValueError, KeyError, TypeError, RecursionError):
        yield line


def _origins(told: list[Process | Change], name: str) -> Iterator[str]:
    made = made_of(told)
    return ways(made, _asked(made, name))


def _asked(made: Made, name: str) -> Column:
    """The output column that a person means by `dataset.column`, or by the end of the dataset's name."""
    dataset, _, column = name.rpartition(".")
    same = [each for each in made if each.name == column]
    found = [each for each in same if each.dataset == dataset] or [
        each for each in same if not dataset or each.dataset.endswith(tuple(f"{mark}{dataset}" for mark in "./:"))
    ]
    if not found:
        near = _names(same)
        raise SacKafkaError(
            f"--column {name}: no message says where it comes from{f'; there is {near}' if near else ''}"
        )
    if len(found) > 1:
        raise SacKafkaError(f"--column {name}: several datasets have it, name one of {_names(found)}")
    return found[0]


def _names(columns: list[Column]) -> str:
    return writable(", ".join(sorted(f"{each.dataset}.{each.name}" for each in columns)[:3]), None)
