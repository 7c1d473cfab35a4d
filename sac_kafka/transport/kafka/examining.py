"""Check Kafka brokers for `sac-kafka doctor`: network path, login, topic, write permission, maximum message size, arrival.

Errors are explained by the same rules as those of the transport. Only `confirm` needs a message that was sent.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from sac_kafka.deadlines import Deadline
from sac_kafka.errors import ConfigurationError, NeedsDriverError, NeedsJvmClientError
from sac_kafka.masking import mask_line
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import KafkaClientType
from sac_kafka.transport.base import Failure, Position
from sac_kafka.transport.diagnostics.clocks import clock_finding
from sac_kafka.transport.diagnostics.findings import Finding, Verdict, finding_of
from sac_kafka.transport.diagnostics.handshake import unverified_context
from sac_kafka.transport.diagnostics.way import Route, ServerPort, check_route
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.kafka.choosing import choose_client
from sac_kafka.transport.kafka.client import ClientError, ClientEvent, Failed
from sac_kafka.transport.kafka.error_tracker import ErrorTracker
from sac_kafka.transport.kafka.errors.explaining import explain
from sac_kafka.transport.kafka.errors.rule import PROTOCOL
from sac_kafka.transport.kafka.librdkafka import trust_of
from sac_kafka.transport.kafka.librdkafka_queries import TopicDescription, event_hubs_size, size
from sac_kafka.transport.kafka.settings.checking import protocol_of
from sac_kafka.transport.kafka.settings.event_hubs import is_event_hubs
from sac_kafka.transport.kafka.settings.librdkafka_settings import Translation, librdkafka_settings
from sac_kafka.transport.kafka.settings.reviewing import review

_STEP = "arrival"
_CONNECTION_ERRORS = frozenset({"_TRANSPORT", "_ALL_BROKERS_DOWN", "_RESOLVE", "_TIMED_OUT"})
_POLL_SECONDS = 0.1
_GRACE_SECONDS = 3.0
"""Time after the first error in which another bootstrap server may still respond; at most half of the timeout."""
_TOPIC_ERRORS = ("topic missing", "topic name", "topic not allowed")
_SERVERS = "atlas.kafka.bootstrap.servers"
_PROTOCOL = "atlas.kafka.security.protocol"
_TLS_CHECK_SECONDS = 2.0
_CONFIG_SECONDS = 3.0
_MIN_RESPONSE_MS, _MAX_RESPONSE_MS = 1000, 8000
_NO_TLS = Finding(Verdict.WRONG, "tls", "")
_TLS_VERDICTS = (Verdict.GOOD, Verdict.DOUBT)


def confirm(
    settings: Settings, position: Position, value: bytes, timeout_seconds: float, driver: Driver | None
) -> Iterator[Finding]:
    """Read the record back; also check the broker's clock if the broker sets the timestamp.

    Args:
        settings: The hook's settings.
        position: The position of the record reported by the transport.
        value: The expected value of the record.
        timeout_seconds: Maximum time to wait.
        driver: The driver's JVM, None outside a driver.
    """
    from sac_kafka.transport.kafka.librdkafka_queries import read_back

    *_, topic, partition = position.log.split("/")
    place = f"partition {partition}, offset {position.start} of {topic}"
    try:
        config = librdkafka_settings(settings, driver).client_config()
        stored = read_back(config, topic, int(partition), position.start, timeout_seconds)
    except ConfigurationError:  # the settings require Java's client, for which there is no reader
        yield Finding(
            Verdict.SKIPPED, _STEP, f"the broker acknowledged {place}; reading back is not supported by this client"
        )
        return
    if stored is None:
        text = f"the broker acknowledged {place}, but reading it back timed out after {timeout_seconds:.0f} s"
        yield Finding(Verdict.UNKNOWN, _STEP, f"{text}; check whether this user may read the topic")
    elif isinstance(stored, Failed):
        reason = explain(stored.name, stored.text, topic).sentence if stored.name in _CONNECTION_ERRORS else stored.name
        text = f"the broker acknowledged {place}; this user cannot read it back, which the hook does not need: {reason}"
        yield Finding(Verdict.SKIPPED, _STEP, text)
    elif stored.value != value:
        yield Finding(
            Verdict.WRONG, _STEP, f"{place} contains another message: the topic was re-created meanwhile; try again"
        )
    else:
        yield Finding(Verdict.GOOD, _STEP, f"read back from {place}")
        if stored.written_ms is not None:
            yield clock_finding("the broker", stored.written_ms / 1000, time.time())


class Probe(Protocol):
    """A pending query of a topic."""

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Return new events, waiting for the first one up to the timeout."""

    def answer(self) -> TopicDescription | Failed | None:
        """Return the description of the topic or the error; None while there is no response."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Result of each check: "" if it passed, else the reason; None if it was not reached.

    `permission` is also None if the broker does not report permissions.
    """

    connection: str
    topic: str | None = None
    permission: str | None = None
    partitions: int = 0


