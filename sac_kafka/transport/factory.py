"""Create the transport that `atlas.client.type` names; the modules of a sink are imported only if it is chosen."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from sac_kafka.settings import Settings
from sac_kafka.settings.content import Content
from sac_kafka.transport.base import Transport
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.sinks.sink import Peer, Sink


def sink_of(settings: Settings) -> Sink:
    """Return the sink of the settings."""
    sink = import_module(f"sac_kafka.transport.sinks.{settings.sink.client_type.value}").SINK
    assert isinstance(sink, Sink)
    return sink


def content_of(settings: Settings) -> Content:
    """Return the settings of message content, with the message size limited to what the sink accepts."""
    content, longest = settings.content, sink_of(settings).record_bytes(settings)
    return content if longest is None else replace(content, message_max_bytes=min(content.message_max_bytes, longest))


def namespace_warning(settings: Settings) -> str | None:
    """Return the warning that names go to a server without the name of the environment; None if they have one."""
    names = settings.names
    if not names.namespace_is_default or sink_of(settings).peer is Peer.LOCAL:
        return None
    return (
        f"atlas.metadata.namespace is not set: names end in @{names.namespace}, and environments that share it overwrite each "
        "other's entities; set it to the name of this environment"
    )


def make_transport(settings: Settings, driver: Driver | None = None) -> Transport:
    """Create the transport of `settings.sink.client_type`; `driver` is None outside of a driver.

    Raises:
        ConfigurationError: The settings of that transport are invalid.
    """
    with settings.source.placing():
        return sink_of(settings).make(settings, driver)
