"""Makes the transport that `atlas.client.type` names; what a transport needs is imported only when it is chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Transport
from sac_kafka.transport.driver import Driver


def _kafka(settings: Settings, driver: Driver | None) -> Transport:
    from sac_kafka.transport.kafka.choosing import choose_client
    from sac_kafka.transport.kafka.transport import KafkaTransport

    chosen = choose_client(settings, driver)
    return KafkaTransport(
        chosen.make,
        name=chosen.place,
        delivery_timeout_seconds=chosen.delivery_timeout_seconds,
        queue_bytes=chosen.queue_bytes,
    )


def _rest(settings: Settings, driver: Driver | None) -> Transport:  # noqa: ARG001 (all loaders have one signature)
    from sac_kafka.transport.rest import rest_transport

    return rest_transport(settings)


def _file(settings: Settings, driver: Driver | None) -> Transport:  # noqa: ARG001 (all loaders have one signature)
    from sac_kafka.transport.file import FileTransport

    if settings.client_file_path is None:
        raise ConfigurationError("atlas.client.file.path is not set; set it to the file that messages are appended to")
    path = Path(settings.client_file_path)
    if path.is_dir():
        raise ConfigurationError(f"atlas.client.file.path = {path}: is a directory; name a file in it")
    if not path.parent.is_dir():
        raise ConfigurationError(
            f"atlas.client.file.path = {path}: {path.parent} is no directory; create it, or name another file"
        )
    return FileTransport(path)


def _console(settings: Settings, driver: Driver | None) -> Transport:  # noqa: ARG001 (all loaders have one signature)
    from sac_kafka.readable.drawing import text
    from sac_kafka.transport.console import ConsoleTransport

    return ConsoleTransport(text)


def _memory(settings: Settings, driver: Driver | None) -> Transport:  # noqa: ARG001 (all loaders have one signature)
    from sac_kafka.transport.memory import MemoryTransport

    return MemoryTransport()


TRANSPORTS: dict[str, Callable[[Settings, Driver | None], Transport]] = {
    "kafka": _kafka,
    "rest": _rest,
    "file": _file,
    "console": _console,
    "memory": _memory,
}


def make_transport(settings: Settings, driver: Driver | None = None) -> Transport:
    """Make the transport of `settings.client_type`.

    Args:
        settings: The hook's.
        driver: What the transport may ask of the driver's JVM; None outside of one.

    Raises:
        ConfigurationError: The settings of that transport are wrong.
    """
    with settings.source.placing():
        return TRANSPORTS[settings.client_type](settings, driver)
