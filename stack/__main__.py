"""The command line of the local stack, for the repository's root: `python -m stack up`, `python -m stack --help`."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from stack import background
from stack.atlas import TOPICS
from stack.errors import StackError
from stack.files import tail, write_private
from stack.health import examine
from stack.jars import provide
from stack.java11 import provide_java11
from stack.kafka import CONNECTION_STRING_USER, KafkaBroker, choose_ports
from stack.local import (
    ATLAS_PORT,
    PASSWORD,
    PLAINTEXT_PORT,
    SASL_SSL_PORT,
    WORK,
    LocalPorts,
    as_table,
    client_properties,
    describe_kafka,
)
from stack.properties import atlas_properties
from stack.web_application import provide_web_application

WATCH_SECONDS = 0.5


def run_kafka(arguments: argparse.Namespace) -> None:
    """Run the broker in the foreground until SIGTERM or Ctrl-C."""
    ports = choose_ports(arguments.plaintext_port, arguments.sasl_ssl_port)
    kafka = KafkaBroker(arguments.work, ports=ports, passwords={CONNECTION_STRING_USER: PASSWORD})
    started = time.monotonic()
    with kafka:
        for topic in TOPICS:
            kafka.create_topic(topic)
        if arguments.properties:
            write_private(arguments.properties, atlas_properties(client_properties(kafka)))
        print(_description(kafka, arguments.properties, time.monotonic() - started), flush=True)
        while kafka.pid is not None:
            time.sleep(WATCH_SECONDS)
        raise StackError(f"Kafka has ended by itself. The end of {kafka.log}:\n{tail(kafka.log)}")


def run_fetch(arguments: argparse.Namespace) -> None:
    """Fetch the jars of Kafka, with --atlas the server and its Java too, and do nothing else."""
    started = time.monotonic()
    got = provide()
    print(f"{len(got.jars)} jars in {got.folder} ({got.way}, {time.monotonic() - started:.1f} s)")
    if arguments.atlas:
        print(f"Atlas in {provide_web_application()}, its Java in {provide_java11().path.parents[1]}")


def run_both(arguments: argparse.Namespace) -> None:
    """Run Kafka and Atlas in the foreground until SIGTERM or Ctrl-C."""
    background.run(arguments.work, _ports(arguments))


def run_up(arguments: argparse.Namespace) -> None:
    """Start Kafka and Atlas in the background and return once they are ready."""
    started = time.monotonic()
    print("starting Kafka and Atlas (half a minute; the first time 330 MB are fetched) …", flush=True)
    state = background.up(arguments.work, _ports(arguments))
    print(f"Kafka and Atlas are ready after {time.monotonic() - started:.1f} s; `make stack-down` stops them.")
    print(as_table(state.rows))


def run_down(arguments: argparse.Namespace) -> None:
    """Stop what `up` has started."""
    print(background.down(arguments.work, wipe=arguments.wipe))


def run_status(arguments: argparse.Namespace) -> None:
    """Tell whether Kafka and Atlas run and how they are; exit status 0 only if they are well."""
    files = background.Files(arguments.work.absolute())
    state = background.read_state(files)
    if state is None:
        raise StackError(f"no stack runs in {files.work}; `make stack-up` starts one")
    health = examine(state)
    print(as_table(health.rows))
    if not health.healthy:
        raise StackError(f"not well; the supervisor's log is {files.log}")


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


def _description(kafka: KafkaBroker, properties: Path | None, seconds: float) -> str:
    rows = describe_kafka(kafka) | ({"properties": str(properties.absolute())} if properties else {})
    return f"Kafka is ready after {seconds:.1f} s; Ctrl-C stops it.\n{as_table(rows)}"


def _ports(arguments: argparse.Namespace) -> LocalPorts:
    return LocalPorts(arguments.plaintext_port, arguments.sasl_ssl_port, arguments.atlas_port)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m stack", description="Real servers as local processes.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, summary: str, run: Callable[[argparse.Namespace], None], work: Path) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=run.__doc__)
        command.add_argument(
            "--work", type=Path, default=work, metavar="DIR", help="everything it writes (%(default)s)"
        )
        command.set_defaults(run=run)
        return command

    up = add("up", "start Kafka and Atlas in the background", run_up, WORK)
    down = add("down", "stop them", run_down, WORK)
    down.add_argument("--wipe", action="store_true", help="remove their data too")
    add("status", "tell how they are", run_status, WORK)
    both = add("run", "run Kafka and Atlas until Ctrl-C", run_both, WORK)
    kafka = add("kafka", "run Apache Kafka alone until Ctrl-C", run_kafka, WORK / "kafka")
    kafka.add_argument("--properties", type=Path, metavar="FILE", help="write an atlas-application.properties for it")
    for command in (up, both, kafka):
        command.add_argument(
            "--plaintext-port", type=_port, default=PLAINTEXT_PORT, metavar="N", help="%(default)s; 0: any"
        )
        command.add_argument(
            "--sasl-ssl-port", type=_port, default=SASL_SSL_PORT, metavar="N", help="%(default)s; 0: any"
        )
    for command in (up, both):
        command.add_argument("--atlas-port", type=_port, default=ATLAS_PORT, metavar="N", help="%(default)s; 0: any")
    fetch = commands.add_parser("fetch", help="only fetch what they need", description=run_fetch.__doc__)
    fetch.add_argument("--atlas", action="store_true", help="Atlas too")
    fetch.set_defaults(run=run_fetch)
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is not a port")
    return port


if __name__ == "__main__":
    sys.exit(main())
