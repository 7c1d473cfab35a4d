"""Tell from the settings which kind of server reads the messages."""

from __future__ import annotations

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import Compat, DialectName
from sac_kafka.settings.sinks import ClientType
from sac_kafka.transport.kafka.settings.event_hubs import is_event_hubs


def is_purview(settings: Settings) -> bool:
    """Return whether messages are in the dialect `purview`.

    Without a setting it is chosen for Purview's REST interface, and if the bootstrap server is an Event Hubs namespace, even if
    the sink is a file or the console; but not with `compat = sac`.

    Raises:
        ConfigurationError: Both `dialect = purview` and `compat = sac` are set.
    """
    is_sac = settings.names.compat is Compat.SAC
    if settings.purview.dialect is not None:
        if is_sac and settings.purview.dialect is DialectName.PURVIEW:
            raise ConfigurationError(
                "atlas.hook.spark.dialect = purview and atlas.hook.spark.compat = sac: an asset has one name; remove one of them"
            )
        return settings.purview.dialect is DialectName.PURVIEW
    if settings.sink.client_type is ClientType.PURVIEW:
        return True
    servers = settings.kafka.properties.get("bootstrap.servers", "").split(",")
    return not is_sac and is_event_hubs([server.strip() for server in servers])
