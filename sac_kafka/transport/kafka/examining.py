"""What `sac-kafka doctor` finds at Kafka's brokers: the way there, the log-in, the topic, the right to write, its limit."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from sac_kafka.config.choices import KafkaClientType
from sac_kafka.config.secrets import mask_line
from sac_kafka.deadlines import Deadline
from sac_kafka.errors import NeedsDriverError, NeedsJvmClientError
from sac_kafka.settings import Settings
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.examining.findings import Finding, Verdict, finding_of
from sac_kafka.transport.examining.handshake import unverified_context
from sac_kafka.transport.examining.way import Route, ServerPort, check_route
from sac_kafka.transport.kafka.choosing import choose_client
from sac_kafka.transport.kafka.errors.broker_certificate import trust_of
from sac_kafka.transport.kafka.errors.rule import PROTOCOL
from sac_kafka.transport.kafka.settings.checking import protocol_of
from sac_kafka.transport.kafka.settings.event_hubs import is_event_hubs
from sac_kafka.transport.kafka.settings.librdkafka_settings import Translation, librdkafka_settings
from sac_kafka.transport.kafka.settings.reviewing import review
from sac_kafka.transport.kafka.topic_size import size, size_of_hub

_SERVERS = "atlas.kafka.bootstrap.servers"
_PROTOCOL = "atlas.kafka.security.protocol"
_LOOK_SECONDS = 2.0
_CONFIG_SECONDS = 3.0
_LEAST_SILENCE_MS, _MAX_SILENCE_MS = 1000, 8000


@dataclass(frozen=True, slots=True)
class _Asking:
    """Who asks, of what, until when; `place` is what the broker is called."""

    settings: Settings
    deadline: Deadline
    place: str

    @property
    def kafka(self) -> Mapping[str, str]:
        return self.settings.kafka.properties


def examine(
    settings: Settings,
    timeout_seconds: float,
    driver: Driver | None,
    servers: list[str],
    naming: Callable[[Settings, str, str], str],
) -> Iterator[Finding]:
    """Find out whether messages would get through, without sending one.

    Args:
        settings: The hook's.
        timeout_seconds: How long all of it may take.
        driver: The driver's JVM, None outside of one.
        servers: The bootstrap servers of the settings.
        naming: Says where messages go, of the settings, a user and a protocol.

    Raises:
        ConfigurationError: The settings are wrong; what a driver or Java is needed for is a finding.
    """
    reviewed, deadline = review(settings.kafka, settings.repeated), Deadline(timeout_seconds)
    try:
        if settings.kafka.client is KafkaClientType.JVM:
            raise NeedsJvmClientError("atlas.hook.spark.kafka.client = jvm")
        translation = librdkafka_settings(settings, driver)
    except (NeedsDriverError, NeedsJvmClientError) as error:
        asking = _Asking(settings, deadline, naming(settings, "", ""))
        rest = _through_java(asking, str(error), driver, servers)
        return chain(_warned(settings, reviewed), rest)
    config = translation.config
    place = naming(settings, config.get("sasl.username", ""), config["security.protocol"].upper())
    warned = _warned(settings, (*reviewed, *translation.warnings))
    return chain(warned, _broker(_Asking(settings, deadline, place), translation, servers))


def _warned(settings: Settings, warnings: tuple[str, ...]) -> Iterator[Finding]:
    return (Finding(Verdict.DOUBT, "connection", settings.source.placed(each)) for each in warnings)


def _through_java(asking: _Asking, why: str, driver: Driver | None, servers: list[str]) -> Iterator[Finding]:
    """As far as one gets without Java's client, or without a driver."""
    protocol, placed = protocol_of(asking.kafka), asking.settings.source.placed(why)
    if driver is not None:
        choose_client(asking.settings, driver)  # that there is one, and that it takes the settings
    way = _way(servers, unverified_context if protocol.endswith("SSL") else None, is_judged=False)
    for finding in check_route(way, asking.deadline):
        yield finding
        if finding.verdict is Verdict.WRONG:
            return
    if driver is None:
        text = f"only a Spark driver can connect: {placed}; ask there: spark-submit $(sac-kafka runner) --doctor"
    else:
        text = f"the driver's own Kafka client logs in with the first message: add --send ({placed})"
    yield Finding(Verdict.UNKNOWN, "log-in", text)


