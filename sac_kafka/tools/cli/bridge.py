"""`sac-kafka bridge`: receive OpenLineage events, or read Unity Catalog, and send the lineage to the configured server.

Events come from files, standard input, HTTP clients or a Kafka topic; several inputs may be combined. With files that are not
followed, the command ends when all are read; otherwise it runs until it is interrupted. --unity-catalog is alone: it reads what
is new since the last run, and with --follow goes on.

Exit status: 0 success, 1 no lineage (of events), an event was rejected or a message was not delivered, 2 error.
"""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from sac_kafka.bridge.assembly import Bridge, assemble, directory_of, spare_collector
from sac_kafka.bridge.dead_letters import begin_replay
from sac_kafka.bridge.files import FilesInput, LinesInput
from sac_kafka.bridge.http_input import HttpInput, Listening
from sac_kafka.bridge.intake import Input
from sac_kafka.bridge.kafka_input import KafkaInput
from sac_kafka.bridge.source import REJECTED
from sac_kafka.bridge.unity.assembly import UnityBridge
from sac_kafka.bridge.unity.assembly import assemble as assemble_unity
from sac_kafka.errors import SacKafkaError
from sac_kafka.openlineage.open_runs import Waiting
from sac_kafka.settings import Settings
from sac_kafka.settings.unity import Unity
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.arguments import add, add_command, add_seconds, key_value
from sac_kafka.tools.cli.configured import add_options, read_with_options
from sac_kafka.tools.cli.input_lines import STANDARD_INPUT, read_lines
from sac_kafka.tools.cli.output import print_error, print_masked_json

NO = 1
_EXIT_SECONDS = 30.0
_WAIT_SECONDS = 0.2
_MAX_PORT = 65_535
_REPLAY = "replay"
_GROUP = "sac-kafka-bridge"
_REMEDY = "name a file of OpenLineage events"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    bridge = add_command(
        commands,
        run,
        "receive OpenLineage events",
        "bridge --file events.jsonl --conf atlas.client.type=console",
        "bridge --listen 127.0.0.1:5000 --conf atlas.client.type=console",
        "bridge --unity-catalog adb-1.2.azuredatabricks.net --follow --conf atlas.bridge.unity.warehouse=5f2c",
        "bridge replay",
    )
    add(
        bridge,
        f"source {STANDARD_INPUT}|{_REPLAY}",
        f"{STANDARD_INPUT}: read standard input; {_REPLAY}: read the events that earlier bridges have rejected",
        nargs="?",
        choices=(STANDARD_INPUT, _REPLAY),
    )
    add(bridge, "--file PATH …", "read a file with one event per line, or a directory of such files; repeatable")
    add(bridge, "--listen HOST:PORT", "receive events over HTTP (needs the extra bridge)")
    add(bridge, "--token-file FILE", "for --listen: the token that clients must send is in this file")
    add(bridge, "--tls-certificate FILE", "for --listen: PEM file of the server's certificate chain")
    add(bridge, "--tls-key FILE", "for --listen: PEM file of its key, if it is another file")
    add(bridge, "--kafka TOPIC", "receive events from a topic of the configured cluster")
    add(
        bridge,
        "--group GROUP",
        "for --kafka: the consumer group, whose members share the topic (default: %(default)s)",
        default=_GROUP,
    )
    add(
        bridge,
        "--unity-catalog WORKSPACE",
        "read the lineage tables of Unity Catalog in this workspace of Databricks (atlas.bridge.unity.…)",
    )
    add(bridge, "-f --follow", "wait for new lines, new files of directories, and new lineage")
    add(
        bridge,
        "--namespace-alias FROM=TO …",
        "read the namespace FROM of datasets as TO, such as another name of one broker; repeatable",
        type=_renaming,
    )
    waiting = Waiting()
    add_seconds(bridge, "--settle", waiting.settle, "how long a run that has ended waits for events that arrive late")
    add_seconds(bridge, "--idle", waiting.idle, "after how long without an event a run without an end is reported")
    add(bridge, "--json", "print the counts at the end as a JSON object")
    add_options(bridge, has_destination=False)


def _renaming(text: str) -> tuple[str, str]:
    """Parse `FROM=TO`.

    Raises:
        argparse.ArgumentTypeError: The text is not of this form.
    """
    before, after = key_value(text, "FROM=TO")
    if not after.strip():
        raise argparse.ArgumentTypeError("must be FROM=TO")
    return before, after.strip()


