"""`sac-kafka check`: see whether lineage would get through: settings, connection, log-in, topic, permission, types.

No message is sent. The exit status is 1 where something is wrong, the configuration included, and 2 where that cannot be
told: only a Spark driver could connect.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING

from sac_kafka.atlas.types.comparison import Cure, differences
from sac_kafka.atlas.types.sent import SENT
from sac_kafka.atlas.types.typedefs import types_def
from sac_kafka.cli.configured import Configured, add_options, complaining, read_configured
from sac_kafka.cli.help_texts import description
from sac_kafka.cli.places_on_disk import problems_on_disk
from sac_kafka.cli.rest import TYPEDEFS, Server, server_of
from sac_kafka.cli.saying import say
from sac_kafka.cli.seconds import seconds
from sac_kafka.cli.summary import sink
from sac_kafka.config.secrets import mask_line
from sac_kafka.errors import ConfigurationError, NeedsDriverError, NeedsJvmClientError, SacKafkaError
from sac_kafka.settings import Settings
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.kafka.errors.rule import PROTOCOL
from sac_kafka.transport.kafka.settings.checking import protocol_of
from sac_kafka.transport.kafka.settings.librdkafka_settings import Translation, librdkafka_settings
from sac_kafka.transport.kafka.settings.reviewing import review
from sac_kafka.transport.spool.directory import found_directory

if TYPE_CHECKING:
    from sac_kafka.transport.rest import RestTransport

WRONG = 1
UNTOLD = 2
_SHOWN = 4


class Verdict(Enum):
    """What became of a step; the value is what is printed."""

    GOOD = "ok"
    DOUBT = "warn"
    WRONG = "FAIL"
    SKIPPED = "-"
    UNTOLD = "?"


@dataclass(frozen=True, slots=True)
class Step:
    """A step: what was looked at, and what was found, in one line."""

    verdict: Verdict
    name: str
    text: str


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    check = commands.add_parser(
        "check", help="whether lineage would get through, step by step", description=description(__doc__)
    )
    add_options(check)
    check.add_argument(
        "--timeout",
        type=seconds,
        default=15.0,
        metavar="SECONDS",
        help="how long a server may take to answer (default: %(default)g)",
    )
    check.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write a line for each step, as soon as it is done."""
    verdicts = set()
    with _silent():
        for step in _all_steps(arguments):
            verdicts.add(step.verdict)
            say(f"{step.verdict.value:<5} {step.name:<14} {step.text}")
    return WRONG if Verdict.WRONG in verdicts else UNTOLD if Verdict.UNTOLD in verdicts else 0


@contextmanager
def _silent() -> Iterator[None]:
    """Keep warnings that would be logged from standard error: what is wrong is in the steps."""
    handler, logger = logging.NullHandler(), logging.getLogger("sac_kafka")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _all_steps(arguments: argparse.Namespace) -> Iterator[Step]:
    doubts: list[str] = []
    try:
        configured = read_configured(arguments, doubts.append)
        with configured.settings.source.placing(), complaining(configured.doubts, doubts.append):
            asking = _asking(configured.settings, arguments.timeout)
    except ConfigurationError as error:
        yield from (Step(Verdict.DOUBT, "configuration", doubt) for doubt in doubts)
        yield Step(Verdict.WRONG, "configuration", str(error))
        return
    yield from _steps(configured, asking, arguments.timeout)


def _asking(settings: Settings, timeout_seconds: float) -> Iterator[Step]:
    """The steps at the sink; what is wrong with its settings is told before the first of them."""
    return _SINKS.get(settings.client_type, _local)(settings, timeout_seconds) if settings.enabled else iter(())


def _steps(configured: Configured, asking: Iterator[Step], timeout_seconds: float) -> Iterator[Step]:
    settings = configured.settings
    yield Step(Verdict.GOOD, "configuration", settings.source.text)
    yield from (Step(Verdict.DOUBT, "configuration", doubt) for doubt in configured.doubts)
    if not settings.enabled:
        yield Step(Verdict.WRONG, "configuration", "atlas.spark.enabled = false switches the hook off; remove it")
        return
    yield _names(settings)
    yield from _spool(settings)
    try:
        for step in asking:
            yield step
            if step.verdict is Verdict.WRONG and settings.client_type == "rest":
                return  # the types are asked of the same server
        server = server_of(configured, timeout_seconds)
    except ConfigurationError as error:
        yield Step(Verdict.WRONG, "configuration", settings.source.placed(str(error)))
        return
    if server is not None:
        yield _types(server)
    elif settings.client_type == "kafka":
        yield Step(Verdict.SKIPPED, "types", "not looked at: set atlas.rest.address to have them compared")


def _names(settings: Settings) -> Step:
    if settings.namespace_is_default:
        text = "atlas.metadata.namespace is not set, so names end in @primary; set it to the name of this environment"
        return Step(Verdict.DOUBT, "names", text)
    return Step(Verdict.GOOD, "names", f"end in @{settings.namespace}")


