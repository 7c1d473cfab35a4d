"""Chooses the Kafka client: librdkafka, or the driver's own `KafkaProducer` where the settings need Java.

`atlas.hook.spark.kafka.client` says which; with `auto` what librdkafka cannot do decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sac_kafka.config.choices import KafkaClientType
from sac_kafka.config.secrets import masked
from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.log import logger
from sac_kafka.settings import Settings
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.kafka.client import KafkaClient
from sac_kafka.transport.kafka.settings.connection_context import ConnectionContext
from sac_kafka.transport.kafka.settings.java_settings import java_settings
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings
from sac_kafka.transport.kafka.settings.reviewing import review

_SETTING = "atlas.hook.spark.kafka.client"
_CURE = "add Spark's Kafka connector: --packages org.apache.spark:spark-sql-kafka-0-10_<Scala>:<Spark version>"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenClient:
    """How a client is made, and what the transport enforces around it.

    `place` is what logs call the transport. `delivery_timeout_seconds` and `queue_bytes` are those of the settings
    (`delivery.timeout.ms`, `buffer.memory`).
    """

    make: Callable[[], KafkaClient]
    place: str
    delivery_timeout_seconds: float
    queue_bytes: int


def choose_client(settings: Settings, driver: Driver | None) -> ChosenClient:
    """Give the client that the settings name or need. Logs the warnings of their translation, and a choice of Java.

    Args:
        settings: The hook's.
        driver: The driver's JVM, None outside of one.

    Raises:
        ConfigurationError: The settings are wrong, or need a client that is not there.
    """
    for warning in review(settings.kafka, settings.repeated):
        logger.warning("%s", settings.source.placed(warning))
    if settings.kafka.client is KafkaClientType.JVM:
        return _java(settings, driver, f"{_SETTING} = jvm")
    try:
        return _librdkafka(settings, driver)
    except NeedsJvmClientError as error:
        reason = str(error).rstrip(" .;")
        if settings.kafka.client is KafkaClientType.LIBRDKAFKA:
            raise ConfigurationError(f"{reason}; set {_SETTING} to auto or jvm") from None
        chosen = _java(settings, driver, reason)
        logger.info("messages go through the driver's own Kafka client: %s", reason)
        return chosen


def _librdkafka(settings: Settings, driver: Driver | None) -> ChosenClient:
    translation = librdkafka_settings(settings, driver)
    for warning in translation.warnings:
        logger.warning("%s", settings.source.placed(warning))

    def make() -> KafkaClient:
        from sac_kafka.transport.kafka.librdkafka import LibrdkafkaClient

        return LibrdkafkaClient(translation.client_config())

    config = translation.config
    return ChosenClient(
        make=make,
        place=_place(config["bootstrap.servers"], config["security.protocol"]),
        delivery_timeout_seconds=translation.delivery_timeout_seconds,
        queue_bytes=translation.queue_bytes,
    )


def _java(settings: Settings, driver: Driver | None, reason: str) -> ChosenClient:
    if driver is None:
        raise ConfigurationError(f"{reason}: only a Spark driver has Kafka's Java client; send from one")
    if not driver.has_kafka_producer():
        raise ConfigurationError(
            f"{reason}: Kafka's Java client could do it, but is not on the driver's class path; {_CURE}"
        )
    kafka = settings.kafka
    java = java_settings(
        kafka.properties,
        kafka.jaas,
        driver.kerberos_login(),
        message_bytes=settings.content.message_max_bytes,
        context=ConnectionContext(kafka=kafka, topic=settings.sink.topic, driver=driver),
    )
    for warning in java.warnings:
        logger.warning("%s", settings.source.placed(warning))
    return ChosenClient(
        make=partial(driver.kafka_client, java.properties),
        place=_place(java.servers, java.protocol),
        delivery_timeout_seconds=java.delivery_timeout_seconds,
        queue_bytes=java.queue_bytes,
    )


def _place(servers: str, protocol: str) -> str:
    return f"kafka {masked('bootstrap.servers', servers)} ({protocol.upper()})"
