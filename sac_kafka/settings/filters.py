"""Settings: which datasets, jobs and users are excluded from lineage."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.rules import INCLUDED, RULES, SelectionRule


@dataclass(frozen=True, kw_only=True, repr=False)
class Filters(Subject):
    """Rules that include or exclude jobs, users, kinds of datasets, and datasets by name."""

    include: tuple[SelectionRule, ...] = setting(
        "atlas.hook.spark.include",
        kind=INCLUDED,
        default=(),
        doc="If any rule names jobs, all other jobs are excluded; likewise users, datasets and kinds of datasets. "
        "See [filters](filters.md).",
    )
    exclude: tuple[SelectionRule, ...] = setting(
        "atlas.hook.spark.exclude",
        kind=RULES,
        default=(),
        doc="Excludes what these rules match; takes precedence over `include`: `table:tmp_*.*`, `path:/scratch/**`, "
        "`topic:*-dlq`, `kind:files`, `job:adhoc-*`, `user:svc_*`.",
    )
    with_defaults: bool = setting(
        "atlas.hook.spark.exclude.defaults",
        default=True,
        doc="true: also exclude the working directories of Spark, Hive, table formats and connectors "
        "([list](filters.md#what-is-excluded-by-default)).",
    )
