"""Makes the transport that `atlas.client.type` names; what a transport needs is imported only when it is chosen."""

from __future__ import annotations

from collections.abc import Callable

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Transport


def _kafka(settings: Settings) -> Transport:
    from sac_kafka.transport.kafka import KafkaTransport

    return KafkaTransport(settings.kafka, message_bytes=settings.message_max_bytes)


def _file(settings: Settings) -> Transport:
    from sac_kafka.transport.file import FileTransport

    if settings.client_file_path is None:
        raise ConfigurationError("atlas.client.type = file: atlas.client.file.path is not set; set it to a file")
    return FileTransport(settings.client_file_path)


def _console(settings: Settings) -> Transport:  # noqa: ARG001 (all loaders have one signature)
    from sac_kafka.transport.console import ConsoleTransport

    return ConsoleTransport()


def _memory(settings: Settings) -> Transport:  # noqa: ARG001 (all loaders have one signature)
    from sac_kafka.transport.memory import MemoryTransport

    return MemoryTransport()


TRANSPORTS: dict[str, Callable[[Settings], Transport]] = {
    "kafka": _kafka,
    "file": _file,
    "console": _console,
    "memory": _memory,
}


def make_transport(settings: Settings) -> Transport:
    """Make the transport of `settings.client_type`.

    Raises:
        ConfigurationError: The settings of that transport are wrong.
    """
    return TRANSPORTS[settings.client_type](settings)
