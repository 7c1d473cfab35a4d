"""The command line of the local stack, for the repository's root: `python -m stack up`, `python -m stack --help`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from stack import commands
from stack.errors import StackError
from stack.local import ATLAS_PORT, PLAINTEXT_PORT, SASL_SSL_PORT, WORK
from stack.ports import LOOPBACK


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the answer is the exit code."""
    arguments = _parser().parse_args(argv)
    signal.signal(signal.SIGTERM, _terminate)
    try:
        arguments.run(arguments)
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    return 0


def _terminate(_signal: int, _frame: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would interrupt the stopping
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m stack", description="Real servers as local processes.")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, summary: str, run: Callable[[argparse.Namespace], None], work: Path) -> argparse.ArgumentParser:
        command = subparsers.add_parser(name, help=summary, description=run.__doc__)
        command.add_argument(
            "--work", type=Path, default=work, metavar="DIR", help="everything it writes (%(default)s)"
        )
        command.set_defaults(run=run)
        return command

    up = add("up", "start Kafka and Atlas in the background", commands.run_up, WORK)
    down = add("down", "stop them", commands.run_down, WORK)
    down.add_argument("--wipe", action="store_true", help="remove their data too")
    add("status", "show their state", commands.run_status, WORK)
    both = add("run", "run Kafka and Atlas until Ctrl-C", commands.run_both, WORK)
    kafka = add("kafka", "run Apache Kafka alone until Ctrl-C", commands.run_kafka, WORK / "kafka")
    kafka.add_argument(
        "--properties", type=_file_to_write, metavar="FILE", help="write an atlas-application.properties for it"
    )
    atlas = add("atlas", "run Atlas alone, on a running Kafka, until Ctrl-C", commands.run_atlas, WORK / "atlas")
    atlas.add_argument("--kafka", default=f"localhost:{PLAINTEXT_PORT}", metavar="HOST:PORT", help="%(default)s")
    atlas.add_argument("--bind", default=LOOPBACK, metavar="ADDRESS", help="where to listen (%(default)s)")
    for command in (up, both, kafka):
        command.add_argument(
            "--plaintext-port", type=_port, default=PLAINTEXT_PORT, metavar="N", help="%(default)s; 0: any"
        )
        command.add_argument(
            "--sasl-ssl-port", type=_port, default=SASL_SSL_PORT, metavar="N", help="%(default)s; 0: any"
        )
    for command in (up, both, atlas):
        command.add_argument("--atlas-port", type=_port, default=ATLAS_PORT, metavar="N", help="%(default)s; 0: any")
    fetch = subparsers.add_parser("fetch", help="only fetch what they need", description=commands.run_fetch.__doc__)
    fetch.add_argument("servers", nargs="*", type=_server, default=["kafka"], metavar="SERVER", help="kafka, atlas")
    fetch.set_defaults(run=commands.run_fetch)
    return parser


def _file_to_write(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text} cannot be written: name a file in a directory that exists")
    return path


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is not a port")
    return port


def _server(text: str) -> str:
    if text not in commands.FETCHABLE:  # `choices` would refuse the default of a list
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(commands.FETCHABLE)}")
    return text


if __name__ == "__main__":
    sys.exit(main())
