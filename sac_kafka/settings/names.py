"""Settings: what things are called."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.choices import Compat, PathTypes
from sac_kafka.config.declaring import setting
from sac_kafka.config.values import BOOLEAN, LAST, PATTERNS, TEXT, one_of


@dataclass(frozen=True, kw_only=True)
class Names:
    """What things are called."""

    namespace: str = setting(
        "atlas.metadata.namespace",
        "atlas.cluster.name",
        kind=LAST,
        default="primary",
        doc="What stands after the @ of qualified names. Set it: environments that share a name overwrite each other.",
    )
    job_name: str | None = setting(
        "atlas.hook.spark.job.name",
        kind=TEXT,
        default=None,
        shown="`spark.app.name` without dates and ids",
        doc="What flows are named by. It must stay the same from run to run, so that a re-run updates its flows.",
    )
    compat: str = setting(
        "atlas.hook.spark.compat",
        kind=one_of(Compat),
        default=Compat.ATLAS.value,
        doc="sac: names, processes and messages as the Spark Atlas Connector sent them, for those who migrate.",
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
    path_patterns: tuple[str, ...] = setting(
        "atlas.hook.spark.path.patterns",
        kind=PATTERNS,
        default=(),
        doc="Path segments that match are no part of a data set's name, in addition to partitions, dates and run ids.",
    )
