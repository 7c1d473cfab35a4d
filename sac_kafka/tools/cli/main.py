"""The entry point of `sac-kafka`.

Exit status: 0 success, 1 negative result (such as a difference), 2 error, 141 output pipe closed (SIGPIPE).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module

from sac_kafka.errors import SacKafkaError, WrongValuesError
from sac_kafka.tools.cli.output import EXIT_PIPE_CLOSED, Parser, discard_output, print_error
from sac_kafka.tools.cli.progress import end_progress
from sac_kafka.version import __version__

FAILED = 2
_COMMANDS = (
    *("config", "coverage", "cost", "databricks", "diff", "doctor", "impact", "jar", "map", "pack", "replay"),
    *("run", "runner", "show", "spool", "tail", "types", "validate", "verify", "view"),
)
"""Sub-commands and their modules, in the order of the help."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a sub-command and return the exit status; errors are written to standard error, one line each."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    whole = parser(words[0] if words and words[0] in _COMMANDS else None)
    parsed = whole.parse_args(words)
    if parsed.run is None:
        whole.print_help()
        return 0
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
        return FAILED
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


@cache
def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all sub-commands, or of one, which avoids importing the modules of the others.

    Args:
        command: The name of the sub-command; None for all.
    """
    result: argparse.ArgumentParser = Parser(
        prog="sac-kafka",
        description="Run Spark jobs with lineage for Apache Atlas, and inspect, check and send lineage messages.",
    )
    result.add_argument("-V", "--version", action="version", version=f"sac-kafka {__version__}")
    result.set_defaults(run=None, is_job=False)
    commands = result.add_subparsers(metavar="COMMAND")
    for name in _COMMANDS if command is None else (command,):
        import_module(f"sac_kafka.tools.cli.{name}").add_to(commands)
    return result


if __name__ == "__main__":
    sys.exit(main())
