"""Settings: what is said of a flow and its datasets, and how much of it in a message."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.annotations import CLASSIFICATIONS, CUSTOM_ATTRIBUTES, LABELS
from sac_kafka.config.choices import ColumnLineageMode, Form, TableModel
from sac_kafka.config.declaring import setting
from sac_kafka.config.server_limits import TEXT_LIMIT
from sac_kafka.config.values import BOOLEAN, choice, integer, one_of, seconds


@dataclass(frozen=True, kw_only=True)
class Content:
    """What is said of a flow and its datasets, and how much of it in a message."""

    column_lineage: str = setting(
        "atlas.hook.spark.column.lineage",
        kind=one_of(ColumnLineageMode),
        default=ColumnLineageMode.DIRECT.value,
        doc="direct: columns whose values flow into a column; full: conditions, joins, filters too; off: none.",
    )
    column_lineage_max_nodes: int = setting(
        "atlas.hook.spark.column.lineage.max.nodes",
        kind=integer(1, 10_000_000),
        default=100_000,
        unit="nodes",
        doc="A query with more nodes has table lineage only, with the reason on its process.",
    )
    column_lineage_max_columns: int = setting(
        "atlas.hook.spark.column.lineage.max.columns",
        kind=integer(1, 10_000_000),
        default=20_000,
        unit="columns",
        doc="A query with a node of more columns has table lineage only.",
    )
    column_lineage_max_edges: int = setting(
        "atlas.hook.spark.column.lineage.max.edges",
        kind=integer(1, 1_000_000_000),
        default=2_000_000,
        unit="edges",
        doc="A query whose nodes have more sources of columns, all counted, has table lineage only.",
    )
    message_form: str = setting(
        "atlas.hook.spark.message.form",
        kind=one_of(Form, "auto"),
        default="auto",
        doc="v2: what every server since 1.0 reads; v1: the older Referenceables; auto: v2, under compat = sac v1.",
    )
    table_model: str = setting(
        "atlas.hook.spark.table.model",
        kind=one_of(TableModel, "auto"),
        default="auto",
        doc="Types of the session catalog's tables: spark_table; hive_table by identity only, because a Hive hook "
        "describes them; auto: hive where a remote Hive metastore is configured.",
    )
    dataset_columns: bool = setting(
        "atlas.hook.spark.dataset.columns",
        kind=BOOLEAN,
        default=True,
        doc="false: no columns of paths and topics (avro_schema, avro_field); column lineage then ends at them.",
    )
    labels: tuple[str, ...] = setting(
        "atlas.hook.spark.labels",
        kind=LABELS,
        default=(),
        doc="Labels of processes and applications, when they are new.",
    )
    custom_attributes: tuple[tuple[str, str], ...] = setting(
        "atlas.hook.spark.custom.attributes",
        kind=CUSTOM_ATTRIBUTES,
        default=(),
        doc="Custom attributes of processes and applications, beside those of the run.",
    )
    classifications: tuple[str, ...] = setting(
        "atlas.hook.spark.classifications",
        kind=CLASSIFICATIONS,
        default=(),
        doc="Classifications of processes, when they are new. The server must have their types: it drops the message "
        "otherwise.",
    )
    query_text: str = setting(
        "atlas.hook.spark.query.text",
        kind=choice("masked", "verbatim", "off"),
        default="masked",
        doc="How a statement's SQL text is sent; masked: string literals and long numbers become ?.",
    )
    query_text_length: int = setting(
        "atlas.hook.spark.query.text.max.length",
        kind=integer(0, TEXT_LIMIT),
        default=TEXT_LIMIT,
        unit="characters",
        doc="SQL text is cut after this many characters.",
    )
    plan_text: bool = setting(
        "atlas.spark.plan.enabled",
        kind=BOOLEAN,
        default=False,
        doc=f"true: the analyzed plan, with literals as ?, is the process' details (at most {TEXT_LIMIT:,} characters).",
    )
    sent_max_age_seconds: float = setting(
        "atlas.hook.spark.sent.max.age.seconds",
        kind=seconds(0, 10_000_000),
        default=86_400.0,
        unit="seconds",
        doc="Columns and column lineage that were sent are not sent again before they are older than this; remembered "
        "in `atlas.hook.spool.dir`. 0: everything is sent with every run.",
    )
    drop_delay_seconds: float = setting(
        "atlas.hook.spark.drop.delay.seconds",
        kind=seconds(0, 86_400),
        default=60.0,
        unit="seconds",
        doc="A dropped table is deleted after this time, or at the end or a flush: one that is created again before "
        "is updated, because servers show deleted entities in lineage for ever.",
    )
    message_max_bytes: int = setting(
        "atlas.notification.message.max.length.bytes",
        kind=integer(10_000, 100_000_000),
        default=900_000,
        unit="bytes",
        doc="Messages are divided so that none is longer. Atlas' own default is 1000000; Event Hubs refuses more.",
    )
    message_compression: bool = setting(
        "atlas.notification.message.compression.enabled",
        kind=BOOLEAN,
        default=True,
        doc="A message that is too long and cannot be divided is compressed before it is cut into the parts that Atlas "
        "puts together. Event Hubs gets neither: Purview does not put parts together.",
    )
    message_max_entities: int = setting(
        "atlas.hook.spark.message.max.entities",
        kind=integer(1, 100_000),
        default=1_000,
        unit="entities",
        doc="Messages are divided so that none holds more entities. A server commits 50 entities at a time.",
    )
