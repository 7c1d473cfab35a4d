"""What messages tell of, drawn on standard output: all of it, or where one column comes from."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from sac_kafka.cli.asked_for import the_one
from sac_kafka.readable.asked import column_names
from sac_kafka.readable.drawing import lines, ways, writable
from sac_kafka.readable.lineage import as_altered
from sac_kafka.readable.origins import made_of
from sac_kafka.readable.told import ToldChange, ToldProcess


def add_column_option(parser: argparse.ArgumentParser | argparse._ActionsContainer) -> None:
    """Add the option that names a column."""
    parser.add_argument(
        "--column",
        metavar="DATASET.COLUMN",
        help="only where this column comes from, through all messages; the end of the dataset's name will do",
    )


def draw(told: Iterable[ToldProcess | ToldChange], column: str | None) -> bool:
    """Draw them, or the ways back from the column; says whether there was anything to draw.

    Raises:
        SacKafkaError: The column is of none of the messages, or of several datasets.
    """
    drawn = _origins(told, column) if column else (line for one in as_altered(told) for line in lines(one))
    is_any = False
    for line in drawn:
        is_any = True
        print(writable(line, sys.stdout.encoding))  # noqa: T201 # what the command is for
    return is_any


def _origins(told: Iterable[ToldProcess | ToldChange], name: str) -> Iterator[str]:
    made = made_of(told)
    return ways(made, the_one(name, made, column_names, f"--column {name}", "no message says where it comes from"))
