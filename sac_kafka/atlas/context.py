"""What the messages of an application have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sac_kafka.atlas.naming import Naming
from sac_kafka.config.choices import ColumnLineageMode, MessageForm, TableModel
from sac_kafka.lineage.model import Application
from sac_kafka.settings.content import Content
from sac_kafka.settings.names import Names

PURVIEW_MESSAGE_BYTES = 999_000
"""Event Hubs takes publications of 1,000,000 bytes (Standard and above), and counts what is around a message."""

PURVIEW_MESSAGE_ENTITIES = 500
"""Thousands of entities in one request have failed, as users of its REST interface report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Whose messages these are, and what they may be.

    Args:
        application: Whose they are.
        author: Whom the server records as author of a flow that somebody else asked for; "" is the application's user.
        naming: How things are called.
        content: What is said, and how much of it in a message, as it is set.
        source_ip: The driver's host address.
        joins_parts: The receiver puts the parts of a long message together: what cannot be divided may be cut.
        is_purview: The receiver is Microsoft Purview, which reads the form V2 alone, whole and in one record.
    """

    application: Application
    naming: Naming
    content: Content
    author: str = ""
    source_ip: str = ""
    joins_parts: bool = True
    is_purview: bool = False

    @property
    def column_lineage(self) -> ColumnLineageMode:
        """How much column lineage is sent: the Spark Atlas Connector knew none."""
        return ColumnLineageMode.OFF if self.naming.is_sac else self.content.column_lineage

    @property
    def form(self) -> MessageForm:
        """How notifications are written."""
        if self.is_purview:
            return MessageForm.V2
        # What cannot put parts together is an Event Hubs namespace: Purview reads there, and knows no V1.
        is_old = self.naming.is_sac and self.joins_parts
        return self.content.message_form or (MessageForm.V1 if is_old else MessageForm.V2)


def context_of(
    application: Application,
    names: Names,
    content: Content,
    *,
    is_hive: bool = False,
    metastore: str | None = None,
    source_ip: str = "",
    joins_parts: bool = True,
    is_purview: bool = False,
) -> Context:
    """Put it together.

    Args:
        application: As of `Context`.
        names: As they are set.
        content: As it is set.
        is_hive: The session catalog is a remote Hive metastore.
        metastore: What tells its catalog from others; None where it is the application's own.
        source_ip: As of `Context`.
        joins_parts: As of `Context`.
        is_purview: As of `Context`.
    """
    if is_purview:
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
        joins_parts=joins_parts and not is_purview,
        is_purview=is_purview,
    )
