"""What decides how things are called: the choices of the settings and of the session, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class TableModel(Enum):
    """Which types tables of the session catalog have.

    `spark`: spark_table. `hive`: hive_table, identity only, because a Hive hook describes them (R29).
    """

    SPARK = "spark"
    HIVE = "hive"


class PathTypes(Enum):
    """Which types paths have: `native`, those of their store (aws_s3_v2_directory …), or `generic`, hdfs_path and fs_path."""

    NATIVE = "native"
    GENERIC = "generic"


class Compat(Enum):
    """Whose names are used: Atlas' own rules, or those of the Spark Atlas Connector."""

    ATLAS = "atlas"
    SAC = "sac"


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """How datasets are called.

    `namespace` is `atlas.metadata.namespace`. `has_dataset_columns` is False where columns of paths and topics
    (avro_schema, avro_field) are not to be sent. `application_id` and `application_name` and `metastore` (what SAC puts
    before the names of its tables, None for an application's own catalog) count under `Compat.SAC` only.
    """

    namespace: str
    table_model: TableModel = TableModel.SPARK
    path_types: PathTypes = PathTypes.NATIVE
    has_dataset_columns: bool = True
    compat: Compat = Compat.ATLAS
    application_id: str = ""
    application_name: str = ""
    metastore: str | None = None
