"""What is wrong with a plug-in."""

from __future__ import annotations

from sac_kafka.errors import SacKafkaError


class PluginError(SacKafkaError):
    """A plug-in offers, or gives, what the hook cannot take: says what, and the cure."""
