"""Settings: what messages contain about processes and datasets, and how large messages may be.

Labels, custom attributes and classifications are checked when the hook attaches, because a server drops the whole message if one
of them is invalid (R20, R21). Source: `org.apache.atlas.model.instance.AtlasEntity` validation in `EntityGraphMapper` (labels,
custom attributes). The server's other limits are in `atlas.limits`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sac_kafka.masking import mask_value
from sac_kafka.settings.classifications import CLASSIFICATIONS, Classification
from sac_kafka.settings.declarations.choices import (
    ColumnLineageMode,
    EngineProcesses,
    MessageForm,
    QueryText,
    TableModel,
    Views,
)
from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import EXPOSED, Kind, integer, one_of, seconds, switch

WORD_LENGTH = 50
"""Maximum length of a label and of the key of a custom attribute."""

WORD = f"[A-Za-z0-9_-]{{1,{WORD_LENGTH}}}"
"""Regular expression of a label and of the key of a custom attribute."""

CUSTOM_VALUE_LIMIT = 500
"""Maximum length of the value of a custom attribute, in UTF-16 units."""

TEXT_LIMIT = 30_000
"""Maximum length of SQL text and plans, in UTF-16 units: below the limit of indexed strings (R22)."""


_WORD = re.compile(WORD)


def _parts(text: str) -> list[str]:
    return [part for part in (part.strip() for part in text.split(",")) if part]


def _labels(text: str) -> tuple[str, ...]:
    labels = tuple(dict.fromkeys(_parts(text)))
    for label in labels:
        if not _WORD.fullmatch(label):
            raise ValueError(f"label {mask_value(label)!r} must have 1 to {WORD_LENGTH} letters, digits, _ or -")
    return labels


def _custom_attributes(text: str) -> tuple[tuple[str, str], ...]:
    result: dict[str, str] = {}
    for part in _parts(text):
        key, is_pair, value = (each.strip() for each in part.partition("="))
        if not is_pair:
            raise ValueError(f"{mask_value(part)!r} must be key=value")
        if not _WORD.fullmatch(key):
            raise ValueError(f"key {mask_value(key)!r} must have 1 to {WORD_LENGTH} letters, digits, _ or -")
        if mask_value(part) != part:
            raise ValueError(EXPOSED)
        if len(value.encode("utf-16-le")) > 2 * CUSTOM_VALUE_LIMIT:
            raise ValueError(f"the value of {key} must have at most {CUSTOM_VALUE_LIMIT} characters")
        result[key] = value
    return tuple(result.items())


LABELS = Kind("labels, separated by commas", _labels, is_list=True)
CUSTOM_ATTRIBUTES = Kind("key=value pairs, separated by commas", _custom_attributes, is_list=True)


@dataclass(frozen=True, kw_only=True, repr=False)
class Content(Subject):
    """Content and size of messages.

    `message_form` and `table_model` are None if they are derived from the other settings and from the session.
    """

    column_lineage: ColumnLineageMode = setting(
        "atlas.hook.spark.column.lineage",
        "atlas.hook.spark.column.lineage.enabled",
        "atlas.spark.column.enabled",
        kind=switch(ColumnLineageMode, on=ColumnLineageMode.FULL, off=ColumnLineageMode.OFF),
        default=ColumnLineageMode.FULL,
        doc="full: direct dependencies of each column and, separately, conditions and windows; on the process, the "
        "columns that decide the rows. direct: only direct dependencies. off: none. The other keys are "
        "those of Kyuubi's hook and of the Spark Atlas Connector (true or false).",
    )
    column_lineage_max_nodes: int = setting(
        "atlas.hook.spark.column.lineage.max.nodes",
        kind=integer(1, 10_000_000, "nodes"),
        default=100_000,
        doc="A query plan with more nodes gets table lineage only; the process states the reason.",
    )
    column_lineage_max_columns: int = setting(
        "atlas.hook.spark.column.lineage.max.columns",
        kind=integer(1, 10_000_000, "columns"),
        default=20_000,
        doc="A query plan that has a node with more columns gets table lineage only.",
    )
    column_lineage_max_edges: int = setting(
        "atlas.hook.spark.column.lineage.max.edges",
        kind=integer(1, 1_000_000_000, "edges"),
        default=2_000_000,
        doc="A query plan with more column dependencies in total gets table lineage only.",
    )
    message_form: MessageForm | None = setting(
        "atlas.hook.spark.message.form",
        kind=one_of(MessageForm, automatic="auto"),
        documented="auto",
        doc="v2: supported by every server since Atlas 1.0; v1: the older Referenceables; auto: v2, or v1 with "
        "`atlas.hook.spark.compat=sac` unless messages go to Event Hubs. Purview supports only v2.",
    )
    table_model: TableModel | None = setting(
        "atlas.hook.spark.table.model",
        kind=one_of(TableModel, automatic="auto"),
        documented="auto",
        doc="The entity type of tables in the session catalog. spark: spark_table; hive: hive_table, by name only, "
        "because a Hive hook describes them; auto: hive with a remote Hive metastore, else spark.",
    )
    engine_processes: EngineProcesses = setting(
        "atlas.bridge.process.types",
        default=EngineProcesses.SPARK,
        doc="The type in Atlas of flows of other engines than Spark, from `sac-kafka bridge` and `emit`. spark: spark_process; "
        "own: [sac_kafka_engine_process](bridge.md#types), which `sac-kafka types apply` must have created, because a server "
        "without it drops their messages.",
    )
    dataset_columns: bool = setting(
        "atlas.hook.spark.dataset.columns",
        default=True,
        doc="false: paths and topics get no columns (avro_schema, avro_field), and column lineage ends at them.",
    )
    views: Views = setting(
        "atlas.hook.spark.views",
        default=Views.HOP,
        doc="hop: a query over a view has only the view as input, and its definition is a separate process; "
        "through: the inputs are the view and everything it reads, as always with compat = sac.",
    )
    labels: tuple[str, ...] = setting(
        "atlas.hook.spark.labels",
        kind=LABELS,
        default=(),
        doc="Labels for processes and applications, set when these are first created.",
    )
    custom_attributes: tuple[tuple[str, str], ...] = setting(
        "atlas.hook.spark.custom.attributes",
        kind=CUSTOM_ATTRIBUTES,
        default=(),
        doc="Custom attributes for processes and applications, in addition to those of the run.",
    )
    classifications: tuple[Classification, ...] = setting(
        "atlas.hook.spark.classifications",
        kind=CLASSIFICATIONS,
        default=(),
        doc="Classifications for processes, set when these are first created: `PII`, with attributes `PII(level=high)`, with "
        "options `PII[propagate=false, 2026-01-01/2027-01-01 Europe/Berlin]`. Atlas propagates them along the lineage, unless "
        "`propagate=false` (never those of `v1` messages); periods are when they are valid, by default in GMT. If the server "
        "lacks a type, it drops the message.",
    )
    reads: bool = setting(
        "atlas.hook.spark.reads",
        default=False,
        doc="true: queries whose rows end in the driver (collect, count, show, toPandas …) become processes without "
        "output, which no dataset's lineage shows. Not for Purview or with compat = sac. See [driver "
        "Python](driver-python.md#reads-that-end-there).",
    )
    statement_inputs: bool = setting(
        "atlas.hook.spark.statement.inputs",
        default=False,
        doc="true: a dataset from which the driver's Python read values of a statement "
        "(`atlas.hook.spark.statement.values`) is an input; false: it is reported as an influence on the rows.",
    )
    query_text: QueryText = setting(
        "atlas.hook.spark.query.text",
        default=QueryText.MASKED,
        doc="How SQL text and expressions are sent. masked: string literals and long numbers are ?, paths and "
        "comments are kept; verbatim: unchanged; off: not sent.",
    )
    query_text_length: int = setting(
        "atlas.hook.spark.query.text.max.length",
        kind=integer(0, TEXT_LIMIT, "characters"),
        default=TEXT_LIMIT,
        doc="Longer SQL text is truncated to this length.",
    )
    plan_text: bool = setting(
        "atlas.spark.plan.enabled",
        default=False,
        doc="true: the process' `sparkPlanDescription` holds the analyzed plan, with constants treated as in expressions "
        f"(at most {TEXT_LIMIT:,} characters).",
    )
    sent_max_age_seconds: float = setting(
        "atlas.hook.spark.sent.max.age.seconds",
        kind=seconds(0, 10_000_000),
        default=86_400.0,
        doc="Columns and column lineage are not sent again within this time, across runs that share "
        "`atlas.hook.spool.dir`. 0: always sent.",
    )
    drop_delay_seconds: float = setting(
        "atlas.hook.spark.drop.delay.seconds",
        kind=seconds(0, 86_400),
        default=60.0,
        doc="A dropped table is deleted on the server after this time, at a flush, or at the end of the "
        "application, unless it is re-created before.",
    )
    message_max_bytes: int = setting(
        "atlas.notification.message.max.length.bytes",
        kind=integer(10_000, 100_000_000, "bytes"),
        default=900_000,
        doc="Longer messages are divided. Atlas' own default is 1,000,000; Event Hubs rejects longer records.",
    )
    message_compression: bool = setting(
        "atlas.notification.message.compression.enabled",
        default=True,
        doc="true: a message that is too long and cannot be divided is compressed, then split into parts, which "
        "Atlas reassembles. Never for Event Hubs.",
    )
    message_max_entities: int = setting(
        "atlas.hook.spark.message.max.entities",
        kind=integer(1, 100_000, "entities"),
        default=1_000,
        doc="Messages with more entities are divided. Atlas commits 50 entities at a time.",
    )
