"""The entry point of `sac-kafka`.

Exit status: 0 done, 1 the answer is no (a difference was found), 2 it could not be done.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from sac_kafka.cli import config, spool, types
from sac_kafka.errors import SacKafkaError

FAILED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a sub-command and return the exit status; errors are one line on standard error."""
    parsed = parser().parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
    except SacKafkaError as error:
        print(f"sac-kafka: {error}", file=sys.stderr)  # noqa: T201 # a command speaks to who runs it
        return FAILED
    except KeyboardInterrupt:
        return FAILED
    except BrokenPipeError:  # who reads has seen enough, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return status


def parser() -> argparse.ArgumentParser:
    """The parser of all sub-commands."""
    result = argparse.ArgumentParser(
        prog="sac-kafka", description="Spark lineage to Apache Atlas: tools around the hook."
    )
    commands = result.add_subparsers(required=True, metavar="COMMAND")
    config.add_to(commands)
    spool.add_to(commands)
    types.add_to(commands)
    return result


if __name__ == "__main__":
    sys.exit(main())
