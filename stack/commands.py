"""Commands of `python -m stack`; `stack.__main__` reads their arguments."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from stack import background, topics
from stack.atlas import TOPICS, USER, AtlasServer, choose_atlas_ports
from stack.errors import StackError
from stack.files import tail, write_private
from stack.health import examine
from stack.jars import provide
from stack.java11 import provide_java11
from stack.kafka import CONNECTION_STRING_USER, KafkaBroker, choose_ports
from stack.local import PASSWORD, WORK, LocalPorts, as_table, client_properties, describe_kafka
from stack.properties import atlas_properties
from stack.web_application import provide_web_application

ATLAS_PASSWORD = "ATLAS_PASSWORD"
KAFKA_TIMEOUT_SECONDS = 300
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


def run_atlas(arguments: argparse.Namespace) -> None:
    """Run Atlas alone in the foreground until SIGTERM or Ctrl-C, on a running Kafka; its data is kept.

    The password of the user admin comes from the environment variable ATLAS_PASSWORD, else it is made and printed.
    """
    given = os.environ.get(ATLAS_PASSWORD)
    ports = choose_atlas_ports(arguments.atlas_port)
    atlas = AtlasServer(
        arguments.work, arguments.kafka, ports=ports, password=given, bind_host=arguments.bind, keep=True
    )
    started = time.monotonic()
    topics.wait_until_answers(arguments.kafka, KAFKA_TIMEOUT_SECONDS)
    for topic in TOPICS:
        topics.create_topic(arguments.kafka, topic)
    with atlas:
        password = f"that of {ATLAS_PASSWORD}" if given else atlas.credentials.password
        rows = {"Atlas": atlas.url, "user": USER, "password": password, "logs": str(atlas.layout.logs)}
        print(
            f"Atlas is ready after {time.monotonic() - started:.1f} s; Ctrl-C stops it.\n{as_table(rows)}", flush=True
        )
        while atlas.pid is not None:
            time.sleep(WATCH_SECONDS)
        raise StackError(f"Atlas has ended by itself. The end of {atlas.logs.output}:\n{tail(atlas.logs.output)}")


def run_fetch(arguments: argparse.Namespace) -> None:
    """Fetch what the servers need and do nothing else."""
    for server in arguments.servers:
        started = time.monotonic()
        print(f"{server}: {_FETCH[server]()} ({time.monotonic() - started:.1f} s)", flush=True)


def _fetch_kafka() -> str:
    got = provide()
    return f"{len(got.jars)} jars in {got.folder}, {got.way}"


def _fetch_atlas() -> str:
    return f"server in {provide_web_application()}, Java in {provide_java11().path.parents[1]}"


_FETCH = {"kafka": _fetch_kafka, "atlas": _fetch_atlas}
FETCHABLE = tuple(_FETCH)


def run_both(arguments: argparse.Namespace) -> None:
    """Run Kafka and Atlas in the foreground until SIGTERM or Ctrl-C."""
    background.run(arguments.work, _ports(arguments))


def run_up(arguments: argparse.Namespace) -> None:
    """Start Kafka and Atlas in the background and return once they are ready."""
    started = time.monotonic()
    print("starting Kafka and Atlas (half a minute; the first time 380 MB are fetched) …", flush=True)
    state = background.up(arguments.work, _ports(arguments))
    seconds = time.monotonic() - started
    print(f"Kafka and Atlas are ready after {seconds:.1f} s; `{_command('down', arguments.work)}` stops them.")
    print(as_table(state.rows))


def run_down(arguments: argparse.Namespace) -> None:
    """Stop what `up` has started."""
    print(background.down(arguments.work, wipe=arguments.wipe))


def run_status(arguments: argparse.Namespace) -> None:
    """Tell whether Kafka and Atlas run and how they are; exit status 0 only if they are well."""
    files = background.Files(arguments.work.absolute())
    state = background.read_state(files)
    if state is None:
        raise StackError(f"no stack runs in {files.work}; `{_command('up', arguments.work)}` starts one")
    health = examine(state)
    print(as_table(health.rows))
    if not health.healthy:
        raise StackError(f"not well; the supervisor's log is {files.log}")


def _description(kafka: KafkaBroker, properties: Path | None, seconds: float) -> str:
    rows = describe_kafka(kafka) | ({"properties": str(properties.absolute())} if properties else {})
    return f"Kafka is ready after {seconds:.1f} s; Ctrl-C stops it.\n{as_table(rows)}"


def _command(word: str, work: Path) -> str:
    """Return what does it to the stack of this folder: make knows but one."""
    return f"make stack-{word}" if work.absolute() == WORK.absolute() else f"python -m stack {word} --work {work}"


def _ports(arguments: argparse.Namespace) -> LocalPorts:
    return LocalPorts(arguments.plaintext_port, arguments.sasl_ssl_port, arguments.atlas_port)
