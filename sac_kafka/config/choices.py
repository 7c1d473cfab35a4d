"""What settings choose among."""

from __future__ import annotations

from enum import Enum


class Compat(Enum):
    """Whose names are used: Atlas' own rules, or those of the Spark Atlas Connector."""

    ATLAS = "atlas"
    SAC = "sac"


class ColumnLineageMode(Enum):
    """How much column lineage is sent.

    `direct`: what flows into the value. `full`: apart from it the conditions and windows that influence the value, and
    once per process what decided which rows were written. `off`: none.
    """

    DIRECT = "direct"
    FULL = "full"
    OFF = "off"


class MessageForm(Enum):
    """How notifications are written: `v2`, which every server since 1.0 reads, or `v1`, the older Referenceables."""

    V2 = "v2"
    V1 = "v1"


class PathTypes(Enum):
    """Which types paths have: `native`, those of their store (aws_s3_v2_directory …), or `generic`, hdfs_path and fs_path."""

    NATIVE = "native"
    GENERIC = "generic"


class TableModel(Enum):
    """Which types tables of the session catalog have.

    `spark`: spark_table. `hive`: hive_table, identity only, because a Hive hook describes them (R29).
    """

    SPARK = "spark"
    HIVE = "hive"


class Views(Enum):
    """What a reader of a persisted view reads.

    `hop`: the view, whose own definition is a flow of its own. `through`: the view and, beside it, all that it reads.
    """

    HOP = "hop"
    THROUGH = "through"


class QueryText(Enum):
    """How SQL text is sent: `masked`, with ? for string literals and long numbers, `verbatim`, or `off`: not at all."""

    MASKED = "masked"
    VERBATIM = "verbatim"
    OFF = "off"


class StatementValues(Enum):
    """The values of a statement that count as evidence of a read: `strong` ones, `all`, or none (`off`)."""

    STRONG = "strong"
    ALL = "all"
    OFF = "off"


class KafkaClientType(Enum):
    """Which Kafka client sends: that which comes with the hook, or the driver's own."""

    LIBRDKAFKA = "librdkafka"
    JVM = "jvm"


class Durability(Enum):
    """When messages are written to files: those that could not be delivered, or all of them, before they are sent."""

    ON_FAILURE = "on-failure"
    SPOOL_FIRST = "spool-first"


class DialectName(Enum):
    """Whose types and names messages have: Atlas' own, or those that the scans of Microsoft Purview give."""

    ATLAS = "atlas"
    PURVIEW = "purview"


class ProcessTypes(Enum):
    """Which types a flow has in Purview: `built-in`, which every account has, or `own`, which `sac-kafka types apply` makes."""

    BUILT_IN = "built-in"
    OWN = "own"


class TableAssets(Enum):
    """What a table is in Purview: the `table`, the `location` in a store that it has, or `both`."""

    TABLE = "table"
    LOCATION = "location"
    BOTH = "both"


class SqlServerPort(Enum):
    """When the name of a SQL Server's table has the port: where the URL has one, always, or never."""

    AS_GIVEN = "as-given"
    ALWAYS = "always"
    NEVER = "never"


class PartitionFolders(Enum):
    """What a folder of a partition (`day=2026-11-21`) is in Purview's name of a resource set: `{day}`, `day={day}` or nothing."""

    COLUMN = "column"
    COLUMN_AND_VALUE = "column-and-value"
    NONE = "none"


class EntraCredential(Enum):
    """By what the hook proves to Microsoft Entra ID who it is."""

    SECRET = "secret"  # noqa: S105 (the name of a kind)
    CERTIFICATE = "certificate"
    MANAGED_IDENTITY = "managed-identity"
    WORKLOAD_IDENTITY = "workload-identity"
    TOKEN = "token"  # noqa: S105
