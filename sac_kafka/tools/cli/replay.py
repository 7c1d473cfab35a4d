"""`sac-kafka replay`: compute lineage from recorded Spark events, without Spark or Java; or resend messages.

A recording is a file written by a driver with atlas.hook.spark.record.path. It is replayed with the current configuration,
else with the defaults. Messages are sent only with --to. For Purview, record with the dialect purview, because
names depend on the session (Hive metastore, mounts, catalogs).

Messages of a file, a spool directory, spool or topic are resent to the sink given by --to, split by its limits. If the sink
is configured differently from the source, use --to-conf-file and --to-conf.

Exit status: 0 success, 1 no lineage, a line could not be replayed or a message was not delivered, 2 error.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from sac_kafka.atlas.wire.message import parts
from sac_kafka.atlas.wire.reader import read
from sac_kafka.errors import ConfigurationError, MessageError
from sac_kafka.hook.pipeline import now_ms
from sac_kafka.hook.plugins import loading as plugins
from sac_kafka.hook.recording import Damage, context_of_recording, read_first_line, replay_lines
from sac_kafka.hook.recording import records_of as records_of_recording
from sac_kafka.settings import Settings
from sac_kafka.settings.sinks import ClientType
from sac_kafka.stages.output import Outgoing
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.arguments import SINCE_HELP, add, add_command, add_seconds, since
from sac_kafka.tools.cli.configured import add_options, pair, read_with_options
from sac_kafka.tools.cli.input_lines import SkippedMessages, display_name, read_lines
from sac_kafka.tools.cli.message_source import SPOOL, TOPIC, MessageFilter, messages_of_lines, read_messages
from sac_kafka.tools.cli.output import print_error, print_masked_json, print_text, suppressed_log
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.cli.show import add_column_option, draw, print_origins
from sac_kafka.tools.messages.events import as_messages
from sac_kafka.tools.messages.lineage import parse_record
from sac_kafka.tools.messages.reader import TopicMessage, UnreadableRecord, to_one_line
from sac_kafka.tools.messages.state import ServerState
from sac_kafka.transport.base import Failure, FailureKind, Record, Transport
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.reader import is_purview

_CLIENT_TYPE = "spark.atlas.client.type"
NO = 1
_REMEDY = "name a file written with atlas.hook.spark.record.path"
_MAX_IN_FLIGHT = 100
_CLOSE_SECONDS = 1.0
_KEY = "sac-kafka replay"
"""Key of messages without one: records of the same key keep their order on a topic with several partitions (R30)."""


def send_messages(arguments: argparse.Namespace, lines: Iterable[str] | None) -> bool:
    """Send the messages; return whether all were read and delivered.

    `lines` are those of the file; None if the source is no file.

    Raises:
        SacKafkaError: The messages cannot be read, or the sink's settings are invalid.
    """
    place = display_name(arguments.batch)
    if arguments.to is None:
        raise ConfigurationError(
            f"{place}: messages, not a recording: use --to to send them, or sac-kafka show or sac-kafka tail to read them"
        )
    selection = MessageFilter(arguments.since)
    found = (
        messages_of_lines(lines, selection)
        if lines is not None
        else read_messages(arguments, arguments.batch, selection)
    )
    settings = _sink_settings(arguments)
    with SkippedMessages(place, arguments.program) as skipped, suppressed_log():
        sent = send(records_of(found, settings, skipped), settings, arguments.timeout)
    _report(sent, arguments)
    return sent.is_all and not skipped.number


def _report(sent: Delivery, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_masked_json(sent.as_json())
    else:
        print_error(str(sent), arguments.program)


def _sink_settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the sink, with --to-conf-file, --destination and --to-conf applied.

    --destination is one of the sink's file, unless it is that of the topic or spool in the source's file.

    Raises:
        ConfigurationError: They are invalid, or the sink is the topic that is read.
    """
    source = read_with_options(arguments).settings if arguments.batch == TOPIC else None
    other = argparse.Namespace(
        conf_dir=None if arguments.to_conf_file else arguments.conf_dir,
        conf_file=arguments.to_conf_file or arguments.conf_file,
        conf=() if arguments.to_conf_file else arguments.conf,
        destination=None if arguments.to_conf_file and arguments.batch in (TOPIC, SPOOL) else arguments.destination,
    )
    settings = read_with_options(other, over=(*arguments.to_conf, (_CLIENT_TYPE, arguments.to))).settings
    if source is not None and settings.sink.client_type is ClientType.KAFKA and _target(source) == _target(settings):
        raise ConfigurationError(
            f"--to kafka: the topic {settings.sink.topic} is the source itself; name another topic with "
            "--to-conf atlas.notification.hook.topic.name=NAME, or another cluster with --to-conf-file"
        )
    return settings


