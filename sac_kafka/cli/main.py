"""The entry point of `sac-kafka`.

Exit status: 0 done, 1 the answer is no (a difference was found), 2 it could not be done, 141 nobody reads to the end.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module

from sac_kafka.cli.output import EXIT_PIPE_CLOSED, Parser, discard_output, print_error
from sac_kafka.cli.progress import end_progress
from sac_kafka.errors import SacKafkaError, WrongValuesError
from sac_kafka.version import __version__

FAILED = 2
_COMMANDS = (
    *("config", "coverage", "cost", "databricks", "diff", "doctor", "impact", "map", "pack", "replay", "run"),
    *("runner", "show", "spool", "tail", "types", "validate", "verify", "view"),
)
"""The modules that have them, as the help lists them."""
_RENAMED = {"check": "doctor"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a sub-command and return the exit status; errors are one line on standard error, wrong values one each."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in _RENAMED:
        print_error(f"{words[0]} is called {_RENAMED[words[0]]} now: sac-kafka {_RENAMED[words[0]]}")
        return FAILED
    whole = parser(words[0] if words and words[0] in _COMMANDS else None)
    parsed = whole.parse_args(words)
    if parsed.run is None:
        whole.print_help()
        return 0
    if parsed.is_job:  # what it raises is its own
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
    except BrokenPipeError:  # who reads has seen enough, as with `| head`
        discard_output()
        return EXIT_PIPE_CLOSED
    except OSError as error:  # the disk is full, or the terminal gone
        if error.filename is not None:
            raise
        discard_output()
        print_error(f"the output cannot be written: {error.strerror}")
        return FAILED
    finally:
        end_progress()
    return status


@cache
def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of one sub-command, which loads no other's module, or of all; made once.

    Args:
        command: The name of the sub-command; None for all.
    """
    result: argparse.ArgumentParser = Parser(
        prog="sac-kafka", description="Tools around the hook that sends Spark lineage to Apache Atlas."
    )
    result.add_argument("-V", "--version", action="version", version=f"sac-kafka {__version__}")
    result.set_defaults(run=None, is_job=False)
    commands = result.add_subparsers(metavar="COMMAND")
    for name in _COMMANDS if command is None else (command,):
        import_module(f"sac_kafka.cli.{name}").add_to(commands)
    return result


if __name__ == "__main__":
    sys.exit(main())
