"""Make the output `openlineage` from the settings; loaded if a destination has it."""

from __future__ import annotations

from collections.abc import Callable

from sac_kafka.atlas.context import Context
from sac_kafka.errors import ConfigurationError
from sac_kafka.openlineage.writing.output import EventOptions, OpenLineageOutput
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import ColumnLineageMode
from sac_kafka.settings.sinks import ClientType

_ATLAS_TOPIC = "ATLAS_HOOK"


def event_output(settings: Settings, context: Context, save: Callable[[], None], metastore: str) -> OpenLineageOutput:
    """Return the output of a destination.

    Args:
        settings: The settings of the destination.
        context: What all messages share.
        save: Saves what the stages keep for the next run.
        metastore: The namespace of the session's tables; "" if unknown.

    Raises:
        ConfigurationError: As for `check_reader`.
    """
    check_reader(settings)
    options = EventOptions(
        application=context.application,
        namespace=context.naming.namespace,
        metastore=settings.openlineage.metastore or metastore or "hive",
        max_bytes=context.content.message_max_bytes,
        tags=(*((label, "true") for label in context.content.labels), *context.content.custom_attributes),
        is_full=context.column_lineage is ColumnLineageMode.FULL,
    )
    return OpenLineageOutput(options, save)


def check_reader(settings: Settings) -> None:
    """Check that the messages go to a receiver of OpenLineage events.

    Raises:
        ConfigurationError: They go to Atlas or Purview.
    """
    sink = settings.sink.client_type
    if sink in (ClientType.REST, ClientType.PURVIEW):
        raise ConfigurationError(
            f"atlas.hook.spark.dialect = openlineage and atlas.client.type = {sink.value}: Atlas and Purview do not read events; "
            "set atlas.client.type to openlineage, kafka or file"
        )
    if sink is ClientType.KAFKA and settings.sink.topic == _ATLAS_TOPIC:
        raise ConfigurationError(
            f"atlas.hook.spark.dialect = openlineage and topic {_ATLAS_TOPIC}: Atlas does not read events; "
            "set atlas.notification.hook.topic.name to another topic"
        )
