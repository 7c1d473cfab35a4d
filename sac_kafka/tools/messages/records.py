"""Read the records of a topic with the Kafka settings of the hook, or the waiting records of a spool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from sac_kafka.atlas.sent_names import TopicPlace
from sac_kafka.errors import NeedsDriverError, NeedsJvmClientError, SacKafkaError
from sac_kafka.masking import mask_setting
from sac_kafka.settings import Settings
from sac_kafka.tools.messages.reader import RawRecord, UnreadableRecord
from sac_kafka.transport.kafka.console_consumer import console_consumer, needs_file
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings
from sac_kafka.transport.spool.inspection import FileState, SpoolFile, inspect, messages

_FIX = "restore the file from a copy, or run the job again"


def read_topic(
    settings: Settings,
    timeout_seconds: float,
    since_ms: int | None = None,
    *,
    last: int | None = None,
    follow: bool = False,
    waiting: Callable[[], None] | None = None,
    piped_to: str = "sac-kafka tail -",
) -> Iterator[RawRecord]:
    """Yield the records of the topic in the settings.

    `last` is the number of newest records per partition. `waiting` is called several times per second while no record comes, and
    may raise to end the reading. `piped_to` is a command for the error of a topic that only Java can read.

    Raises:
        SacKafkaError: The topic cannot be read.
        ConfigurationError: The settings are wrong.
    """
    try:
        translation = librdkafka_settings(settings, None)
    except (NeedsDriverError, NeedsJvmClientError) as error:
        command = console_consumer(settings, is_endless=follow)
        raise SacKafkaError(
            f"only Kafka's Java client can read the topic ({error}); run {command} | {piped_to}{needs_file(settings)}"
        ) from None
    from sac_kafka.transport.kafka.consumer import TopicReader

    topic = settings.sink.topic
    broker = f"kafka {mask_setting('bootstrap.servers', translation.config['bootstrap.servers'])}"
    with TopicReader(translation.client_config(), topic, broker, timeout_seconds) as reader:
        for each in reader.read(since_ms, last=last, follow=follow, waiting=waiting):
            key = (each.key or b"").decode("utf-8", "replace")
            place, at = f"partition {each.partition} offset {each.offset}", TopicPlace(each.partition, each.offset)
            yield RawRecord(place, each.value, each.time_ms, key, at)


def read_spool(directory: Path) -> Iterator[RawRecord | UnreadableRecord]:
    """Yield the records of all messages in the directory, oldest file first; problems of a file follow its messages."""
    for file in inspect(directory):
        place = str(file.path.relative_to(directory))
        for kept in messages(file):
            key = (kept.record.key or b"").decode("utf-8", "replace")
            for value in kept.record.values:
                yield RawRecord(place, value, kept.record.created_ms or None, key)
        yield from _unread(file, place)


def _unread(file: SpoolFile, place: str) -> Iterator[UnreadableRecord]:
    if file.state is FileState.UNREADABLE:
        yield UnreadableRecord(place, "this is no file of a spool, or may not be read", _FIX)
    for _ in range(file.damaged):
        yield UnreadableRecord(place, "the message is damaged on the disk", _FIX)
