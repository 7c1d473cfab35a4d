"""Define the enumerations of setting values."""

from __future__ import annotations

from enum import Enum


class Compat(Enum):
    """Naming rules: this hook's (`atlas`), or those of the Spark Atlas Connector (`sac`)."""

    ATLAS = "atlas"
    SAC = "sac"


class ColumnLineageMode(Enum):
    """Amount of column lineage that is sent.

    `direct`: direct dependencies only. `full`: also the conditions and windows that influence a value and, once per
    process, the columns that determine the rows. `off`: none.
    """

    DIRECT = "direct"
    FULL = "full"
    OFF = "off"


class MessageForm(Enum):
    """Format of notifications: `v2`, supported by every server since 1.0, or `v1`, the older Referenceables."""

    V2 = "v2"
    V1 = "v1"


class PathTypes(Enum):
    """Entity types of paths: `native`, those of the store (aws_s3_v2_directory …), or `generic`, hdfs_path and fs_path."""

    NATIVE = "native"
    GENERIC = "generic"


class TableModel(Enum):
    """Entity types of tables in the session catalog.

    `spark`: spark_table. `hive`: hive_table, referenced by name only, because a Hive hook describes them (R29).
    """

    SPARK = "spark"
    HIVE = "hive"


class Views(Enum):
    """Inputs of a query over a persisted view.

    `hop`: the view only; the view's definition is a separate process. `through`: the view and everything it reads.
    """

    HOP = "hop"
    THROUGH = "through"


class QueryText(Enum):
    """Form of SQL text in messages: `masked` (? for string literals and long numbers), `verbatim`, or `off` (not sent)."""

    MASKED = "masked"
    VERBATIM = "verbatim"
    OFF = "off"


class StatementValues(Enum):
    """Values in a statement that are evidence of an earlier read: `strong` ones, `all`, or none (`off`)."""

    STRONG = "strong"
    ALL = "all"
    OFF = "off"


class KafkaClientType(Enum):
    """Kafka client: the one included in the hook (`librdkafka`), or the driver's Java client (`jvm`)."""

    LIBRDKAFKA = "librdkafka"
    JVM = "jvm"


class Durability(Enum):
    """Messages that are written to the spool: only undelivered ones, or all of them before they are sent."""

    ON_FAILURE = "on-failure"
    SPOOL_FIRST = "spool-first"


class DialectName(Enum):
    """Form of messages: types and names of Apache Atlas, or those of Microsoft Purview's scans, or OpenLineage events."""

    ATLAS = "atlas"
    PURVIEW = "purview"
    OPENLINEAGE = "openlineage"


class ProcessTypes(Enum):
    """Process types in Purview: `built-in` ones of every account, or `own` ones created by `sac-kafka types apply`."""

    BUILT_IN = "built-in"
    OWN = "own"


class EngineProcesses(Enum):
    """Type in Atlas of processes of engines other than Spark: Spark's (`spark`), or our `own` of `sac-kafka types apply`."""

    SPARK = "spark"
    OWN = "own"


class TableAssets(Enum):
    """Assets that represent a table in Purview: the `table`, its storage `location`, or `both`."""

    TABLE = "table"
    LOCATION = "location"
    BOTH = "both"


class SqlServerPort(Enum):
    """Whether names of SQL Server tables contain the port: if the URL has one, always, or never."""

    AS_GIVEN = "as-given"
    ALWAYS = "always"
    NEVER = "never"


class PartitionFolders(Enum):
    """Form of a partition folder (`day=2026-11-21`) in the name of a resource set: `{day}`, `day={day}` or omitted."""

    COLUMN = "column"
    COLUMN_AND_VALUE = "column-and-value"
    NONE = "none"


class ReportForm(Enum):
    """Form of the two lines in the driver's log: `text`, one line of `json` each, or none (`off`)."""

    TEXT = "text"
    JSON = "json"
    OFF = "off"


class EntraCredential(Enum):
    """Type of credential for Microsoft Entra ID."""

    SECRET = "secret"  # noqa: S105 (the name of a kind)
    CERTIFICATE = "certificate"
    MANAGED_IDENTITY = "managed-identity"
    WORKLOAD_IDENTITY = "workload-identity"
    TOKEN = "token"  # noqa: S105
