"""Hold the properties shared by all messages of an application."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sac_kafka.atlas.naming import Naming
from sac_kafka.model import Application
from sac_kafka.model.cache import Cache
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import ColumnLineageMode, MessageForm, TableModel
from sac_kafka.settings.names import Names

PURVIEW_MESSAGE_BYTES = 999_000
"""Event Hubs accepts 1,000,000 bytes per publication (Standard and above), including the overhead of a message."""

PURVIEW_MESSAGE_ENTITIES = 500
"""Users of Purview's REST interface report that requests with thousands of entities fail."""


@dataclass(frozen=True, slots=True)
class Receiver:
    """What reads the messages of an application.

    Args:
        topic: The topic of their records.
        joins_parts: It reassembles split messages, so an indivisible message may be split.
        is_purview: It is Microsoft Purview, which supports only V2 messages in a single record.
    """

    topic: str = "ATLAS_HOOK"
    joins_parts: bool = True
    is_purview: bool = False


_ATLAS = Receiver()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Properties shared by all messages of an application.

    Args:
        application: The application that sends the messages.
        author: The user recorded as author of a flow requested by someone else; "" for the application's user.
        naming: The names of entities.
        content: The settings of the content and size of messages.
        source_ip: The driver's host address.
        receiver: What reads the messages.
        cache: Keeps entities; None if flows are rarely repeated, or memory is scarce.

    Attributes:
        column_lineage: The extent of column lineage; always off in the dialect of the Spark Atlas Connector.
        form: The form of notifications, V1 or V2.
    """

    application: Application
    naming: Naming
    content: Content
    author: str = ""
    source_ip: str = ""
    receiver: Receiver = _ATLAS
    cache: Cache | None = None
    column_lineage: ColumnLineageMode = field(init=False)
    form: MessageForm = field(init=False)

    def __post_init__(self) -> None:
        is_sac = self.naming.is_sac
        object.__setattr__(self, "column_lineage", ColumnLineageMode.OFF if is_sac else self.content.column_lineage)
        # A receiver that cannot reassemble parts is an Event Hubs namespace read by Purview, which does not support V1.
        usual = MessageForm.V1 if is_sac and self.receiver.joins_parts else MessageForm.V2
        form = MessageForm.V2 if self.receiver.is_purview else self.content.message_form or usual
        object.__setattr__(self, "form", form)


def context_of(
    application: Application,
    names: Names,
    content: Content,
    *,
    is_hive: bool = False,
    metastore: str | None = None,
    source_ip: str = "",
    receiver: Receiver = _ATLAS,
) -> Context:
    """Build the context of an application.

    `is_hive`: the session catalog is a remote Hive metastore. `metastore` is its identity; None if the catalog belongs to
    the application alone.
    """
    if receiver.is_purview:
        receiver = replace(receiver, joins_parts=False)
        content = replace(
            content,
            message_max_bytes=min(content.message_max_bytes, PURVIEW_MESSAGE_BYTES),
            message_max_entities=min(content.message_max_entities, PURVIEW_MESSAGE_ENTITIES),
        )
    naming = Naming(
        names=names,
        table_model=content.table_model or (TableModel.HIVE if is_hive else TableModel.SPARK),
        has_dataset_columns=content.dataset_columns,
        sac_prefix=metastore or application.application_id,
    )
    return Context(
        application=application,
        naming=naming,
        content=content,
        source_ip=source_ip,
        receiver=receiver,
    )
