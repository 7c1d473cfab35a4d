"""Build the help texts of commands from the docstrings of their modules."""

from __future__ import annotations

import argparse
from functools import partial


def description(doc: str | None) -> str:
    """Return the description of a command from its module's docstring, without the command's name and backticks.

    >>> description('`sac-kafka x`: print the settings, with `--all`.')
    'Print the settings, with --all.'
    """
    text = (doc or "").partition("`: ")[2].replace("`", "")
    return text[:1].upper() + text[1:]


_EXAMPLES = "for example:"


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


_CONNECTION = "configuration and connection"


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
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str, *commands: str
) -> argparse.ArgumentParser:
    """Add an action to a command; `text` is its description in both help texts."""
    action = actions.add_parser(
        name,
        help=text,
        description=f"{text[:1].upper()}{text[1:]}.",
        epilog=examples(*commands),
        formatter_class=ExamplesFormatter,
    )
    action.set_defaults(program=action.prog)
    return action


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], doc: str | None, text: str, *shown: str
) -> argparse.ArgumentParser:
    """Add a command without actions; its parsed arguments have its name as `program`.

    `doc` is the docstring of its module, `shown` are examples; the first word of the first one is the command's name.

    Raises:
        ValueError: There is no example.
    """
    if not shown:
        raise ValueError(
            f"add an example, which starts with the command's name, to the call of add_command for {text!r}"
        )
    command = commands.add_parser(
        shown[0].partition(" ")[0],
        help=text,
        description=description(doc),
        formatter_class=ExamplesFormatter,
        epilog=examples(*shown),
    )
    command.set_defaults(program=command.prog)
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
