"""The entry point of `sac-kafka`.

Exit status: 0 success, 1 negative result (such as a difference), 2 error, 130 interrupted (Ctrl-C), 141 output pipe closed
(SIGPIPE).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module

from sac_kafka.errors import SacKafkaError, WrongValuesError
from sac_kafka.tools.cli.output import EXIT_PIPE_CLOSED, Parser, discard_output, print_error, start_command
from sac_kafka.tools.cli.progress import end_progress
from sac_kafka.version import __version__

FAILED = 2
INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 + SIGINT, as shells report a process that the signal has ended."""
_GROUPS = {
    "run a job": ("run", "runner", "jar", "pack", "databricks"),
    "look at lineage": ("show", "view", "impact", "diff", "coverage", "tail", "replay"),
    "check": ("doctor", "config", "map", "validate", "verify"),
    "operate": ("bridge", "emit", "spool", "types", "cost"),
}
"""Sub-commands, each with a module of its name, in the groups and the order of the help."""
_COMMANDS = tuple(name for names in _GROUPS.values() for name in names)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a sub-command and return the exit status; errors are written to standard error, one line each."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    start_command("sac-kafka")
    whole = parser(words[0] if words and words[0] in _COMMANDS else None)
    parsed = whole.parse_args(words)
    parsed.words = words
    if parsed.run is None:
        whole.print_help()
        return 0
    start_command(parsed.program)
    if parsed.is_job:  # exceptions of a job are not handled here
        own: int = parsed.run(parsed)
        return own
    try:
        status: int = parsed.run(parsed)
        sys.stdout.flush()
    except WrongValuesError as error:
        for sentence in error.sentences:
            print_error(sentence)
        return FAILED
    except SacKafkaError as error:
        print_error(str(error))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader has closed the pipe, as `| head` does
        discard_output()
        return EXIT_PIPE_CLOSED
    except OSError as error:  # the disk is full, or the terminal closed
        if error.filename is not None:
            raise
        discard_output()
        print_error(f"cannot write the output: {error.strerror}")
        return FAILED
    finally:
        end_progress()
    return status


class _Main(Parser):
    """The parser of the program, whose help has the sub-commands in groups."""

    def format_help(self) -> str:
        """Return the help: description, groups of commands, options."""
        helps = {
            choices_action.dest: choices_action.help or ""
            for action in _subparsers(self)
            for choices_action in action._choices_actions
        }
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for title, names in _GROUPS.items():
            formatter.start_section(title)
            formatter.add_arguments(argparse.Action([], name, metavar=name, help=helps.get(name)) for name in names)
            formatter.end_section()
        formatter.start_section("options")
        formatter.add_arguments(each for each in self._actions if each.option_strings)
        formatter.end_section()
        formatter.add_text("sac-kafka COMMAND --help has the options of a command, and examples.")
        return formatter.format_help()


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[argparse._SubParsersAction[argparse.ArgumentParser]]:
    return (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))


@cache
def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all sub-commands, or of one, which avoids importing the modules of the others."""
    result: argparse.ArgumentParser = _Main(
        prog="sac-kafka",
        description="Run Spark jobs with lineage for Apache Atlas, and inspect, check and send lineage messages.",
    )
    result.add_argument("-V", "--version", action="version", version=f"sac-kafka {__version__}")
    result.set_defaults(run=None, is_job=False, program="sac-kafka")
    commands = result.add_subparsers(metavar="COMMAND", parser_class=Parser)
    for name in _COMMANDS if command is None else (command,):
        import_module(f"sac_kafka.tools.cli.{name}").add_to(commands)
    return result


if __name__ == "__main__":
    sys.exit(main())
