"""Settings: names of jobs, catalogs, paths and tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sac_kafka.masking import mask_value
from sac_kafka.settings.declarations.choices import Compat, PathTypes
from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import (
    FOLDED_SEGMENTS,
    NAME,
    NAMESPACE,
    PATH,
    PATTERNS,
    SEGMENTS,
    Kind,
)

_PATH = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/.*")
_NO_HOST = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+:)///(?=[^/])")
_MAX_PAIRS = 1_000


def _aliases(text: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        alias, equals, target = (part.strip() for part in pair.partition("="))
        if not equals or not _PATH.fullmatch(alias) or not _PATH.fullmatch(target):
            raise ValueError("must be pairs FROM=TO of paths with their schemes, separated by commas")
        alias, target = _normalize(alias), _normalize(target)
        if found.setdefault(alias, target) != target:
            raise ValueError(f"maps {PATH.read(alias)} to two paths")
        if alias.endswith("/") != target.endswith("/"):
            raise ValueError("must have a path on both sides, or only a scheme (s3://=s3a://)")
        PATH.read(alias), PATH.read(target)
    if len(found) > _MAX_PAIRS:
        raise ValueError(f"must be at most {_MAX_PAIRS:,} pairs")
    return tuple(found.items())


def _normalize(path: str) -> str:
    """Write a path like Hadoop does; a scheme without a path keeps its slashes."""
    path = _NO_HOST.sub(r"\1/", path)
    return path if path.endswith((":/", "://")) else path.rstrip("/")


ALIASES = Kind("pairs FROM=TO of paths, separated by commas", _aliases, is_list=True)


_NAME = re.compile(r"[^\s'\"`#@.,=]+")


def _catalog_names(text: str) -> tuple[tuple[str, str], ...]:
    result: dict[str, str] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        old, is_pair, new = (each.strip() for each in part.partition("="))
        if not is_pair or not _NAME.fullmatch(old) or not _NAME.fullmatch(new):
            raise ValueError(f"{mask_value(part)!r} must be SPARK_CATALOG=NEW_NAME")
        result[old] = new
    return tuple(result.items())


CATALOG_NAMES = Kind("SPARK_CATALOG=NEW_NAME pairs, separated by commas", _catalog_names, is_list=True)


@dataclass(frozen=True, kw_only=True, repr=False)
class Names(Subject):
    """Names of jobs, catalogs, paths and tables; `namespace_is_default` is True if the namespace is not configured."""

    namespace_is_default: bool = True
    namespace: str = setting(
        "atlas.metadata.namespace",
        "atlas.cluster.name",
        kind=NAMESPACE,
        default="primary",
        doc="The part after the @ in qualified names. Set it: environments with the same namespace overwrite "
        "each other's lineage.",
    )
    job_name: str | None = setting(
        "atlas.hook.spark.job.name",
        kind=NAME,
        documented="the platform's, else `spark.app.name` without dates and ids",
        doc="The job name used in the qualified names of processes. It must not change between runs, so that a "
        "re-run updates them.",
    )
    compat: Compat = setting(
        "atlas.hook.spark.compat",
        default=Compat.ATLAS,
        doc="sac: uses the names, processes and messages of the Spark Atlas Connector, for migration from it.",
    )
    catalog_names: tuple[tuple[str, str], ...] = setting(
        "atlas.hook.spark.catalog.names",
        kind=CATALOG_NAMES,
        default=(),
        doc="Renames catalogs that name one warehouse differently: `ic=lake,glue_catalog=lake`. `ic=spark_catalog`: "
        "names the tables of `ic` like those of the session catalog.",
    )
    path_types: PathTypes = setting(
        "atlas.hook.spark.path.types",
        default=PathTypes.NATIVE,
        doc="native: the types of each store (aws_s3_v2_directory, gcp_storage_virtual_directory …), which must exist on the "
        "server; generic: only hdfs_path and fs_path.",
    )
    paths_as_tables: bool = setting(
        "atlas.hook.spark.path.as.table",
        default=True,
        doc="true: a path that is known as the location of a table, from this application or an earlier one with "
        "the same spool directory, is reported as that table.",
    )
    path_aliases: tuple[tuple[str, str], ...] = setting(
        "atlas.hook.spark.path.aliases",
        kind=ALIASES,
        default=(),
        doc="The prefix FROM is replaced by TO. For mounts "
        "(`dbfs:/mnt/raw=abfss://raw@account.dfs.core.windows.net`), hosts of an HDFS name service and schemes (`s3://=s3a://`).",
    )
    path_kept: tuple[str, ...] = setting(
        "atlas.hook.spark.path.kept",
        kind=SEGMENTS,
        default=(),
        doc="Path segments that are kept in names although they would be cut off or replaced by `{date}`, `{uuid}` "
        "or `{run}`: `tenant={uuid}`, `env=*`. Takes precedence over `path.folded` and `path.patterns`.",
    )
    path_folded: tuple[str, ...] = setting(
        "atlas.hook.spark.path.folded",
        kind=FOLDED_SEGMENTS,
        default=(),
        doc="Path segments that are treated as run ids, cut off at the end of a path, replaced by `{run}` "
        "elsewhere: `batch-*`, `v??`; `tenant=*` becomes `tenant={run}`.",
    )
    path_patterns: tuple[str, ...] = setting(
        "atlas.hook.spark.path.patterns",
        kind=PATTERNS,
        default=(),
        doc="Like `path.folded`, but regular expressions, which can be very slow on unexpected paths.",
    )

    @property
    def has_no_job_name(self) -> bool:
        """True if the job name is to be derived from the platform, dbt or the application.

        False under `compat = sac`, whose names contain no job.
        """
        return self.job_name is None and self.compat is not Compat.SAC
