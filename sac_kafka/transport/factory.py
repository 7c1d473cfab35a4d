"""Finds the sink that `atlas.client.type` names; what a sink needs is imported only when it is chosen."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from sac_kafka.settings import Settings
from sac_kafka.settings.content import Content
from sac_kafka.transport.base import Transport
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.sinks.sink import Sink


def sink_of(settings: Settings) -> Sink:
    """Give the sink of the settings."""
    sink = import_module(f"sac_kafka.transport.sinks.{settings.sink.client_type.value}").SINK
    assert isinstance(sink, Sink)
    return sink


def content_of(settings: Settings) -> Content:
    """Give what messages hold, as the settings say it, but none longer than the sink ever takes."""
    content, longest = settings.content, sink_of(settings).record_bytes(settings)
    return content if longest is None else replace(content, message_max_bytes=min(content.message_max_bytes, longest))


def make_transport(settings: Settings, driver: Driver | None = None) -> Transport:
    """Make the transport of `settings.sink.client_type`.

    Args:
        settings: The hook's.
        driver: What the transport may ask of the driver's JVM; None outside of one.

    Raises:
        ConfigurationError: The settings of that transport are wrong.
    """
    with settings.source.placing():
        return sink_of(settings).make(settings, driver)
