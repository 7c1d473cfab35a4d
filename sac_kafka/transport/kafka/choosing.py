"""Choose the Kafka client: librdkafka, or the driver's own `KafkaProducer` if the settings require Java.

`atlas.hook.spark.kafka.client` selects the client. With `auto`, Java is used only for features that librdkafka lacks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.log import logger
from sac_kafka.masking import mask_setting
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import KafkaClientType
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.kafka.client import KafkaClient
from sac_kafka.transport.kafka.settings.context import ConnectionContext
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings
from sac_kafka.transport.kafka.settings.reviewing import review

_SETTING = "atlas.hook.spark.kafka.client"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenClient:
    """A factory of the chosen client, and the limits that the transport enforces.

    `place` is the name of the transport in logs. `delivery_timeout_seconds` and `queue_bytes` are the settings
    `delivery.timeout.ms` and `buffer.memory`.
    """

    make: Callable[[], KafkaClient]
    place: str
    delivery_timeout_seconds: float
    queue_bytes: int


def choose_client(settings: Settings, driver: Driver | None) -> ChosenClient:
    """Choose the client that the settings select or require; log warnings about the settings, and why Java is used.

    Raises:
        ConfigurationError: The settings are invalid, or require a client that is not available.
    """
    for warning in review(settings.kafka, settings.repeated):
        logger.warning("%s", settings.source.add_place(warning))
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
        logger.warning("%s", settings.source.add_place(warning))

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
        raise ConfigurationError(f"{reason}: this requires Kafka's Java client; run the command in a Spark driver")
    if not driver.has_kafka_producer():
        raise ConfigurationError(
            f"{reason}: this requires Kafka's Java client, which is not on the driver's class path; add "
            f"--packages {driver.kafka_connector()}, or without Maven the platform's kafka-clients-*.jar with --jars"
        )
    from sac_kafka.transport.kafka.settings.java_settings import java_settings

    kafka = settings.kafka
    java = java_settings(
        kafka.properties,
        kafka.jaas,
        driver.kerberos_login(),
        message_bytes=settings.content.message_max_bytes,
        context=ConnectionContext(kafka=kafka, topic=settings.sink.topic, driver=driver),
    )
    for warning in java.warnings:
        logger.warning("%s", settings.source.add_place(warning))
    return ChosenClient(
        make=partial(driver.kafka_client, java.properties),
        place=_place(java.servers, java.protocol),
        delivery_timeout_seconds=java.delivery_timeout_seconds,
        queue_bytes=java.queue_bytes,
    )


def _place(servers: str, protocol: str) -> str:
    return f"kafka {mask_setting('bootstrap.servers', servers)} ({protocol.upper()})"