def run(arguments: argparse.Namespace) -> int:
    """Run the bridge until its inputs end, or it is interrupted.

    Raises:
        SacKafkaError: There is no input, an input cannot be read, or the configuration is invalid.
    """
    configured = read_with_options(arguments)
    settings = configured.settings
    inputs = [*_inputs(arguments, settings)]
    if arguments.unity_catalog:
        if inputs or arguments.source:
            raise SacKafkaError("--unity-catalog is the only input of a bridge: start another one for the events")
        return _run_unity(arguments, settings, Unity.of(configured.configuration))
    is_replay = arguments.source == _REPLAY
    if is_replay:
        replayed = begin_replay(directory_of(settings))
        inputs.append(FilesInput(replayed))
    if not inputs:
        raise SacKafkaError("no input: name --file, --listen, --kafka, --unity-catalog, or - for standard input")
    waiting = Waiting(settle=arguments.settle, idle=arguments.idle)
    bridge = assemble(settings, inputs, waiting, dict(arguments.namespace_alias), is_replay=is_replay)
    for input_ in inputs:
        if isinstance(input_, HttpInput):
            input_.counts = lambda: bridge.counts
            print_error(f"send events to {input_.address}/api/v1/lineage", arguments.program)
    _run_until_end(bridge)
    if is_replay and bridge.intake.is_over and bridge.worker.has_read_all:
        replayed.unlink()
    return _report(bridge, arguments)


def _run_unity(arguments: argparse.Namespace, settings: Settings, unity: Unity) -> int:
    """Read Unity Catalog; return the exit status.

    Raises:
        SacKafkaError: The configuration is wrong, or the workspace cannot be read.
    """
    bridge = assemble_unity(arguments.unity_catalog, unity, settings, is_endless=arguments.follow)
    _run_until_end(bridge)
    status = _report(bridge, arguments, is_empty_allowed=True)
    if bridge.source.problem:
        raise SacKafkaError(bridge.source.problem)
    return status


def _inputs(arguments: argparse.Namespace, settings: Settings) -> Iterator[Input]:
    if arguments.source == STANDARD_INPUT:
        yield LinesInput(lambda: read_lines(STANDARD_INPUT, _REMEDY), "standard input")
    for path in arguments.file:
        yield FilesInput(Path(path), follow=arguments.follow)
    if arguments.listen:
        yield HttpInput(_listening(arguments))
    if arguments.kafka:
        yield KafkaInput(settings, arguments.kafka, arguments.group, directory_of(settings))


def _listening(arguments: argparse.Namespace) -> Listening:
    """Return where to listen.

    Raises:
        SacKafkaError: The address or the file of the token is wrong.
    """
    host, _, port = arguments.listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > _MAX_PORT:
        raise SacKafkaError(f"--listen {arguments.listen}: not HOST:PORT, such as 127.0.0.1:5000")
    token = ""
    if arguments.token_file:
        try:
            token = Path(arguments.token_file).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SacKafkaError(f"--token-file {arguments.token_file}: {error}; name a file with the token") from None
        if not token:
            raise SacKafkaError(f"--token-file {arguments.token_file}: the file is empty; write the token into it")
    return Listening(
        host=host.strip("[]"),
        port=int(port),
        token=token,
        certificate=arguments.tls_certificate,
        key=arguments.tls_key,
    )


def _run_until_end(bridge: Bridge | UnityBridge) -> None:
    """Run the worker in a thread, so that a signal interrupts nothing that holds a lock."""
    requests: list[int] = []
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, lambda number, _frame: requests.append(number)) for each in signals]
    spare_collector()
    thread = threading.Thread(target=bridge.worker.run, name="sac-kafka-bridge", daemon=True)
    thread.start()
    try:
        while not bridge.worker.done.wait(_WAIT_SECONDS):
            if requests:
                requests.clear()
                bridge.worker.finish(_EXIT_SECONDS)
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
    thread.join(_EXIT_SECONDS)


def _report(bridge: Bridge | UnityBridge, arguments: argparse.Namespace, *, is_empty_allowed: bool = False) -> int:
    """Report what became of the events; return the exit status."""
    counts, messages = bridge.counts, bridge.worker.messages()
    processes = bridge.destinations[0].emitter.stats.processes
    if arguments.json:
        print_masked_json({"flows": processes, "counts": counts, "messages": dict(messages)})
    else:
        print_error(_summary(counts, processes), arguments.program)
    lost = messages["dropped"] + messages["rejected"] + messages["spooled"]
    has_rejected = any(reason.startswith(REJECTED) for reason in counts)
    return NO if lost or has_rejected or not (processes or is_empty_allowed) else 0


def _summary(counts: Mapping[str, int], processes: int) -> str:
    rest = "; ".join(f"{number} {reason}" for reason, number in sorted(counts.items()) if reason != "events")
    return f"{with_noun(counts.get('events', 0), 'event')}, {with_noun(processes, 'flow')}{rest and f'; {rest}'}"
