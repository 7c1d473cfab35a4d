"""Every setting once: key, type, default, unit and why. Read once from properties, then passed down as a value.

`python -m sac_kafka.settings` prints docs/configuration.md. Nothing here reads a file or the environment; the keys of
Atlas and of the Spark Atlas Connector keep their meaning, what is new is called `atlas.hook.spark.…`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sac_kafka.config.annotations import CLASSIFICATIONS, CUSTOM_ATTRIBUTES, LABELS
from sac_kafka.config.choices import ColumnLineageMode, Compat, Form, PathTypes, TableModel
from sac_kafka.config.declaring import Setting, declared, read_declared, setting
from sac_kafka.config.jaas_sections import JAAS_PREFIX
from sac_kafka.config.page import page
from sac_kafka.config.secrets import SecretMapping
from sac_kafka.config.server_limits import TEXT_LIMIT
from sac_kafka.config.unknown_keys import unknown_keys
from sac_kafka.config.values import BOOLEAN, FIRST, LAST, PATTERNS, TEXT, choice, integer, one_of, seconds
from sac_kafka.errors import ConfigurationError

KAFKA_PREFIX = "atlas.kafka."
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one hook. Durations are seconds, sizes bytes; None means "not set"."""

    enabled: bool = setting(
        "atlas.spark.enabled", kind=BOOLEAN, default=True, doc="false: the hook does not attach at all."
    )
    client_type: str = setting(
        "atlas.client.type",
        kind=choice("kafka", "rest", "file", "console", "memory"),
        default="kafka",
        doc="Where messages go: Kafka, Atlas' notification endpoint over HTTP (Atlas 2.4 or newer), a file (one message "
        "a line), standard output, or a list in memory (for tests).",
    )
    rest_enabled: bool = setting(
        "atlas.hook.rest.notification.enabled",
        kind=BOOLEAN,
        default=False,
        doc="true: the same as `atlas.client.type=rest`, where that is not set; Atlas' own hooks have this key.",
    )
    rest_address: str | None = setting(
        "atlas.hook.rest.notification.address",
        "atlas.rest.address",
        kind=TEXT,
        default=None,
        doc="The address of Atlas for `rest`, such as https://atlas.example.org:21443. Of several, separated by commas, "
        "the next is asked where one does not answer.",
    )
    rest_user: str | None = setting(
        "atlas.rest.basic.auth.username",
        "atlas.client.username",
        kind=TEXT,
        default=None,
        doc="Who posts, for `rest`. Nobody by default: Atlas' own admin is not assumed.",
    )
    rest_password: str | None = setting(
        "atlas.rest.basic.auth.password",
        "atlas.client.password",
        kind=TEXT,
        default=None,
        secret=True,
        doc="The password of who posts.",
    )
    rest_token: str | None = setting(
        "atlas.hook.spark.rest.token",
        kind=TEXT,
        default=None,
        secret=True,
        doc="A bearer token for `rest`, instead of user and password.",
    )
    rest_ca_file: str | None = setting(
        "atlas.hook.spark.rest.ca.file",
        kind=TEXT,
        default=None,
        shown="what the system trusts",
        doc="A PEM file of the certificates that are trusted, for `rest` over https.",
    )
    rest_timeout_seconds: float = setting(
        "atlas.hook.spark.rest.timeout.seconds",
        kind=seconds(0.1, 600),
        default=10.0,
        unit="seconds",
        doc="A request of `rest` that takes longer has failed.",
    )
    rest_body_bytes: int = setting(
        "atlas.notification.rest.body.max.length.bytes",
        kind=integer(10_000, 100_000_000),
        default=_MIB,
        unit="bytes",
        doc="How much `rest` posts in one request, as long as several messages wait.",
    )
    client_file_path: str | None = setting(
        "atlas.client.file.path",
        kind=TEXT,
        default=None,
        doc="The file that `atlas.client.type=file` appends to; required there.",
    )
    namespace: str = setting(
        "atlas.metadata.namespace",
        "atlas.cluster.name",
        kind=LAST,
        default="primary",
        doc="What stands after the @ of qualified names. Set it: environments that share a name overwrite each other.",
    )
    namespace_is_default: bool = True
    topic: str = setting(
        "atlas.notification.hook.topic.name",
        kind=FIRST,
        default="ATLAS_HOOK",
        doc="The Kafka topic of the server's hook consumer.",
    )
    kafka_client: str = setting(
        "atlas.hook.spark.kafka.client",
        kind=choice("auto", "librdkafka", "jvm"),
        default="auto",
        doc="What produces to Kafka: librdkafka, which comes with the hook; or jvm, Kafka's Java client on the driver's "
        "class path, which also does Kerberos, and handlers in Java. auto: librdkafka, unless the settings need the other.",
    )
    kafka_oauth_callback: str | None = setting(
        "atlas.hook.spark.kafka.oauth.callback",
        kind=TEXT,
        default=None,
        doc="Where tokens for `sasl.mechanism=OAUTHBEARER` come from: `module:function`, called with one text as "
        "confluent-kafka's `oauth_cb` is and giving a JWT, or (token, epoch seconds of its end); or `azure_imds`, the "
        "managed identity of a machine in Azure.",
    )
    is_tls_enabled: bool = setting(
        "atlas.enableTLS",
        kind=BOOLEAN,
        default=False,
        doc="true: the password of `atlas.kafka.ssl.truststore.location` is the alias `truststore.password` in "
        "`cert.stores.credential.provider.path`.",
    )
    stores_provider_path: str | None = setting(
        "cert.stores.credential.provider.path",
        kind=TEXT,
        default=None,
        doc="The Hadoop credential store (`jceks://file/…`) of `atlas.enableTLS`.",
    )
    provider_path: str | None = setting(
        "hadoop.security.credential.provider.path",
        kind=TEXT,
        default=None,
        shown="that of the driver's Hadoop configuration",
        doc="The Hadoop credential store of passwords that are given as `********`, each under the alias of its own key.",
    )
    job_name: str | None = setting(
        "atlas.hook.spark.job.name",
        kind=TEXT,
        default=None,
        shown="`spark.app.name` without dates and ids",
        doc="What flows are named by. It must stay the same from run to run, so that a re-run updates its flows.",
    )
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
    compat: str = setting(
        "atlas.hook.spark.compat",
        kind=one_of(Compat),
        default=Compat.ATLAS.value,
        doc="sac: names, processes and messages as the Spark Atlas Connector sent them, for those who migrate.",
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
    path_types: str = setting(
        "atlas.hook.spark.path.types",
        kind=one_of(PathTypes),
        default=PathTypes.NATIVE.value,
        doc="native: types of the store (aws_s3_v2_directory, gcp_storage_virtual_directory …), which the server must "
        "have; generic: only hdfs_path and fs_path.",
    )
    paths_as_tables: bool = setting(
        "atlas.hook.spark.path.as.table",
        kind=BOOLEAN,
        default=True,
        doc="A path that the application has seen to be a table's location is that table, not a dataset of its own.",
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
    path_patterns: tuple[str, ...] = setting(
        "atlas.hook.spark.path.patterns",
        kind=PATTERNS,
        default=(),
        doc="Path segments that match are no part of a data set's name, in addition to partitions, dates and run ids.",
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
    handoff_events: int = setting(
        "atlas.hook.spark.capture.handoff.events",
        kind=integer(1, 100_000),
        default=256,
        unit="events",
        doc="How many events may wait to be projected. They hold live Spark objects; more are dropped and counted.",
    )
    queue_events: int = setting(
        "atlas.hook.spark.capture.queue.events",
        kind=integer(1, 1_000_000),
        default=10_000,
        unit="events",
        doc="How many projected events may wait in the driver's JVM; more are dropped and counted.",
    )
    queue_bytes: int = setting(
        "atlas.hook.spark.capture.queue.bytes",
        kind=integer(_MIB, 2047 * _MIB),
        default=32 * _MIB,
        unit="bytes",
        doc="How much projected text may wait in the driver's JVM; more is dropped and counted.",
    )
    event_values: int = setting(
        "atlas.hook.spark.capture.event.values",
        kind=integer(1_000, 100_000_000),
        default=500_000,
        unit="values",
        doc="Budget of projected values of one event. Beyond it columns are left out, never commands and their inputs.",
    )
    stuck_seconds: float = setting(
        "atlas.hook.spark.capture.stuck.seconds",
        kind=seconds(1, 3600),
        default=30.0,
        unit="seconds",
        doc="A plan that takes longer to project is given up: its stack is logged and another thread goes on.",
    )
    stop_wait_seconds: float = setting(
        "atlas.hook.spark.capture.stop.wait.seconds",
        kind=seconds(0, 600),
        default=2.0,
        unit="seconds",
        doc="The most that `SparkContext.stop` waits for events that are not yet projected.",
    )
    projector_stack_bytes: int = setting(
        "atlas.hook.spark.capture.stack.bytes",
        kind=integer(_MIB, 4096 * _MIB),
        default=256 * _MIB,
        unit="bytes",
        doc="Stack reserved for the projecting thread, for deep plans. Only what is used takes memory.",
    )
    record_path: str | None = setting(
        "atlas.hook.spark.record.path",
        kind=TEXT,
        default=None,
        doc="Every projected batch is also appended to this file, to be replayed in a test or sent with a bug report.",
    )
    attach_timeout_seconds: float = setting(
        "atlas.hook.spark.attach.timeout.seconds",
        kind=seconds(1, 600),
        default=30.0,
        unit="seconds",
        doc="Attaching that takes longer is given up; the job runs on without lineage.",
    )
    exit_timeout_seconds: float = setting(
        "atlas.hook.spark.exit.timeout.seconds",
        kind=seconds(0, 600),
        default=5.0,
        unit="seconds",
        doc="The most that is waited for delivery when the interpreter exits; the rest is spooled.",
    )
    durability: str = setting(
        "atlas.hook.spark.durability",
        kind=choice("on-failure", "spool-first"),
        default="on-failure",
        doc="When messages are written to `atlas.hook.spool.dir`: those that could not be delivered; or all before they "
        "are sent, so that a driver that is killed loses none that it had made.",
    )
    spool_enabled: bool = setting(
        "atlas.hook.spool.enabled",
        kind=BOOLEAN,
        default=True,
        doc="false: messages that cannot be delivered are dropped and counted.",
    )
    spool_dir: str | None = setting(
        "atlas.hook.spool.dir",
        kind=TEXT,
        default=None,
        shown="`<system temp>/sac-kafka-<user>`",
        doc="Where messages that could not be delivered are kept until they can. A directory that cannot be written is "
        "replaced by `<directory>-<user>`.",
    )
    spool_max_bytes: int = setting(
        "atlas.hook.spark.spool.max.bytes",
        kind=integer(64 * 1024, 1024 * 1024 * _MIB),
        default=256 * _MIB,
        unit="bytes",
        doc="The most that the files of the directory take together; beyond it the oldest messages are dropped and "
        "counted.",
    )
    spool_catalog_max_age_seconds: float = setting(
        "atlas.hook.spark.spool.catalog.max.age.seconds",
        kind=seconds(0, 100_000_000),
        default=3600.0,
        unit="seconds",
        doc="Kept messages about what became of tables (created, altered, dropped) that are older are not sent any "
        "more: what they say may have been undone since. Flows are.",
    )
    spool_sync: bool = setting(
        "atlas.hook.spark.spool.sync",
        kind=BOOLEAN,
        default=False,
        doc="true: each kept message is on the disk before the next one, so that it survives a power failure, too "
        "(some 0.4 ms each). What is kept survives the end of the process in any case.",
    )
    spool_retry_ms: int = setting(
        "atlas.hook.spool.destination.retry.ms",
        kind=integer(100, 3_600_000),
        default=30_000,
        unit="milliseconds",
        doc="The longest wait between attempts to deliver what is kept; the first is a second, each twice the one "
        "before. Where a person has to do something (password, certificate), 30 seconds to 10 minutes instead.",
    )
    spool_batch_records: int = setting(
        "atlas.hook.spool.destination.message.batchsize",
        kind=integer(1, 10_000),
        default=100,
        unit="messages",
        doc="How many kept messages are under way at once.",
    )
    spool_rollover_seconds: float = setting(
        "atlas.hook.spool.file.rollover.sec",
        kind=seconds(1, 1_000_000),
        default=60.0,
        unit="seconds",
        doc="After this time, or 8 MiB, kept messages go to a new file.",
    )
    spool_archive_dir: str | None = setting(
        "atlas.hook.spool.archive.dir",
        kind=TEXT,
        default=None,
        shown="none, or `<directory>/archive` if only the next one is set",
        doc="Files whose messages are delivered are moved there instead of being removed.",
    )
    spool_archive_max_files: int | None = setting(
        "atlas.hook.spool.archive.max.files",
        kind=integer(0, 1_000_000),
        default=None,
        shown="`100`",
        unit="files",
        doc="Of more files in the archive the oldest are removed.",
    )
    spool_pause_seconds: float = setting(
        "atlas.hook.spool.pause.before.send.sec",
        kind=seconds(0, 1_000_000),
        default=0.0,
        unit="seconds",
        doc="Accepted, and without effect: what is kept is always sent in the order in which it was made.",
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
    kafka: Mapping[str, str] = field(default_factory=SecretMapping)
    jaas: Mapping[str, str] = field(default_factory=SecretMapping)
    unknown: tuple[str, ...] = ()

    @classmethod
    def read(cls, properties: Mapping[str, str], origin: str, origins: Mapping[str, str] | None = None) -> Settings:
        """Read the settings from properties; a key that is blank counts as not set.

        Args:
            properties: Key to value as `config.properties.read_properties` gives them, Spark's overrides applied.
            origin: Where they come from (a path), for error messages.
            origins: Where single keys come from, if that is known better.

        Raises:
            ConfigurationError: A value is not allowed; the message names origin, key, value and what is allowed.
        """
        values = read_declared(cls, properties, origin, origins)
        if values.get("rest_enabled"):
            values.setdefault("client_type", "rest")
        if values.get("client_type") == "file" and "client_file_path" not in values:
            raise ConfigurationError(
                f"{origin}: atlas.client.type = file: atlas.client.file.path is not set; "
                "set it to the file that messages are to be appended to"
            )
        return cls(
            **values,
            namespace_is_default="namespace" not in values,
            kafka=_below(KAFKA_PREFIX, properties),
            jaas=_below(JAAS_PREFIX, properties),
            unknown=unknown_keys(properties, [key for each in describe() for key in each.keys]),
        )


def _below(prefix: str, properties: Mapping[str, str]) -> SecretMapping:
    return SecretMapping({key[len(prefix) :]: text for key, text in properties.items() if key.startswith(prefix)})


def describe() -> Iterator[Setting]:
    """Give every setting in the order of declaration, for generated documentation."""
    return (each for _, each in declared(Settings))


if __name__ == "__main__":
    sys.stdout.write(page(describe()))