def _spool(settings: Settings) -> Iterator[Step]:
    problems = problems_on_disk(settings)
    yield from (Step(Verdict.WRONG, "disk", problem) for problem in problems)
    if not settings.spool_enabled:
        yield Step(Verdict.DOUBT, "spool", "atlas.hook.spool.enabled = false: what cannot be delivered is lost")
    elif not problems:
        yield Step(Verdict.GOOD, "spool", f"{found_directory(settings.spool_dir)} can be written")


def _kafka(settings: Settings, timeout_seconds: float) -> Iterator[Step]:
    reviewed = review(settings)
    try:
        if settings.kafka_client == "jvm":
            raise NeedsJvmClientError("atlas.hook.spark.kafka.client = jvm")
        translation = librdkafka_settings(settings, None)
    except (NeedsDriverError, NeedsJvmClientError) as error:
        text = f"only a Spark driver can connect: {settings.source.placed(str(error))}"
        return chain(_warned(settings, reviewed), (Step(Verdict.UNTOLD, "connection", text),))
    warned = _warned(settings, (*reviewed, *translation.warnings))
    return chain(warned, _broker(settings, translation, timeout_seconds))


def _warned(settings: Settings, warnings: tuple[str, ...]) -> Iterator[Step]:
    return (Step(Verdict.DOUBT, "connection", settings.source.placed(each)) for each in warnings)


def _broker(settings: Settings, translation: Translation, timeout_seconds: float) -> Iterator[Step]:
    from sac_kafka.transport.kafka.librdkafka import TopicProbe
    from sac_kafka.transport.kafka.probing import probe

    config, topic = translation.client_config(), settings.topic
    place = sink(settings, config.get("sasl.username", ""), config["security.protocol"].upper())
    found = probe(TopicProbe(config, topic, timeout_seconds), topic, place, timeout_seconds)
    yield _step("connection", with_protocol(found.connection, settings.kafka), place)
    if found.topic is not None:
        yield _step("topic", found.topic, f"{topic}, {found.partitions} partition{'s' * (found.partitions != 1)}")
    if found.permission is not None:
        yield _step("permission", found.permission, "may write")
    elif found.topic == "":
        yield Step(Verdict.SKIPPED, "permission", "this broker does not tell; the first message will show it")


def with_protocol(problem: str, kafka: Mapping[str, str]) -> str:
    """Say in an error that sends its reader to port and protocol which ones these are.

    Args:
        problem: The sentence, "" where there is none.
        kafka: Settings of Kafka's client, without `atlas.kafka.`.
    """
    servers = mask_line(kafka.get("bootstrap.servers", ""))
    if kafka.get("security.protocol", "").strip():
        cure = f"{servers} was asked by {protocol_of(kafka)}: correct the port, or atlas.kafka.security.protocol"
    else:
        cure = (
            f"{servers} was asked by PLAINTEXT, because atlas.kafka.security.protocol is not set: set it to SSL, SASL_SSL or "
            "SASL_PLAINTEXT, or correct the port"
        )
    return problem.replace(PROTOCOL, cure)


def _rest(settings: Settings, timeout_seconds: float) -> Iterator[Step]:
    from sac_kafka.transport.rest import rest_transport

    transport = rest_transport(replace(settings, rest_timeout_seconds=timeout_seconds))
    return _posting(settings, transport)


def _posting(settings: Settings, transport: RestTransport) -> Iterator[Step]:
    failure = transport.probe(settings.topic)
    yield _step("connection", failure.reason if failure else "", f"{sink(settings)} takes messages")


def _local(settings: Settings, timeout_seconds: float) -> Iterator[Step]:  # noqa: ARG001 (all sinks have one signature)
    make_transport(settings)
    return iter((Step(Verdict.GOOD, "sink", sink(settings)),))


_SINKS: dict[str, Callable[[Settings, float], Iterator[Step]]] = {"kafka": _kafka, "rest": _rest}


def _types(server: Server) -> Step:
    try:
        found = differences(types_def(), server.get(TYPEDEFS))
    except SacKafkaError as error:
        return Step(Verdict.WRONG, "types", str(error))
    lacking = sorted({each.type_name for each in found if each.cure is Cure.CREATE and each.type_name in SENT})
    if not lacking:
        return Step(Verdict.GOOD, "types", f"{server.address} has all of them")
    more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
    lacks = f"{server.address} lacks {', '.join(lacking[:_SHOWN])}{more}; add them: sac-kafka types apply"
    return Step(Verdict.WRONG, "types", lacks)


def _step(name: str, problem: str, good: str) -> Step:
    return Step(Verdict.WRONG, name, problem) if problem else Step(Verdict.GOOD, name, good)
