"""Resend existing messages of a file, a spool or a topic unchanged to another sink."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from sac_kafka.atlas.wire.reader import read
from sac_kafka.atlas.wire.splitting import parts
from sac_kafka.errors import ConfigurationError, MessageError
from sac_kafka.hook.dialects import is_purview
from sac_kafka.settings import Settings
from sac_kafka.settings.sinks import ClientType
from sac_kafka.tools.cli.configured import read_configured
from sac_kafka.tools.cli.input_lines import display_name
from sac_kafka.tools.cli.message_source import SPOOL, TOPIC, MessageFilter, messages_of_lines, read_messages
from sac_kafka.tools.cli.output import print_error, print_masked_json, suppressed_log
from sac_kafka.tools.cli.sending import send
from sac_kafka.tools.cli.skipped import SkippedMessages
from sac_kafka.tools.messages.reader import TopicMessage, UnreadableRecord, to_one_line
from sac_kafka.transport.base import Record
from sac_kafka.transport.factory import sink_of

_TYPE = "spark.atlas.client.type"
_KEY = "sac-kafka replay"
"""Key of messages without one: records of the same key keep their order on a topic with several partitions (R30)."""


def is_of_messages(where: str) -> bool:
    """Return whether a source certainly has messages; a file may also be a recording."""
    return where in (TOPIC, SPOOL) or Path(where).is_dir()


def is_message(first_line: str) -> bool:
    """Return whether a file with this first line has messages: a message is a JSON object, a recorded line a list."""
    return first_line.lstrip("\ufeff \t").startswith("{")


def send_messages(arguments: argparse.Namespace, lines: Iterable[str] | None, program: str) -> bool:
    """Send the messages; return whether all were read and delivered.

    Args:
        arguments: The parsed arguments of `sac-kafka replay`.
        lines: The lines of the file; None if the source is no file.
        program: Name of the command, for messages about skipped input.

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
    with SkippedMessages(place, program) as skipped, suppressed_log():
        sent = send(_records(found, settings, skipped), settings, arguments.timeout)
    if arguments.json:
        print_masked_json(sent.as_json())
    else:
        print_error(str(sent), program)
    return sent.is_all and not skipped.number


def _sink_settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the sink, with --to-file and --to-conf applied.

    Raises:
        ConfigurationError: They are invalid, or the sink is the topic that is read.
    """
    source = read_configured(arguments).settings if arguments.batch == TOPIC else None
    other = argparse.Namespace(
        conf_dir=None if arguments.to_file else arguments.conf_dir,
        file=arguments.to_file or arguments.file,
        conf=[*(() if arguments.to_file else arguments.conf), *arguments.to_conf, (_TYPE, arguments.to)],
    )
    settings = read_configured(other).settings
    if source is not None and settings.sink.client_type is ClientType.KAFKA and _target(source) == _target(settings):
        raise ConfigurationError(
            f"--to kafka: the topic {settings.sink.topic} is the source itself; name another topic with "
            "--to-conf atlas.notification.hook.topic.name=NAME, or another cluster with --to-file"
        )
    return settings


def _target(settings: Settings) -> tuple[str, str]:
    return settings.kafka.properties.get("bootstrap.servers", "").strip(), settings.sink.topic


def _records(
    found: Iterable[TopicMessage | UnreadableRecord], settings: Settings, skipped: SkippedMessages
) -> Iterator[Record]:
    for each in found:
        try:
            if isinstance(each, UnreadableRecord):
                raise MessageError(each.problem)
            read(each.text)  # what no server could read is not sent
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
