"""Sink for Atlas' Kafka (`atlas.client.type=kafka`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sac_kafka.errors import NeedsDriverError, NeedsJvmClientError
from sac_kafka.masking import MASK, mask_setting, mask_value
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import KafkaClientType
from sac_kafka.transport.driver import Driver, KerberosLogin
from sac_kafka.transport.kafka.choosing import choose_client
from sac_kafka.transport.kafka.settings.checking import protocol_of
from sac_kafka.transport.kafka.settings.event_hubs import RECORD_BYTES, is_event_hubs
from sac_kafka.transport.kafka.settings.librdkafka_settings import BASE, librdkafka_settings
from sac_kafka.transport.kafka.settings.reviewing import review
from sac_kafka.transport.kafka.transport import KafkaTransport
from sac_kafka.transport.sinks.sink import Client, Peer, Row, Sink

if TYPE_CHECKING:
    from sac_kafka.stages.output import Position
    from sac_kafka.transport.diagnostics.findings import Finding


def _make(settings: Settings, driver: Driver | None) -> KafkaTransport:
    chosen = choose_client(settings, driver)
    return KafkaTransport(
        chosen.make,
        name=chosen.place,
        delivery_timeout_seconds=chosen.delivery_timeout_seconds,
        is_kept=settings.spool.enabled,
        queue_bytes=chosen.queue_bytes,
    )


def _servers(settings: Settings) -> list[str]:
    return [each.strip() for each in settings.kafka.properties.get("bootstrap.servers", "").split(",")]


def _place(settings: Settings, user: str = "", protocol: str = "") -> str:
    """Describe the target: `user` logs in with a password, `protocol` replaces that of the settings if it is known better."""
    how = protocol = protocol or protocol_of(settings.kafka.properties)
    if protocol.startswith("SASL_"):
        mechanism = settings.kafka.properties.get("sasl.mechanism", "").strip().upper() or "GSSAPI"
        how += f", {mechanism}{f' as {mask_value(user)}' if user else ''}"
    servers = mask_setting("bootstrap.servers", ",".join(_servers(settings)))
    return f"kafka {servers} ({how}), topic {mask_value(settings.sink.topic)}"


# ---- client of `sac-kafka config`


def _client(settings: Settings, is_all: bool) -> Client:
    reviewed = review(settings.kafka, settings.repeated)
    try:
        if settings.kafka.client is KafkaClientType.JVM:
            return _java_client(settings, "atlas.hook.spark.kafka.client = jvm", reviewed)
        translation = librdkafka_settings(settings, None)
    except NeedsDriverError as error:
        return Client(f"Kafka client: its settings can be shown in a driver only: {error}", warnings=reviewed)
    except NeedsJvmClientError as error:
        if settings.kafka.client is KafkaClientType.LIBRDKAFKA:
            raise
        return _java_client(settings, str(error), reviewed)
    config = translation.config
    shown = {key: text for key, text in config.items() if is_all or BASE.get(key) != text}
    rows = list(_rows(shown, translation.delivery_timeout_seconds))
    if translation.token is not None:
        rows.append(("oauth_cb", "a function that returns tokens", ""))
    return Client(
        "Kafka client: librdkafka, made with",
        tuple(rows),
        (*reviewed, *translation.warnings),
        _place(settings, config.get("sasl.username", ""), config["security.protocol"].upper()),
    )


def _java_client(settings: Settings, reason: str, reviewed: tuple[str, ...]) -> Client:
    """Describe the driver's own client, which gets the settings unchanged; only the driver may know its login."""
    from sac_kafka.transport.kafka.settings.java_settings import java_settings

    jaas = {key: text for key, text in settings.kafka.jaas.items() if text != MASK}
    java = java_settings(
        settings.kafka.properties,
        jaas,
        KerberosLogin(has_login_file=True),
        message_bytes=settings.content.message_max_bytes,
    )
    return Client(
        f"Kafka client: the driver's own KafkaProducer ({reason}), made with",
        tuple(_rows(java.properties, java.delivery_timeout_seconds)),
        (*reviewed, *java.warnings),
        place=_place(settings, protocol=java.protocol),
    )


def _rows(properties: Mapping[str, str], delivery_seconds: float) -> Iterator[Row]:
    """Yield the settings of a client. It retries for longer than the hook, which limits the time and keeps the order."""
    for key in sorted(properties):
        remark = f"the hook itself gives up after {delivery_seconds:g} s" if key == "delivery.timeout.ms" else ""
        yield key, mask_setting(key, properties[key]), remark


# ---- checks of `sac-kafka doctor`


def _examine(settings: Settings, timeout_seconds: float, driver: Driver | None) -> Iterator[Finding]:
    from sac_kafka.transport.kafka.examining import examine

    return examine(settings, timeout_seconds, driver, _servers(settings), _place)


def _confirm(
    settings: Settings, position: Position, value: bytes, timeout_seconds: float, driver: Driver | None
) -> Iterator[Finding]:
    from sac_kafka.transport.kafka.probing import confirm

    return confirm(settings, position, value, timeout_seconds, driver)


SINK = Sink(
    make=_make,
    describe=_place,
    address=lambda settings: ",".join(sorted(server.lower() for server in _servers(settings))),
    peer=Peer.BROKER,
    joins_parts=lambda settings: not is_event_hubs(_servers(settings)),  # Purview reads from them, and joins none
    record_bytes=lambda settings: RECORD_BYTES if is_event_hubs(_servers(settings)) else None,
    client=_client,
    examine=_examine,
    confirm=_confirm,
)
