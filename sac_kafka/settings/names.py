"""Settings: what things are called."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.aliases import ALIASES
from sac_kafka.config.catalog_names import CATALOG_NAMES
from sac_kafka.config.choices import Compat, PathTypes
from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.values import BOOLEAN, FOLDED_SEGMENTS, NAME, NAMESPACE, PATTERNS, SEGMENTS, one_of


@dataclass(frozen=True, kw_only=True, repr=False)
class Names(Subject):
    """What things are called; `namespace_is_default`: nobody has set the namespace."""

    namespace_is_default: bool = True
    namespace: str = setting(
        "atlas.metadata.namespace",
        "atlas.cluster.name",
        kind=NAMESPACE,
        default="primary",
        doc="What follows the @ in qualified names. Set it: environments that share a name overwrite each other's lineage.",
    )
    job_name: str | None = setting(
        "atlas.hook.spark.job.name",
        kind=NAME,
        default=None,
        shown="the platform's, else `spark.app.name` without dates and ids",
        doc="The name under which processes are kept. It must stay the same from run to run, so that a re-run updates them.",
    )
    compat: Compat = setting(
        "atlas.hook.spark.compat",
        kind=one_of(Compat),
        default=Compat.ATLAS,
        doc="sac: the names, processes and messages of the Spark Atlas Connector, for those who migrate from it.",
    )
    catalog_names: tuple[tuple[str, str], ...] = setting(
        "atlas.hook.spark.catalog.names",
        kind=CATALOG_NAMES,
        default=(),
        doc="What catalogs are called where Spark calls them otherwise: `ic=lake,glue_catalog=lake`. Jobs with catalogs over one "
        "warehouse then speak of the same tables. `ic=spark_catalog`: the tables of the session catalog.",
    )
    path_types: PathTypes = setting(
        "atlas.hook.spark.path.types",
        kind=one_of(PathTypes),
        default=PathTypes.NATIVE,
        doc="native: the types of each store (aws_s3_v2_directory, gcp_storage_virtual_directory …), which the server must "
        "know; generic: only hdfs_path and fs_path.",
    )
    paths_as_tables: bool = setting(
        "atlas.hook.spark.path.as.table",
        kind=BOOLEAN,
        default=True,
        doc="true: a path that this application, or an earlier one with the same spool directory, has seen to be a table's "
        "location counts as that table, not as a dataset of its own.",
    )
    path_aliases: tuple[tuple[str, str], ...] = setting(
        "atlas.hook.spark.path.aliases",
        kind=ALIASES,
        default=(),
        doc="Other names of paths, FROM=TO: what begins with FROM is called as if it began with TO. For mounts "
        "(`dbfs:/mnt/raw=abfss://raw@account.dfs.core.windows.net`), the hosts of an HDFS name service, schemes (`s3://=s3a://`).",
    )
    path_kept: tuple[str, ...] = setting(
        "atlas.hook.spark.path.kept",
        kind=SEGMENTS,
        default=(),
        doc="Path segments that stay in the names of datasets as they are, where they would be cut off or replaced by `{date}`, "
        "`{uuid}` or `{run}`: `tenant={uuid}`, `env=*`, `release-20*`. They win over the two settings below.",
    )
    path_folded: tuple[str, ...] = setting(
        "atlas.hook.spark.path.folded",
        kind=FOLDED_SEGMENTS,
        default=(),
        doc="Path segments that are treated as ids of runs: cut off at the end of a path, `{run}` elsewhere: `batch-*`, `v??`; "
        "`tenant=*` makes `tenant={run}`.",
    )
    path_patterns: tuple[str, ...] = setting(
        "atlas.hook.spark.path.patterns",
        kind=PATTERNS,
        default=(),
        doc="The same as regular expressions. Prefer globs, which never take long: a regular expression may, on a path that it "
        "was not made for.",
    )

    @property
    def has_no_job_name(self) -> bool:
        """The job is called as its platform, dbt or the application says; the Spark Atlas Connector's names have no job."""
        return self.job_name is None and self.compat is not Compat.SAC