def _broker(asking: _Asking, translation: Translation, servers: list[str]) -> Iterator[Finding]:
    from sac_kafka.transport.kafka.librdkafka_questions import ListedTopic, TopicProbe
    from sac_kafka.transport.kafka.probing import probe

    settings, topic = asking.settings, asking.settings.sink.topic
    encrypted = translation.config["security.protocol"].upper().endswith("SSL")
    asked_servers = translation.config["bootstrap.servers"].split(",")
    way = _way(asked_servers, (lambda: trust_of(translation.config)) if encrypted else None)
    for finding in check_route(way, asking.deadline):
        yield finding
        if finding.verdict is Verdict.WRONG:
            return
    seconds = asking.deadline.left()
    config, is_hub = _patient(translation.client_config(), seconds), is_event_hubs(servers)
    asked = ListedTopic(config, topic) if is_hub else TopicProbe(config, topic, seconds)
    probed = probe(asked, topic, asking.place, seconds)
    problem = with_protocol(probed.connection, asking.kafka)
    if problem and not encrypted:
        problem = _speaks_tls(way) or problem
    yield finding_of("log-in", problem, asking.place)
    if probed.topic is not None:
        yield finding_of(
            "topic", probed.topic, f"{topic}, {probed.partitions} partition{'s' * (probed.partitions != 1)}"
        )
    if probed.permission is not None:
        yield finding_of("permission", probed.permission, "may write")
    elif probed.topic == "":
        yield Finding(Verdict.SKIPPED, "permission", "this broker does not tell; a message shows it: --send")
    if probed.topic == "" and isinstance(asked, TopicProbe):
        yield size(settings, asked.longest(asking.deadline.left(_CONFIG_SECONDS)))
    elif probed.topic == "":
        yield size_of_hub(settings)


def _way(servers: list[str], trust: Callable[[], ssl.SSLContext] | None, *, is_judged: bool = True) -> Route:
    return Route(
        servers=tuple(_server(each) for each in servers),
        address=_SERVERS,
        trust=trust,
        authority="atlas.kafka.ssl.truststore.location",
        unencrypted=f"set {_PROTOCOL} to PLAINTEXT or SASL_PLAINTEXT, or correct the port in {_SERVERS}",
        is_judged=is_judged,
    )


def _server(text: str) -> ServerPort:
    host, _, port = text.rpartition("://")[2].rpartition(":")
    return ServerPort(host.strip().strip("[]"), int(port))


def _patient(config: dict[str, object], seconds: float) -> dict[str, object]:
    """With a silence that ends in time to be told: librdkafka waits for a broker that says nothing."""
    silence_ms = int(min(_MAX_SILENCE_MS, max(_LEAST_SILENCE_MS, seconds * 1000 / 3)))
    return {**config, "api.version.request.timeout.ms": str(silence_ms)}


def _speaks_tls(way: Route) -> str:
    """Say that the port that was asked in clear speaks TLS, "" where it does not."""
    in_tls = Route(servers=way.servers[:1], address=way.address, trust=unverified_context, is_judged=False)
    if (
        next((each for each in check_route(in_tls, Deadline(_LOOK_SECONDS)) if each.name == "tls"), _NO_TLS).verdict
        in _IN_TLS
    ):
        return f"{way.servers[0]} speaks TLS, and was asked in clear; set {_PROTOCOL} to SASL_SSL or SSL"
    return ""


_NO_TLS = Finding(Verdict.WRONG, "tls", "")
_IN_TLS = (Verdict.GOOD, Verdict.DOUBT)


def with_protocol(problem: str, kafka: Mapping[str, str]) -> str:
    """Say in an error that sends its reader to port and protocol which ones these are.

    Args:
        problem: The sentence, "" where there is none.
        kafka: Settings of Kafka's client, without `atlas.kafka.`.
    """
    servers = mask_line(kafka.get("bootstrap.servers", ""))
    if kafka.get("security.protocol", "").strip():
        cure = f"{servers} was asked by {protocol_of(kafka)}: correct the port, or {_PROTOCOL}"
    else:
        cure = (
            f"{servers} was asked by PLAINTEXT, because {_PROTOCOL} is not set: set it to SSL, SASL_SSL or "
            "SASL_PLAINTEXT, or correct the port"
        )
    return problem.replace(PROTOCOL, cure)
