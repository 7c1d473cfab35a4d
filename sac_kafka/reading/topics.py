"""The values of a topic's records, read by the client that the settings name, with the login that they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sac_kafka.atlas.sent_names import TopicPlace
from sac_kafka.config.secrets import masked
from sac_kafka.errors import NeedsDriverError, NeedsJvmClientError, SacKafkaError
from sac_kafka.reading.messages import RawRecord
from sac_kafka.settings import Settings
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings


def read_topic(
    settings: Settings,
    timeout_seconds: float,
    since_ms: int | None = None,
    *,
    last: int | None = None,
    follow: bool = False,
    waiting: Callable[[], None] | None = None,
) -> Iterator[RawRecord]:
    """Give the values of the topic of the settings.

    Args:
        settings: Those of the hook.
        timeout_seconds: After how long a broker counts as silent.
        since_ms: Records of this time and later, epoch milliseconds; None all that are there.
        last: At most so many of the newest records of each partition; None all.
        follow: Whether to wait for more, without an end.
        waiting: Is called a few times a second while nothing comes, and may raise to end it.

    Raises:
        SacKafkaError: The topic cannot be read.
        ConfigurationError: The settings are wrong.
    """
    try:
        translation = librdkafka_settings(settings, None)
    except (NeedsDriverError, NeedsJvmClientError) as error:
        raise SacKafkaError(f"only a Spark driver could read the topic: {error}") from None
    from sac_kafka.transport.kafka.consumer import TopicReader

    topic = settings.sink.topic
    broker = f"kafka {masked('bootstrap.servers', translation.config['bootstrap.servers'])}"
    with TopicReader(translation.client_config(), topic, broker, timeout_seconds) as reader:
        for each in reader.read(since_ms, last=last, follow=follow, waiting=waiting):
            key = (each.key or b"").decode("utf-8", "replace")
            place, at = f"partition {each.partition} offset {each.offset}", TopicPlace(each.partition, each.offset)
            yield RawRecord(place, each.value, each.time_ms, key, at)
