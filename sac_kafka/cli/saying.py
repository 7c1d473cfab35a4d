"""How commands speak: no line shows a known form of a secret, whatever argument, name or path it was pasted into.

What is read from messages (`show`, `spool show`) is data: there names such as `namespace:table@cluster` stay.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from sac_kafka.config.secrets import mask_line
from sac_kafka.readable.drawing import writable


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


def say(line: str) -> None:
    """Write a line, or some, to standard output, at once, however long: it is what was asked for."""
    for each in mask_line(line, len(line)).split("\n"):
        sys.stdout.write(f"{writable(each, sys.stdout.encoding)}\n")
    sys.stdout.flush()


def give(line: str) -> None:
    """Write a line of what was read from messages to standard output: that is data, names there stay as they are."""
    sys.stdout.write(f"{writable(line, sys.stdout.encoding)}\n")


def give_json(value: object) -> None:
    """Write a value to standard output, as indented JSON that is ASCII: whatever names hold, it steers no terminal."""
    sys.stdout.write(f"{json.dumps(value, indent=2)}\n")


def complain(line: str, program: str = "sac-kafka") -> None:
    """Write a line to standard error, with who speaks before it; what steers a terminal in it is escaped."""
    sys.stderr.write(f"{program}: {writable(mask_line(line), sys.stderr.encoding)}\n")
    sys.stderr.flush()


@contextmanager
def without_log() -> Iterator[None]:
    """Keep warnings that would be logged from standard error: the command says itself what is wrong."""
    handler, logger = logging.NullHandler(), logging.getLogger("sac_kafka")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
