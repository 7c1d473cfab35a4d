"""`sac-kafka config`: print the settings in force, where each was set, and what the Kafka client is made with.

Secrets are masked. The exit status is 2 where the hook would not attach with this configuration, though it is not
switched off (atlas.spark.enabled = false).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from sac_kafka.cli.configured import Configured, add_options, read_configured, telling_of_the_jvm
from sac_kafka.config.declaring import Setting, key_in_force, text_in_force
from sac_kafka.config.jaas_sections import JAAS_PREFIX
from sac_kafka.config.secrets import MASK, masked
from sac_kafka.errors import NeedsDriverError, NeedsJvmClientError
from sac_kafka.settings import KAFKA_PREFIX, Settings, describe
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.kafka.settings.java_settings import java_settings
from sac_kafka.transport.kafka.settings.librdkafka_settings import BASE, librdkafka_settings

_DEFAULT = "default"
_OFF = "\nThe hook is off: atlas.spark.enabled = false"
Row = tuple[str, str, str]
"""Key, value as it may be shown, and where it comes from."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    config = commands.add_parser("config", help="the settings in force, and where each was set", description=__doc__)
    add_options(config)
    config.add_argument("--all", action="store_true", help="settings that have their defaults, too")
    config.set_defaults(run=print_config)


def print_config(arguments: argparse.Namespace) -> int:
    """Write what is in force to standard output."""
    configured = read_configured(arguments)
    with telling_of_the_jvm():  # and before a line is written: it may be an error
        client = list(_client(configured.settings, arguments.all)) if configured.settings.enabled else [_OFF]
    _say(f"Configuration: {configured.configuration.source}")
    _table("Settings", _settings(configured, arguments.all))
    for prefix in (KAFKA_PREFIX, JAAS_PREFIX):
        _table(f"{prefix}*", _below(configured, prefix))
    for line in client:
        _say(line)
    for key in configured.settings.unknown:
        _say(f"Unknown, without effect: {key}")
    return 0


def _settings(configured: Configured, is_all: bool) -> Iterator[Row]:
    for setting in describe():
        key = key_in_force(setting, configured.configuration.values)
        if key is not None:
            value = text_in_force(setting, key, configured.configuration.values, configured.configuration.firsts)
            yield key, _shown(setting, key, value), configured.configuration.origins[key]
        elif is_all:
            yield setting.keys[0], setting.default or "(not set)", _DEFAULT


def _below(configured: Configured, prefix: str) -> Iterator[Row]:
    values = configured.configuration.values
    for key in sorted(values):
        if key.startswith(prefix):
            yield key, masked(key, values[key]), configured.configuration.origins[key]


def _client(settings: Settings, is_all: bool) -> Iterator[str]:
    """What messages go through, line by line."""
    if settings.client_type != "kafka":
        yield f"\nMessages go to {make_transport(settings).name}"
        return
    try:
        if settings.kafka_client == "jvm":
            yield from _java_client(settings, "atlas.hook.spark.kafka.client = jvm")
            return
        translation = librdkafka_settings(settings, None)
    except NeedsDriverError as error:
        yield f"\nKafka client: its settings can be shown in a driver only: {error}"
        return
    except NeedsJvmClientError as error:
        if settings.kafka_client == "librdkafka":
            raise
        yield from _java_client(settings, str(error))
        return
    config = translation.config
    yield "\nKafka client: librdkafka, made with"
    yield from _lines(
        (key, masked(key, config[key]), "") for key in sorted(config) if is_all or BASE.get(key) != config[key]
    )
    if translation.token is not None:
        yield "  and a function that gives the tokens of OAUTHBEARER"
    for warning in translation.warnings:
        yield f"Warning: {warning}"


def _java_client(settings: Settings, reason: str) -> Iterator[str]:
    """The driver's own client gets the settings as they are; its login may be known to the driver only."""
    jaas = {key: text for key, text in settings.jaas.items() if text != MASK}
    java = java_settings(
        settings.kafka, jaas, KerberosLogin(has_login_file=True), message_bytes=settings.message_max_bytes
    )
    yield f"\nKafka client: the driver's own KafkaProducer ({reason}), made with"
    yield from _lines((key, masked(key, java.properties[key]), "") for key in sorted(java.properties))
    for warning in java.warnings:
        yield f"Warning: {warning}"


def _shown(setting: Setting, key: str, value: str) -> str:
    return MASK if setting.secret else masked(key, value)


def _table(title: str, rows: Iterable[Row]) -> None:
    lines = list(_lines(rows))
    if lines:
        _say(f"\n{title}")
    for line in lines:
        _say(line)


def _lines(rows: Iterable[Row]) -> Iterator[str]:
    for key, value, origin in rows:
        shown = value.replace("\r", "\\r").replace("\n", "\\n")
        yield f"  {key} = {shown}" + (f"    [{origin}]" if origin else "")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
