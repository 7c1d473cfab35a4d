"""Define the error of plug-ins."""

from __future__ import annotations

from sac_kafka.errors import SacKafkaError


class PluginError(SacKafkaError):
    """Raised for an invalid declaration or return value of a plug-in; the message states the fault and the fix."""
