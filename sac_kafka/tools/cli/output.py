"""Write the output of commands, and parse their arguments, without showing secrets.

`print_masked…` and `print_error` mask anything that looks like a secret. `print_data…` write data of messages unmasked,
because names such as `namespace:table@cluster` look like URLs with a password.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn

from sac_kafka.masking import mask_line
from sac_kafka.settings.declarations.values import did_you_mean
from sac_kafka.tools.cli import terminal
from sac_kafka.tools.cli.arguments import is_connection_option
from sac_kafka.tools.cli.progress import hide_progress
from sac_kafka.tools.cli.styles import PLAIN, LineStyle
from sac_kafka.tools.cli.terminal import Table, plain_lines
from sac_kafka.tools.graph.drawing import writable

EXIT_PIPE_CLOSED = 141
"""Exit status if the output pipe was closed: 128 + SIGPIPE, as shells report a process that the signal has ended."""
_running = ["sac-kafka"]
"""The name of the command that runs, as one item."""


class Parser(argparse.ArgumentParser):
    """Argument parser without abbreviations. Its errors mask secrets, suggest the nearest name, and refer to `--help`."""

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401 as argparse's
        kwargs.setdefault("allow_abbrev", False)
        super().__init__(**kwargs)

    def parse_known_args(  # type: ignore[override]  # typeshed has an overload for each kind of namespace
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the arguments and reject unknown ones here, so that the error names this sub-command."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [
                option_string_action
                for option_string_action in self._option_string_actions
                if option_string_action.startswith("--")
            ]
            named = (each.partition("=") for each in unknown if each.startswith("--"))
            hint = next((found for name, _, _ in named if (found := did_you_mean(name, options))), "")
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return parsed, unknown

    def _get_formatter(self) -> argparse.HelpFormatter:
        """Return the formatter of usage and help, which have the options of the connection last."""
        self._actions.sort(key=partial(is_connection_option, self))
        return super()._get_formatter()

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401 as argparse's
        """Reject a value that is no choice, with the most similar one; all choices of a command are in its help."""
        if action.choices is None or value in action.choices:
            return
        names = [str(choice) for choice in action.choices]
        what, hint = repr(str(value)), did_you_mean(str(value), names)
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"unknown {str(action.metavar).lower()} {what}{hint}")
        raise argparse.ArgumentError(action, f"invalid choice: {what}; must be one of {', '.join(names)}{hint}")

    def error(self, message: str) -> NoReturn:
        """Write the error and how to get help to standard error in one line, and exit with status 2."""
        print_error(f"{' '.join(message.split())}; see {self.prog} --help", self.prog)
        self.exit(2)


def print_masked(lines: str, style: LineStyle = PLAIN) -> None:
    """Write one or more lines to standard output, untruncated and with secrets masked, and flush it."""
    for each in _mask_whole_line(lines).split("\n"):
        print_data(each, style)
    sys.stdout.flush()


def print_data(line: str, style: LineStyle = PLAIN) -> None:
    """Write a line of message data to standard output, unmasked; control characters are escaped."""
    escaped = writable(line, sys.stdout.encoding)
    if terminal.is_interactive(sys.stdout):
        hide_progress()
        terminal.write_line(escaped, style, sys.stdout)
    else:
        print_text(f"{escaped}\n")


def print_text(text: str) -> None:
    """Write a text to standard output unchanged; it must be safe for a terminal, such as JSON in ASCII."""
    hide_progress()
    sys.stdout.write(text)


def print_data_table(table: Table) -> None:
    """Write a table of message data to standard output, unmasked."""
    if not terminal.is_interactive(sys.stdout):
        for line in plain_lines(table):
            print_data(line)
        return
    hide_progress()
    terminal.write_table(table.with_cells(lambda cell: writable(cell, sys.stdout.encoding)), sys.stdout)


def print_masked_table(table: Table) -> None:
    """Write a table to standard output with secrets masked, and flush it."""
    print_data_table(table.with_cells(_mask_whole_line))
    sys.stdout.flush()


def print_data_json(value: object) -> None:
    """Write message data to standard output as indented JSON in ASCII, which cannot contain control characters."""
    print_text(f"{json.dumps(value, indent=2)}\n")


def print_data_json_line(value: object) -> None:
    """Write message data as one line of JSON."""
    print_text(f"{json.dumps(value)}\n")


def _mask_whole_line(text: str) -> str:
    return mask_line(text, len(text))


def mask_strings(value: object, mask: Callable[[str], str] = _mask_whole_line) -> object:
    """Return a JSON value with secrets masked in all its strings."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: mask_strings(each, mask) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [mask_strings(each, mask) for each in value]
    return value


def print_masked_json(value: object) -> None:
    """Write a value to standard output as indented JSON with secrets masked, and flush it."""
    print_data_json(mask_strings(value))
    sys.stdout.flush()


def start_command(name: str) -> None:
    """Note the command that runs, with which each line of `print_error` begins."""
    _running[0] = name


def print_error(line: str, program: str | None = None) -> None:
    """Write a line to standard error, with secrets masked and control characters escaped.

    It begins with the program, by default the command that runs.
    """
    hide_progress()
    sys.stderr.write(f"{program or _running[0]}: {writable(mask_line(line), sys.stderr.encoding)}\n")
    sys.stderr.flush()


def discard_output() -> None:
    """Redirect standard output to the null device, so that the interpreter's final flush does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def suppressed_log() -> Iterator[None]:
    """Keep the log of the hook off standard error while a command reports problems itself."""
    handler, logger = logging.NullHandler(), logging.getLogger("sac_kafka")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
