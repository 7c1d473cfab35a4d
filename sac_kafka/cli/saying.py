"""How commands speak: no line shows a known form of a secret, whatever argument, name or path it was pasted into.

What is read from messages (`show`, `spool show`) is data: there names such as `namespace:table@cluster` stay.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from sac_kafka.cli import terminal
from sac_kafka.cli.looks import PLAIN, Look
from sac_kafka.cli.tables import Table, plain_lines
from sac_kafka.cli.waiting import make_room
from sac_kafka.config.secrets import mask_line
from sac_kafka.readable.drawing import writable

UNREAD = 141
"""The exit status where nobody reads any more: 128 + SIGPIPE, as shells tell it of a program that the signal has ended."""


class Parser(argparse.ArgumentParser):
    """A parser, and so those of its sub-commands, whose complaints about arguments show no secret in them.

    Each refuses what it does not know itself: a command names its own help, not that of all commands.
    """

    def parse_known_args(  # type: ignore[override]  # typeshed has an overload for each kind of namespace
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse, and leave nothing to the parser above."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        """Write the complaint, and where the usage stands, to standard error as one line, and exit with 2."""
        complain(f"{' '.join(message.split())}; see {self.prog} --help", self.prog)
        self.exit(2)


def say(line: str, look: Look = PLAIN) -> None:
    """Write a line, or some, to standard output, at once, however long: it is what was asked for.

    Args:
        line: The line, or lines; secrets in them are masked.
        look: What it is: it looks so where a person looks at it.
    """
    for each in mask_line(line, len(line)).split("\n"):
        give(each, look)
    sys.stdout.flush()


def give(line: str, look: Look = PLAIN) -> None:
    """Write a line of what was read from messages to standard output: that is data, names there stay as they are."""
    shown = writable(line, sys.stdout.encoding)
    if terminal.is_for_people(sys.stdout):
        make_room()
        terminal.write_line(shown, look, sys.stdout)
    else:
        give_text(f"{shown}\n")


def give_text(text: str) -> None:
    """Write a text to standard output as it is, such as a file that was asked for, or a message that is ASCII."""
    make_room()
    sys.stdout.write(text)


def give_table(table: Table, plain: Iterable[str]) -> None:
    """Write a table of what was read from messages to standard output; `plain` are its lines where no person looks."""
    if not terminal.is_for_people(sys.stdout):
        for line in plain:
            give(line)
        return
    make_room()
    terminal.write_table(table.with_cells(lambda cell: writable(cell, sys.stdout.encoding)), sys.stdout)


def say_table(table: Table) -> None:
    """Write a table of our own making to standard output, at once: secrets in it are masked."""
    masked = table.with_cells(lambda cell: mask_line(cell, len(cell)))
    give_table(masked, plain_lines(masked))
    sys.stdout.flush()


def give_json(value: object) -> None:
    """Write a value to standard output, as indented JSON that is ASCII: whatever names hold, it steers no terminal."""
    give_text(f"{json.dumps(value, indent=2)}\n")


def give_json_line(value: object) -> None:
    """Write a value as `give_json` does, in one line: where there is an object a line."""
    give_text(f"{json.dumps(value)}\n")


def masked_strings(value: object) -> object:
    """Give a value of what JSON can say with every text in it as `say` would show it."""
    if isinstance(value, str):
        return mask_line(value, len(value))
    if isinstance(value, Mapping):
        return {key: masked_strings(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [masked_strings(each) for each in value]
    return value


def say_json(value: object) -> None:
    """Write a value to standard output as `give_json` does, without secrets, at once: it is of our own making."""
    give_json(masked_strings(value))
    sys.stdout.flush()


def complain(line: str, program: str = "sac-kafka") -> None:
    """Write a line to standard error, with who speaks before it; what steers a terminal in it is escaped."""
    make_room()
    sys.stderr.write(f"{program}: {writable(mask_line(line), sys.stderr.encoding)}\n")
    sys.stderr.flush()


def leave_the_output() -> None:
    """See to it that the interpreter, when it ends, does not try again to write what is left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def without_log() -> Iterator[None]:
    """Keep warnings that would be logged from standard error: the command says itself what is wrong."""
    handler, logger = logging.NullHandler(), logging.getLogger("sac_kafka")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
