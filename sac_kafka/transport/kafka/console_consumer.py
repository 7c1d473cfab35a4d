"""Write the command of a Kafka distribution that reads the topic, for connections that only Kafka's Java client can make."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator, Mapping

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import MASK, mask_line, mask_setting
from sac_kafka.settings import Settings
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.settings.checking import is_used, protocol_of
from sac_kafka.transport.kafka.settings.java_settings import java_settings

_PROGRAMS = ("kafka-console-consumer", "kafka-console-consumer.sh")
_IDLE_MS = 10_000
"""The command ends when no message has come for this time."""
_CONNECTION = ("security.", "sasl.", "ssl.")
_FILE = "client.properties"


def console_consumer(settings: Settings, *, is_endless: bool = False) -> str:
    """Return the command, which writes one message a line; a last sentence explains the file that it needs for secrets.

    Args:
        settings: The hook's settings.
        is_endless: Whether it waits for new messages instead of ending after the last one.
    """
    program = next(filter(shutil.which, _PROGRAMS), _PROGRAMS[0])
    servers = mask_setting("bootstrap.servers", settings.kafka.properties.get("bootstrap.servers", "HOST:PORT"))
    end = () if is_endless else ("--timeout-ms", str(_IDLE_MS))
    where = ("--bootstrap-server", servers, "--topic", settings.sink.topic, "--from-beginning")
    return shlex.join((program, *where, *end, *_options(_connection(settings))))


def needs_file(settings: Settings) -> str:
    """Return what the file of `console_consumer` must contain; "" if it needs none."""
    if not _secrets(_connection(settings)):
        return ""
    return f"; {_FILE} has the settings atlas.kafka.{{security,sasl,ssl}}.* without atlas.kafka."


def _connection(settings: Settings) -> Mapping[str, str]:
    """Return the settings of the connection, with the login of the file, else with the user's ticket."""
    kafka = settings.kafka
    try:
        found = java_settings(kafka.properties, kafka.jaas, KerberosLogin(has_ticket=True)).properties
    except ConfigurationError:
        found = kafka.properties
    protocol = protocol_of(found)
    names = (key for key in sorted(found) if key.startswith(_CONNECTION))
    return {key: found[key] for key in names if found[key] and is_used(key, protocol)}


def _secrets(connection: Mapping[str, str]) -> bool:
    return any(_is_secret(key, value) for key, value in connection.items())


def _is_secret(key: str, value: str) -> bool:
    """Return whether a value must not be on a command line; a login by keytab or ticket may be."""
    return (mask_line(value) if key == "sasl.jaas.config" else mask_setting(key, value)) != value or MASK in value


def _options(connection: Mapping[str, str]) -> Iterator[str]:
    """Yield the options of the connection: a file if there are secrets, which a command line would show to all users."""
    if _secrets(connection):
        yield from ("--consumer.config", _FILE)
        return
    for key, value in connection.items():
        yield from ("--consumer-property", f"{key}={value}")