def _target(settings: Settings) -> tuple[str, str]:
    return settings.kafka.properties.get("bootstrap.servers", "").strip(), settings.sink.topic


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    replay = add_command(
        commands,
        run,
        "compute lineage from a recording, or resend messages",
        "replay batch.txt --column sales.report.total",
        "replay topic --to kafka --to-conf-file other/atlas-application.properties --since 2h",
    )
    add(
        replay,
        "batch RECORDING|SOURCE",
        "a recording or a file of messages, - for standard input; or a spool directory, spool or topic",
    )
    form = replay.add_mutually_exclusive_group()
    add_column_option(form)
    add(
        replay,
        "--json",
        "print the messages, one per line; with --column the column's sources, with --to the result of sending, as one JSON "
        "object",
    )
    add(
        form,
        "--to",
        "send the messages to a sink of this type, as configured, without spooling undelivered ones",
        choices=[each.value for each in ClientType if each is not ClientType.MEMORY],
    )
    add_seconds(replay, "--timeout", 60.0, "with --to: maximum time to wait for an answer of the server")
    add(replay, "--since TIME", f"for messages: {SINCE_HELP}", type=since)
    add(replay, "--to-conf-file FILE", "for messages: configuration file of the sink, if it differs from the source's")
    add(
        replay,
        "--to-conf KEY=VALUE …",
        "for messages: a setting for the sink only, such as atlas.notification.hook.topic.name=OTHER",
        type=pair,
    )
    add_options(replay)


def run(arguments: argparse.Namespace) -> int:
    """Replay the recording, or send the messages.

    Raises:
        SacKafkaError: The file cannot be read or is no recording, the configuration is invalid, or the column is unknown.
    """
    if arguments.batch in (TOPIC, SPOOL) or Path(arguments.batch).is_dir():
        return 0 if send_messages(arguments, None) else NO
    text = read_lines(arguments.batch, _REMEDY)
    first = next(text, "")
    if first.lstrip("\ufeff \t").startswith("{"):  # a message is an object, a line of a recording a list
        return 0 if send_messages(arguments, chain([first], text)) else NO
    sink = arguments.to or ClientType.MEMORY.value  # without --to no server is needed
    settings = read_with_options(arguments, over=((_CLIENT_TYPE, sink),)).settings
    plugins.load()  # the recording may need a plug-in that the driver had
    damage = Damage()
    place = display_name(arguments.batch)
    application, session = read_first_line(first, place, _REMEDY)
    context = context_of_recording(application, settings)
    # Without --to the time of messages is 0, so that two replays can be compared.
    clock = now_ms if arguments.to else lambda: 0
    messages = replay_lines(context, text, settings, damage.guard, clock, session=session)
    if arguments.to:
        is_done = _send(records_of_recording(messages, context, now_ms), settings, arguments)
    else:
        is_done = (_print if arguments.json and not arguments.column else _draw)(messages, arguments)
    if str(damage):
        print_error(f"{display_name(arguments.batch)}: {damage}", arguments.program)
    elif not (is_done or arguments.to):
        print_error(f"{display_name(arguments.batch)} has no lineage", arguments.program)
    return 0 if is_done and not str(damage) else NO


def _draw(messages: Iterator[Outgoing], arguments: argparse.Namespace) -> bool:
    if arguments.column is None:
        return draw(item for message in messages for item in parse_record(message.value.encode()))
    state = ServerState()
    for value in as_messages(message.value.encode() for message in messages):
        state.apply(read(value).notification)
    print_origins(state, arguments.column, as_json=arguments.json)
    return True


