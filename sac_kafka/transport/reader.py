"""Tell from the settings which kind of server reads the messages."""

from __future__ import annotations

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import Compat, DialectName
from sac_kafka.settings.sinks import ClientType
from sac_kafka.transport.kafka.settings.event_hubs import is_event_hubs


def dialect_name(settings: Settings) -> DialectName:
    """Return the form of the messages.

    Without a setting it is that of the sink, or Purview's if the bootstrap server is an Event Hubs namespace, even if the sink
    is a file or the console; but not with `compat = sac`. Events are all that `atlas.client.type = openlineage` sends,
    whatever the setting, which further destinations share.

    Raises:
        ConfigurationError: Both `dialect = purview` and `compat = sac` are set.
    """
    is_sac = settings.names.compat is Compat.SAC
    chosen = settings.purview.dialect
    if settings.sink.client_type is ClientType.OPENLINEAGE:
        return DialectName.OPENLINEAGE
    if chosen is not None:
        if is_sac and chosen is DialectName.PURVIEW:
            raise ConfigurationError(
                "atlas.hook.spark.dialect = purview and atlas.hook.spark.compat = sac: an asset has one name; remove one of them"
            )
        return chosen
    if settings.sink.client_type is ClientType.PURVIEW:
        return DialectName.PURVIEW
    servers = settings.kafka.properties.get("bootstrap.servers", "").split(",")
    is_purview_topic = not is_sac and is_event_hubs([server.strip() for server in servers])
    return DialectName.PURVIEW if is_purview_topic else DialectName.ATLAS


def is_purview(settings: Settings) -> bool:
    """Return whether messages are in the dialect `purview`.

    Raises:
        ConfigurationError: As for `dialect_name`.
    """
    return dialect_name(settings) is DialectName.PURVIEW
