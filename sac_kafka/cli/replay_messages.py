"""Sends messages that are there already once more, as they are: of a file, a spool or the topic, to the sink that is named."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from sac_kafka.atlas.wire.reader import read
from sac_kafka.atlas.wire.splitting import parts
from sac_kafka.cli.configured import read_configured
from sac_kafka.cli.input_lines import display_name
from sac_kafka.cli.message_source import SPOOL, TOPIC, MessageFilter, messages_of_lines, read_messages
from sac_kafka.cli.output import print_error, print_masked_json, suppressed_log
from sac_kafka.cli.sending import send
from sac_kafka.cli.skipped import SkippedMessages
from sac_kafka.dialects import is_purview
from sac_kafka.errors import ConfigurationError, MessageError
from sac_kafka.reading.messages import TopicMessage, UnreadableRecord, to_one_line
from sac_kafka.settings import Settings
from sac_kafka.settings.sinks import ClientType
from sac_kafka.transport.base import Record
from sac_kafka.transport.factory import sink_of

_TYPE = "spark.atlas.client.type"
_KEY = "sac-kafka replay"
"""Of messages without a key: what has one key keeps its order on a topic of several partitions (R30)."""


def is_of_messages(where: str) -> bool:
    """Whether the place has messages for sure; a file may hold a recorded batch as well."""
    return where in (TOPIC, SPOOL) or Path(where).is_dir()


def is_message(first_line: str) -> bool:
    """Whether a file with this first line holds messages: a line of a recorded batch is a list."""
    return first_line.lstrip("\ufeff \t").startswith("{")


def send_messages(arguments: argparse.Namespace, lines: Iterable[str] | None, program: str) -> bool:
    """Send them; says whether all were delivered.

    Args:
        arguments: Of `sac-kafka replay`.
        lines: Those of the file, None where the place is none.
        program: Who speaks.

    Raises:
        SacKafkaError: They cannot be read, or the sink's settings are wrong.
    """
    place = display_name(arguments.batch)
    if arguments.to is None:
        raise ConfigurationError(
            f"{place}: these are messages, no recorded batch: say by --to where they are sent; to look at them: "
            "sac-kafka show, sac-kafka tail"
        )
    wanted = MessageFilter(arguments.since)
    found = messages_of_lines(lines, wanted) if lines is not None else read_messages(arguments, arguments.batch, wanted)
    settings = _sink_settings(arguments)
    with SkippedMessages(place, program) as skipped, suppressed_log():
        sent = send(_records(found, settings, skipped), settings, arguments.timeout)
    if arguments.json:
        print_masked_json(sent.as_json())
    else:
        print_error(str(sent), program)
    return sent.is_all and not skipped.number


def _sink_settings(arguments: argparse.Namespace) -> Settings:
    """Those of the sink: --to-file and --to-conf where it is configured otherwise than what is read.

    Raises:
        ConfigurationError: They are wrong, or name the topic that is read.
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
            f"--to kafka: the topic {settings.sink.topic} would be sent to itself; name another one by "
            "--to-conf atlas.notification.hook.topic.name=NAME, or another cluster by --to-file"
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
    """In parts where it is too long for the sink, and whoever reads there puts parts together."""
    if not sink_of(settings).joins_parts(settings) or is_purview(settings):
        return (text.encode("ascii"),)
    content = settings.content
    return parts(text, max_bytes=content.message_max_bytes, compresses=content.message_compression)
