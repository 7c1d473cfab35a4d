"""Settings: what is said of a flow and its datasets, and how much of it in a message."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.annotations import CLASSIFICATIONS, CUSTOM_ATTRIBUTES, LABELS
from sac_kafka.config.choices import ColumnLineageMode, MessageForm, QueryText, TableModel, Views
from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.server_limits import TEXT_LIMIT
from sac_kafka.config.values import BOOLEAN, integer, one_of, seconds, switched


@dataclass(frozen=True, kw_only=True, repr=False)
class Content(Subject):
    """What is said of a flow and its datasets, and how much of it in a message.

    `message_form` and `table_model` are None where they follow from the other settings and from the session.
    """

    column_lineage: ColumnLineageMode = setting(
        "atlas.hook.spark.column.lineage",
        "atlas.hook.spark.column.lineage.enabled",
        kind=switched(ColumnLineageMode, on=ColumnLineageMode.FULL, off=ColumnLineageMode.OFF),
        default=ColumnLineageMode.FULL,
        doc="full: the columns whose values flow into a column; apart from them the conditions and windows that "
        "influence it; on the process what decides rows. direct: only what flows. off: no column lineage. "
        "The second key is that of Kyuubi's hook, true or false.",
    )
    column_lineage_max_nodes: int = setting(
        "atlas.hook.spark.column.lineage.max.nodes",
        kind=integer(1, 10_000_000),
        default=100_000,
        unit="nodes",
        doc="A query plan with more nodes gets table lineage only; the process says why.",
    )
    column_lineage_max_columns: int = setting(
        "atlas.hook.spark.column.lineage.max.columns",
        kind=integer(1, 10_000_000),
        default=20_000,
        unit="columns",
        doc="A query plan with a wider node gets table lineage only.",
    )
    column_lineage_max_edges: int = setting(
        "atlas.hook.spark.column.lineage.max.edges",
        kind=integer(1, 1_000_000_000),
        default=2_000_000,
        unit="edges",
        doc="A query plan with more column dependencies in total gets table lineage only.",
    )
    message_form: MessageForm | None = setting(
        "atlas.hook.spark.message.form",
        kind=one_of(MessageForm, by_itself="auto"),
        default=None,
        shown="auto",
        doc="v2: read by every server since 1.0; v1: the older Referenceables; auto: v2, or v1 with "
        "`atlas.hook.spark.compat=sac`, unless Event Hubs takes the messages. Purview reads v2 alone.",
    )
    table_model: TableModel | None = setting(
        "atlas.hook.spark.table.model",
        kind=one_of(TableModel, by_itself="auto"),
        default=None,
        shown="auto",
        doc="The type of tables of the session catalog. spark: spark_table; hive: hive_table, by name only, because a Hive "
        "hook describes them; auto: hive where a remote Hive metastore is configured, else spark.",
    )
    dataset_columns: bool = setting(
        "atlas.hook.spark.dataset.columns",
        kind=BOOLEAN,
        default=True,
        doc="false: paths and topics get no columns (avro_schema, avro_field); column lineage then ends at them.",
    )
    views: Views = setting(
        "atlas.hook.spark.views",
        kind=one_of(Views),
        default=Views.HOP,
        doc="hop: a query over a view has the view as input, and the view's definition is a process of its own; "
        "through: it has the view and all that the view reads as inputs. Under compat = sac always through.",
    )
    labels: tuple[str, ...] = setting(
        "atlas.hook.spark.labels",
        kind=LABELS,
        default=(),
        doc="Labels for processes and applications, given when these are first created.",
    )
    custom_attributes: tuple[tuple[str, str], ...] = setting(
        "atlas.hook.spark.custom.attributes",
        kind=CUSTOM_ATTRIBUTES,
        default=(),
        doc="Custom attributes for processes and applications, in addition to those of the run.",
    )
    classifications: tuple[str, ...] = setting(
        "atlas.hook.spark.classifications",
        kind=CLASSIFICATIONS,
        default=(),
        doc="Classifications for processes, given when these are first created. Atlas propagates them along the lineage, but for "
        "those of `atlas.hook.spark.message.form = v1`. The server must know the types: otherwise it drops the message.",
    )
    reads: bool = setting(
        "atlas.hook.spark.reads",
        kind=BOOLEAN,
        default=False,
        doc="true: queries whose rows end in the driver (collect, count, show, toPandas …) are processes, too: inputs, and no "
        "output, one per job and set of datasets. A server keeps them; the lineage of a dataset does not show them. "
        "Not for Purview, nor under compat = sac.",
    )
    statement_inputs: bool = setting(
        "atlas.hook.spark.statement.inputs",
        kind=BOOLEAN,
        default=False,
        doc="true: a dataset that the driver's Python had read values of a statement from (atlas.hook.spark.statement.values) is "
        "an input of what the statement writes. false: it is reported as what decided the rows, as the columns of a filter "
        "are. See docs/driver-python.md.",
    )
    query_text: QueryText = setting(
        "atlas.hook.spark.query.text",
        kind=one_of(QueryText),
        default=QueryText.MASKED,
        doc="How a statement's SQL text and columns' expressions are sent; masked: string literals and long numbers "
        "become ?, but paths and comments of the statement stay.",
    )
    query_text_length: int = setting(
        "atlas.hook.spark.query.text.max.length",
        kind=integer(0, TEXT_LIMIT),
        default=TEXT_LIMIT,
        unit="characters",
        doc="Longer SQL text is cut off here.",
    )
    plan_text: bool = setting(
        "atlas.spark.plan.enabled",
        kind=BOOLEAN,
        default=False,
        doc="true: the analyzed plan, with constants as in expressions, is the process' sparkPlanDescription "
        f"(at most {TEXT_LIMIT:,} characters).",
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
        doc="A dropped table is deleted after this time, at a flush, or at the end. If it is created again before that, it is "
        "updated instead: servers show deleted entities in lineage for ever.",
    )
    message_max_bytes: int = setting(
        "atlas.notification.message.max.length.bytes",
        kind=integer(10_000, 100_000_000),
        default=900_000,
        unit="bytes",
        doc="Longer messages are divided. Atlas' own default is 1,000,000; Event Hubs rejects anything longer.",
    )
    message_compression: bool = setting(
        "atlas.notification.message.compression.enabled",
        kind=BOOLEAN,
        default=True,
        doc="true: a message that is too long and cannot be divided is compressed, then split into parts, which Atlas puts "
        "together again. Never done for Event Hubs: Purview cannot put parts together.",
    )
    message_max_entities: int = setting(
        "atlas.hook.spark.message.max.entities",
        kind=integer(1, 100_000),
        default=1_000,
        unit="entities",
        doc="Messages with more entities are divided. A server commits 50 entities at a time.",
    )
