"""Finds the sink that `atlas.client.type` names; what a sink needs is imported only when it is chosen."""

from __future__ import annotations

from importlib import import_module

from sac_kafka.settings import Settings
from sac_kafka.transport.base import Transport
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.sinks.sink import Sink


def sink_of(settings: Settings) -> Sink:
    """Give the sink of the settings."""
    sink = import_module(f"sac_kafka.transport.sinks.{settings.sink.client_type.value}").SINK
    assert isinstance(sink, Sink)
    return sink


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
