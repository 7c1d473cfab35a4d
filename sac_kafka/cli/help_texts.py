"""Help texts of commands, out of the docstrings of their modules."""

from __future__ import annotations

import argparse
from functools import partial


def description(doc: str | None) -> str:
    """Give a module's docstring as a command's description: without the command's name and the marks of code.

    >>> description('`sac-kafka x`: print what is in force, with `--all`.')
    'Print what is in force, with --all.'
    """
    text = (doc or "").partition("`: ")[2].replace("`", "")
    return text[:1].upper() + text[1:]


_EXAMPLES = "for example:"


class ExamplesFormatter(argparse.HelpFormatter):
    """Fills each paragraph to the width of the terminal, and keeps the lines of `examples`."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith(_EXAMPLES):
            return text
        return "\n\n".join(
            super(ExamplesFormatter, self)._fill_text(each, width, indent) for each in text.split("\n\n")
        )


def examples(*commands: str) -> str:
    """Give what stands below a command's help, for a parser that has the formatter above."""
    return "\n".join((_EXAMPLES, *(f"  sac-kafka {each}" for each in commands)))


def add_action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str, *commands: str
) -> argparse.ArgumentParser:
    """Add an action of a command, with the one sentence that its command's help and its own show of it, and examples."""
    return actions.add_parser(
        name,
        help=text,
        description=f"{text[:1].upper()}{text[1:]}.",
        epilog=examples(*commands),
        formatter_class=ExamplesFormatter,
    )


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], doc: str | None, text: str, *shown: str
) -> argparse.ArgumentParser:
    """Add a command that has no actions.

    Args:
        commands: Those that there are.
        doc: The docstring of its module, which begins with its name: the description.
        text: What the list of all commands says of it.
        shown: The examples, without `sac-kafka`; the first word of the first one is the command's name.
    """
    return commands.add_parser(
        shown[0].partition(" ")[0],
        help=text,
        description=description(doc),
        formatter_class=ExamplesFormatter,
        epilog=examples(*shown),
    )


def show_help_alone(command: argparse.ArgumentParser) -> None:
    """Have a command that is given without an action list its actions, as `sac-kafka` lists its commands."""
    command.set_defaults(run=partial(_show_help, command))


def _show_help(command: argparse.ArgumentParser, _: argparse.Namespace) -> int:
    command.print_help()
    return 0