def probe(
    query: Probe, topic: str, place: str, timeout_seconds: float, clock: Callable[[], float] = time.monotonic
) -> ProbeResult:
    """Wait for the response to a query, up to the timeout.

    Args:
        query: The pending query.
        topic: The topic.
        place: Name of the broker in errors.
        timeout_seconds: Maximum time to wait.
        clock: Monotonic clock in seconds.
    """
    errors = ErrorTracker(place)
    end, failing_since = clock() + timeout_seconds, None
    grace = min(_GRACE_SECONDS, timeout_seconds / 2)
    while clock() < end:
        failure = _first_failure(errors, query.poll(_POLL_SECONDS), clock())
        if failure is not None:
            return ProbeResult(failure.reason)
        if (answer := query.answer()) is not None:
            return _result(answer, topic, errors)
        errors.watch(clock())
        if errors.problem is None:
            failing_since = None
        elif failing_since is None:
            failing_since = clock()
        elif clock() - failing_since >= grace:
            break
    return ProbeResult(errors.problem or explain("_TIMED_OUT", f"waited {timeout_seconds:g} s").sentence)


def _first_failure(errors: ErrorTracker, events: tuple[ClientEvent, ...], now: float) -> Failure | None:
    failures = [errors.client_error(event, now) for event in events if isinstance(event, ClientError)]
    return next(filter(None, failures), None)


def _result(answer: TopicDescription | Failed, topic: str, errors: ErrorTracker) -> ProbeResult:
    if isinstance(answer, TopicDescription):
        denied = explain("TOPIC_AUTHORIZATION_FAILED", "", topic).sentence
        permission = None if answer.may_write is None else "" if answer.may_write else denied
        return ProbeResult("", "", permission, answer.partitions)
    explained = errors.failed(answer, topic)
    if explained.kind in _TOPIC_ERRORS:
        return ProbeResult("", explained.sentence)
    return ProbeResult(explained.sentence)


@dataclass(frozen=True, slots=True)
class _Context:
    """Settings, deadline and name of the broker (`place`)."""

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
        context = _Context(settings, deadline, naming(settings, "", ""))
        rest = _check_java(context, str(error), driver, servers)
        return chain(_warnings(settings, reviewed), rest)
    config = translation.config
    place = naming(settings, config.get("sasl.username", ""), config["security.protocol"].upper())
    warnings = _warnings(settings, (*reviewed, *translation.warnings))
    return chain(warnings, _check_broker(_Context(settings, deadline, place), translation, servers))


def _warnings(settings: Settings, warnings: tuple[str, ...]) -> Iterator[Finding]:
    return (Finding(Verdict.DOUBT, "connection", settings.source.placed(each)) for each in warnings)