def _print(messages: Iterator[Outgoing], _: argparse.Namespace) -> bool:
    is_any = False
    for message in messages:
        is_any = True
        print_text(f"{message.value}\n")  # ASCII without line ends
    return is_any


def _send(records: Iterator[Record], settings: Settings, arguments: argparse.Namespace) -> bool:
    with suppressed_log():
        sent = send(records, settings, arguments.timeout)
    _report(sent, arguments)
    return sent.is_all


class Delivery:
    """Outcome of sending records to the sink `name`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._delivered = 0
        self._lost: Counter[tuple[str, str]] = Counter()
        self.in_flight = 0
        self.is_over = False
        """True once a record has failed for a reason that applies to all following records."""

    def __str__(self) -> str:
        """Return the number of delivered records and the reasons of failures in one line."""
        lost = (f"; {count} {what}: {why}" for (what, why), count in self._lost.items())
        return f"{with_noun(self._delivered, 'message')} delivered to {self._name}{''.join(lost)}"

    def as_json(self) -> dict[str, object]:
        """Return the same as a JSON object."""
        lost = [{"messages": count, "what": what, "why": why} for (what, why), count in self._lost.items()]
        return {"to": self._name, "delivered": self._delivered, "lost": lost}

    @property
    def is_all(self) -> bool:
        """Return whether there were any records, and all were delivered."""
        return self._delivered > 0 and not self._lost

    def send(self, transport: Transport, record: Record) -> None:
        """Hand a record to the transport."""
        self.in_flight += 1
        transport.send(record, self._settle)

    def give_up(self) -> None:
        """Count a record that was not sent because an earlier one failed."""
        self._lost["not sent", "an earlier message failed"] += 1

    def _settle(self, failure: Failure | None) -> None:
        self.in_flight -= 1
        if failure is None:
            self._delivered += 1
            return
        is_refused = failure.kind is FailureKind.REJECTED
        self.is_over |= not is_refused
        self._lost["rejected" if is_refused else "not delivered", failure.reason] += 1


def send(records: Iterable[Record], settings: Settings, timeout_seconds: float) -> Delivery:
    """Send records in order, until one fails for a reason that applies to all following records.

    Raises:
        ConfigurationError: The settings of the sink are invalid, or need a Spark driver.
    """
    transport = make_transport(settings)
    sent = Delivery(transport.name)
    with ExitStack() as at_the_end:
        at_the_end.callback(transport.close, _CLOSE_SECONDS)
        shown = at_the_end.enter_context(show_progress(f"sending to {transport.name}", "message"))
        for record in records:
            if sent.is_over:
                sent.give_up()
                continue
            sent.send(transport, record)
            shown.add()
            if sent.in_flight >= _MAX_IN_FLIGHT:
                sent.is_over |= bool(transport.flush(timeout_seconds))
        if not sent.is_over:
            transport.flush(timeout_seconds)
    return sent


def records_of(
    found: Iterable[TopicMessage | UnreadableRecord], settings: Settings, skipped: SkippedMessages
) -> Iterator[Record]:
    """Yield the records of messages for the configured sink; those that no server could read are skipped."""
    for each in found:
        try:
            if isinstance(each, UnreadableRecord):
                raise MessageError(each.problem)
            if each.is_event:
                raise MessageError("an OpenLineage event: send it with sac-kafka bridge --file")
            read(each.text)
            skipped.add_read()
        except MessageError as error:
            skipped.add(each.place, str(error))
            continue
        text = to_one_line(each.text)
        values = _values(text, settings)
        yield Record(settings.sink.topic, (each.key or _KEY).encode(), values, created_ms=each.time_ms or 0)


def _values(text: str, settings: Settings) -> tuple[bytes, ...]:
    """Return the record values of a message: split to the size limit, if the consumer of the sink can join parts."""
    if not sink_of(settings).joins_parts(settings) or is_purview(settings):
        return (text.encode("ascii"),)
    content = settings.content
    return parts(text, max_bytes=content.message_max_bytes, compresses=content.message_compression)
