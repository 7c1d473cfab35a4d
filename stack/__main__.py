"""The command line of the local stack, for the repository's root: `python -m stack kafka`, `python -m stack fetch`."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from stack.errors import StackError
from stack.files import tail, write_private
from stack.jars import provide
from stack.kafka import CONNECTION_STRING_USER, KafkaBroker, choose_ports
from stack.properties import atlas_properties, login_module
from stack.server_properties import PLAIN_LOGIN_MODULE

WORK = Path("build/stack/kafka")
PLAINTEXT_PORT = 9092
SASL_SSL_PORT = 9093
TOPICS = ("ATLAS_HOOK", "ATLAS_ENTITIES")
NAMESPACE = "local"

# Fixed and public, so that the repository's template of atlas-application.properties fits: it guards a broker on
# loopback that anybody on this machine reaches without any password on the other port.
PASSWORD = "Endpoint=sb://localhost/;SharedAccessKeyName=local;SharedAccessKey=local-only-not-a-secret="
WATCH_SECONDS = 0.5


def client_properties(kafka: KafkaBroker) -> dict[str, str]:
    """Return the settings of atlas-application.properties that lead to the SASL_SSL listener of this broker."""
    user, password = kafka.credentials
    return {
        "atlas.metadata.namespace": NAMESPACE,
        "atlas.kafka.bootstrap.servers": kafka.bootstrap("SASL_SSL"),
        "atlas.kafka.security.protocol": "SASL_SSL",
        "atlas.kafka.sasl.mechanism": "PLAIN",
        "atlas.kafka.sasl.jaas.config": login_module(PLAIN_LOGIN_MODULE, {"username": user, "password": password}),
        "atlas.kafka.ssl.truststore.type": "PEM",
        "atlas.kafka.ssl.truststore.location": str(kafka.ca_file),
    }


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


def run_fetch(_arguments: argparse.Namespace) -> None:
    """Fetch the jars and do nothing else."""
    started = time.monotonic()
    got = provide()
    print(f"{len(got.jars)} jars in {got.folder} ({got.way}, {time.monotonic() - started:.1f} s)")


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
    user, password = kafka.credentials
    rows = {
        "PLAINTEXT": kafka.bootstrap("PLAINTEXT"),
        "SASL_SSL": f"{kafka.bootstrap('SASL_SSL')}   (mechanism PLAIN)",
        "user": user,
        "password": f"{password}   (local only)",
        "CA file": str(kafka.ca_file),
        "topics": ", ".join(TOPICS),
        "log": str(kafka.log),
        **({"properties": str(properties.absolute())} if properties else {}),
    }
    lines = "\n".join(f"  {name + ':':<12}{value}" for name, value in rows.items())
    return f"Kafka is ready after {seconds:.1f} s; Ctrl-C stops it.\n{lines}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m stack", description="Real servers as local processes.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    kafka = commands.add_parser("kafka", help="run Apache Kafka until Ctrl-C", description=run_kafka.__doc__)
    kafka.add_argument("--work", type=Path, default=WORK, metavar="DIR", help="data, logs, certificates (%(default)s)")
    kafka.add_argument("--plaintext-port", type=_port, default=PLAINTEXT_PORT, metavar="N", help="%(default)s; 0: any")
    kafka.add_argument("--sasl-ssl-port", type=_port, default=SASL_SSL_PORT, metavar="N", help="%(default)s; 0: any")
    kafka.add_argument("--properties", type=Path, metavar="FILE", help="write an atlas-application.properties for it")
    kafka.set_defaults(run=run_kafka)
    fetch = commands.add_parser("fetch", help="only fetch the jars", description=run_fetch.__doc__)
    fetch.set_defaults(run=run_fetch)
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is not a port")
    return port


if __name__ == "__main__":
    sys.exit(main())