def _check_java(context: _Context, reason: str, driver: Driver | None, servers: list[str]) -> Iterator[Finding]:
    """Run the checks that are possible without librdkafka: all before the login."""
    protocol, placed = protocol_of(context.kafka), context.settings.source.placed(reason)
    if driver is not None:
        choose_client(context.settings, driver)  # raises if there is no Java client or the settings are invalid
    way = _way(servers, unverified_context if protocol.endswith("SSL") else None, is_judged=False)
    for finding in check_route(way, context.deadline):
        yield finding
        if finding.verdict is Verdict.WRONG:
            return
    if driver is None:
        text = f"only a Spark driver can connect: {placed}; run in a driver: spark-submit $(sac-kafka runner) --doctor"
    else:
        text = f"the driver's own Kafka client logs in when it sends a message: add --send ({placed})"
    yield Finding(Verdict.UNKNOWN, "log-in", text)


def _check_broker(context: _Context, translation: Translation, servers: list[str]) -> Iterator[Finding]:
    from sac_kafka.transport.kafka.examining import probe
    from sac_kafka.transport.kafka.librdkafka_queries import TopicListing, TopicProbe

    settings, topic = context.settings, context.settings.sink.topic
    encrypted = translation.config["security.protocol"].upper().endswith("SSL")
    bootstrap_servers = translation.config["bootstrap.servers"].split(",")
    way = _way(bootstrap_servers, (lambda: trust_of(translation.config)) if encrypted else None)
    for finding in check_route(way, context.deadline):
        yield finding
        if finding.verdict is Verdict.WRONG:
            return
    seconds = context.deadline.left()
    config, is_hub = _with_response_timeout(translation.client_config(), seconds), is_event_hubs(servers)
    query = TopicListing(config, topic) if is_hub else TopicProbe(config, topic, seconds)
    result = probe(query, topic, context.place, seconds)
    problem = with_protocol(result.connection, context.kafka)
    if problem and not encrypted:
        problem = _tls_problem(way) or problem
    yield finding_of("log-in", problem, context.place)
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
        yield size(settings, query.max_message_bytes(context.deadline.left(_CONFIG_SECONDS)))
    elif result.topic == "":
        yield event_hubs_size(settings)


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


def _with_response_timeout(config: dict[str, object], seconds: float) -> dict[str, object]:
    """Limit the wait for a broker that accepts connections but does not respond, so that it is reported in time."""
    response_ms = int(min(_MAX_RESPONSE_MS, max(_MIN_RESPONSE_MS, seconds * 1000 / 3)))
    return {**config, "api.version.request.timeout.ms": str(response_ms)}


def _tls_problem(way: Route) -> str:
    """Return the problem if the port, contacted without TLS, expects TLS; else ""."""
    with_tls = Route(servers=way.servers[:1], address=way.address, trust=unverified_context, is_judged=False)
    findings = check_route(with_tls, Deadline(_TLS_CHECK_SECONDS))
    if next((each for each in findings if each.name == "tls"), _NO_TLS).verdict in _TLS_VERDICTS:
        return f"{way.servers[0]} expects TLS, but was contacted without it; set {_PROTOCOL} to SASL_SSL or SSL"
    return ""


def with_protocol(problem: str, kafka: Mapping[str, str]) -> str:
    """Insert the configured servers and protocol into a sentence that recommends to check them.

    Args:
        problem: The sentence, "" if there is no problem.
        kafka: Settings of Kafka's client, without `atlas.kafka.`.
    """
    servers = mask_line(kafka.get("bootstrap.servers", ""))
    if kafka.get("security.protocol", "").strip():
        fix = f"{servers} was contacted with {protocol_of(kafka)}: correct the port, or {_PROTOCOL}"
    else:
        fix = (
            f"{servers} was contacted with PLAINTEXT, because {_PROTOCOL} is not set: set it to SSL, SASL_SSL or "
            "SASL_PLAINTEXT, or correct the port"
        )
    return problem.replace(PROTOCOL, fix)
