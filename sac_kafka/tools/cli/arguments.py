"""Add commands and their options: numbers, seconds and points in time, and help texts from the docstrings of modules."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from datetime import datetime, timezone
from functools import partial
from itertools import takewhile
from typing import Any

MAX = 1_000_000_000
"""The largest number that any command accepts."""
_MAX_SHOWN = 40
_MAX_SECONDS = 86_400
SINCE_HELP = "skip messages before this time: 30s, 5m, 2h or 7d ago, 2026-11-20 or 2026-11-20T09:00"
_AGO = re.compile(r"(\d{1,6})([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_EXAMPLES = "for example:"
_CONNECTION = "configuration and connection"
_Run = Callable[[argparse.Namespace], int]
"""Runs a command with its parsed arguments, and returns the exit status."""


def number(minimum: int, maximum: int = MAX) -> Callable[[str], int]:
    """Return a parser of a number in a range, for `type` of an argument.

    The parser raises argparse.ArgumentTypeError.
    """

    def parse(text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(maximum))
        value = int(text) if is_number else -1
        if not minimum <= value <= maximum:
            raise argparse.ArgumentTypeError(f"{text[:_MAX_SHOWN]!r} is not a number from {minimum} to {maximum}")
        return value

    return parse


def seconds(text: str) -> float:
    """Return the number of seconds.

    Raises:
        argparse.ArgumentTypeError: The text is no number, or out of range.
    """
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= _MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0 and up to {_MAX_SECONDS}")
    return value


def key_value(text: str, form: str = "KEY=VALUE") -> tuple[str, str]:
    """Parse a key, without blanks around it, and a value.

    Raises:
        argparse.ArgumentTypeError: The text is not of this form.
    """
    key, is_pair, value = text.partition("=")
    if not is_pair or not key.strip():
        raise argparse.ArgumentTypeError(f"must be {form}")  # the text may be a secret
    return key.strip(), value


def add(parser: argparse._ActionsContainer, words: str, text: str, **more: Any) -> None:  # noqa: ANN401 as argparse's
    """Add an argument: `name METAVAR`, `--flag`, `--option VALUE`, or `--option VALUE …`, which is repeatable.

    `text` is its help; `more` are further arguments of `add_argument`.
    """
    parts = words.split()
    names = [*takewhile(lambda part: part.startswith("-"), parts)] or parts[:1]
    metavar, *repeats = parts[len(names) :] or [""]
    if metavar:
        more["metavar"] = metavar
    elif names[0].startswith("-") and "choices" not in more:
        more["action"] = "store_true"
    if repeats:
        more |= {"action": "append", "default": []}
    parser.add_argument(*names, help=text, **more)


def add_seconds(parser: argparse._ActionsContainer, option: str, default: float, text: str) -> None:
    """Add an option of seconds, such as `--timeout`; the help names the default after the text."""
    add(parser, f"{option} SECONDS", f"{text} (default: %(default)g)", type=seconds, default=default)


def since(text: str, *, clock: Callable[[], float] = time.time) -> int:
    """Return the time in epoch milliseconds; a time without a zone is local time.

    Raises:
        argparse.ArgumentTypeError: The text is no duration and no date.
    """
    ago = _AGO.fullmatch(text.strip())
    if ago:
        return int(clock() * 1000) - int(ago[1]) * _SECONDS[ago[2]] * 1000
    try:
        found = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        return int(found.astimezone(timezone.utc).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time: use 30s, 5m, 2h or 7d, or 2026-11-20T09:00 (with Z for UTC)"
        ) from None


def description(doc: str | None) -> str:
    """Return the description of a command from its module's docstring, without the command's name and backticks.

    >>> description('`sac-kafka x`: print the settings, with `--all`.')
    'Print the settings, with --all.'
    """
    text = (doc or "").partition("`: ")[2].replace("`", "")
    return text[:1].upper() + text[1:]


class ExamplesFormatter(argparse.HelpFormatter):
    """Formatter that wraps each paragraph to the terminal's width, but keeps the lines of `examples`."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith(_EXAMPLES):
            return text
        return "\n\n".join(
            super(ExamplesFormatter, self)._fill_text(each, width, indent) for each in text.split("\n\n")
        )


def examples(*commands: str) -> str:
    """Return example commands as an epilog for `ExamplesFormatter`."""
    return "\n".join((_EXAMPLES, *(f"  sac-kafka {command}" for command in commands)))


def connection_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Return the group of the options that select the configuration and the server; the help has it last."""
    known = (action_group for action_group in parser._action_groups if action_group.title == _CONNECTION)
    return next(known, None) or parser.add_argument_group(_CONNECTION)


def is_connection_option(parser: argparse.ArgumentParser, action: argparse.Action) -> bool:
    """Return whether an action is one of `connection_options`."""
    return any(
        action in action_group._group_actions
        for action_group in parser._action_groups
        if action_group.title == _CONNECTION
    )


def add_action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, run: _Run, text: str, *commands: str
) -> argparse.ArgumentParser:
    """Add an action to a command; `text` is its description in both help texts, `commands` are examples."""
    action = actions.add_parser(
        name,
        help=text,
        description=f"{text[:1].upper()}{text[1:]}.",
        epilog=examples(*commands),
        formatter_class=ExamplesFormatter,
    )
    action.set_defaults(run=run, program=action.prog)
    return action


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    run: _Run,
    text: str,
    *shown: str,
    **more: Any,  # noqa: ANN401 as argparse's
) -> argparse.ArgumentParser:
    """Add a command without actions; its parsed arguments have its name as `program`.

    The docstring of the module of `run` describes it. `shown` are examples; the first word of the first one is the command's
    name. `more` are further arguments of `add_parser`.
    """
    command = commands.add_parser(
        shown[0].partition(" ")[0],
        help=text,
        description=description(sys.modules[run.__module__].__doc__),
        epilog=examples(*shown),
        **{"formatter_class": ExamplesFormatter, **more},
    )
    command.set_defaults(run=run, program=command.prog)
    return command


def add_group(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], doc: str | None, name: str, text: str
) -> argparse._SubParsersAction[argparse.ArgumentParser]:
    """Add a command with actions, which prints its help if none is given, and return its actions."""
    command = commands.add_parser(name, help=text, description=description(doc))
    command.set_defaults(run=partial(_show_help, command))
    return command.add_subparsers(metavar="ACTION")


def _show_help(command: argparse.ArgumentParser, _: argparse.Namespace) -> int:
    command.print_help()
    return 0
