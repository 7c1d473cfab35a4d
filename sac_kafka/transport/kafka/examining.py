"""Check Kafka brokers for `sac-kafka doctor`: network path, login, topic, write permission, maximum message size."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from sac_kafka.deadlines import Deadline
from sac_kafka.errors import NeedsDriverError, NeedsJvmClientError
from sac_kafka.masking import mask_line
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import KafkaClientType
from sac_kafka.transport.diagnostics.findings import Finding, Verdict, finding_of
from sac_kafka.transport.diagnostics.handshake import unverified_context
from sac_kafka.transport.diagnostics.way import Route, ServerPort, check_route
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.kafka.choosing import choose_client
from sac_kafka.transport.kafka.errors.rules import PROTOCOL
from sac_kafka.transport.kafka.librdkafka import trust_of
from sac_kafka.transport.kafka.librdkafka_queries import event_hubs_size, size
from sac_kafka.transport.kafka.settings.checking import protocol_of
from sac_kafka.transport.kafka.settings.event_hubs import is_event_hubs
from sac_kafka.transport.kafka.settings.librdkafka_settings import Translation, librdkafka_settings
from sac_kafka.transport.kafka.settings.reviewing import review

_SERVERS = "atlas.kafka.bootstrap.servers"
_PROTOCOL = "atlas.kafka.security.protocol"
_TLS_CHECK_SECONDS = 2.0
_CONFIG_SECONDS = 3.0
_MIN_RESPONSE_MS, _MAX_RESPONSE_MS = 1000, 8000
_NO_TLS = Finding(Verdict.WRONG, "tls", "")
_TLS_VERDICTS = (Verdict.GOOD, Verdict.DOUBT)


def examine(
    settings: Settings,
    timeout_seconds: float,
    driver: Driver | None,
    servers: list[str],
    naming: Callable[[Settings, str, str], str],
) -> Iterator[Finding]:
    """Check whether messages could be delivered, without sending one.

    Args:
        settings: The hook's settings.
        timeout_seconds: Timeout of all checks together.
        driver: The driver's JVM, None outside a driver.
        servers: The bootstrap servers in the settings.
        naming: Returns the name of the destination for the settings, a user and a protocol.

    Raises:
        ConfigurationError: The settings are invalid. Settings that require a driver or Java are reported as a finding.
    """
    reviewed, deadline = review(settings.kafka, settings.repeated), Deadline(timeout_seconds)
    try:
        if settings.kafka.client is KafkaClientType.JVM:
            raise NeedsJvmClientError("atlas.hook.spark.kafka.client = jvm")
        translation = librdkafka_settings(settings, driver)
    except (NeedsDriverError, NeedsJvmClientError) as error:
        rest = _check_java(settings, deadline, str(error), driver, servers)
        return chain(_warnings(settings, reviewed), rest)
    config = translation.config
    place = naming(settings, config.get("sasl.username", ""), config["security.protocol"].upper())
    warnings = _warnings(settings, (*reviewed, *translation.warnings))
    return chain(warnings, _check_broker(settings, deadline, place, translation, servers))


def _warnings(settings: Settings, warnings: tuple[str, ...]) -> Iterator[Finding]:
    return (Finding(Verdict.DOUBT, "connection", settings.source.add_place(warning)) for warning in warnings)


def _check_java(
    settings: Settings, deadline: Deadline, reason: str, driver: Driver | None, servers: list[str]
) -> Iterator[Finding]:
    """Run the checks that are possible without librdkafka: all before the login."""
    protocol, placed = protocol_of(settings.kafka.properties), settings.source.add_place(reason)
    if driver is not None:
        choose_client(settings, driver)  # raises if there is no Java client or the settings are invalid
    way = _way(servers, unverified_context if protocol.endswith("SSL") else None, is_judged=False)
    if not (yield from check_route(way, deadline)):
        return
    if driver is None:
        text = f"only a Spark driver can connect: {placed}; run in a driver: spark-submit $(sac-kafka runner) --doctor"
    else:
        text = f"the driver's own Kafka client logs in when it sends a message: add --send ({placed})"
    yield Finding(Verdict.UNKNOWN, "log-in", text)


def _check_broker(
    settings: Settings, deadline: Deadline, place: str, translation: Translation, servers: list[str]
) -> Iterator[Finding]:
    from sac_kafka.transport.kafka.librdkafka_queries import TopicListing, TopicProbe
    from sac_kafka.transport.kafka.probing import probe

    topic = settings.sink.topic
    encrypted = translation.config["security.protocol"].upper().endswith("SSL")
    bootstrap_servers = translation.config["bootstrap.servers"].split(",")
    way = _way(bootstrap_servers, (lambda: trust_of(translation.config)) if encrypted else None)
    if not (yield from check_route(way, deadline)):
        return
    seconds = deadline.left()
    config, is_hub = _with_response_timeout(translation.client_config(), seconds), is_event_hubs(servers)
    query = TopicListing(config, topic) if is_hub else TopicProbe(config, topic, seconds)
    result = probe(query, topic, place, seconds)
    problem = with_protocol(result.connection, settings.kafka.properties)
    if problem and not encrypted:
        problem = _tls_problem(way) or problem
    yield finding_of("log-in", problem, place)
    if result.topic is not None:
        yield finding_of(
            "topic", result.topic, f"{topic}, {result.partitions} partition{'s' * (result.partitions != 1)}"
        )
    if result.permission is not None:
        yield finding_of("permission", result.permission, "may write")
    elif result.topic == "":
        yield Finding(
            Verdict.SKIPPED, "permission", "this broker does not report permissions; send a test message with --send"
        )
    if result.topic == "" and isinstance(query, TopicProbe):
        yield size(settings, query.max_message_bytes(deadline.left(_CONFIG_SECONDS)))
    elif result.topic == "":
        yield event_hubs_size(settings)


def _way(servers: list[str], trust: Callable[[], ssl.SSLContext] | None, *, is_judged: bool = True) -> Route:
    return Route(
        servers=tuple(_server(server) for server in servers),
        address=_SERVERS,
        trust=trust,
        authority="atlas.kafka.ssl.truststore.location",
        unencrypted=f"set {_PROTOCOL} to PLAINTEXT or SASL_PLAINTEXT, or correct the port in {_SERVERS}",
        is_judged=is_judged,
    )


def _server(text: str) -> ServerPort:
    host, _, port = text.rpartition("://")[2].rpartition(":")
    return ServerPort(host.strip().strip("[]"), int(port))


def _with_response_timeout(config: dict[str, object], seconds: float) -> dict[str, object]:
    """Limit the wait for a broker that accepts connections but does not respond, so that it is reported in time."""
    response_ms = int(min(_MAX_RESPONSE_MS, max(_MIN_RESPONSE_MS, seconds * 1000 / 3)))
    return {**config, "api.version.request.timeout.ms": str(response_ms)}


def _tls_problem(way: Route) -> str:
    """Return the problem if the port, contacted without TLS, expects TLS; else ""."""
    with_tls = Route(servers=way.servers[:1], address=way.address, trust=unverified_context, is_judged=False)
    findings = check_route(with_tls, Deadline(_TLS_CHECK_SECONDS))
    if next((finding for finding in findings if finding.name == "tls"), _NO_TLS).verdict in _TLS_VERDICTS:
        return f"{way.servers[0]} expects TLS, but was contacted without it; set {_PROTOCOL} to SASL_SSL or SSL"
    return ""


def with_protocol(problem: str, kafka: Mapping[str, str]) -> str:
    """Insert the configured servers and protocol into a sentence, "" or one that recommends to check them."""
    servers = mask_line(kafka.get("bootstrap.servers", ""))
    if kafka.get("security.protocol", "").strip():
        fix = f"{servers} was contacted with {protocol_of(kafka)}: correct the port, or {_PROTOCOL}"
    else:
        fix = (
            f"{servers} was contacted with PLAINTEXT, because {_PROTOCOL} is not set: set it to SSL, SASL_SSL or "
            "SASL_PLAINTEXT, or correct the port"
        )
    return problem.replace(PROTOCOL, fix)
