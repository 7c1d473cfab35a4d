"""Settings: what is left out of lineage."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.rules import INCLUDED, RULES, SelectionRule
from sac_kafka.config.values import BOOLEAN


@dataclass(frozen=True, kw_only=True, repr=False)
class LeavingOut(Subject):
    """What is left out: rules about jobs, users, kinds and names of datasets."""

    include: tuple[SelectionRule, ...] = setting(
        "atlas.hook.spark.include",
        kind=INCLUDED,
        default=(),
        doc="If rules name jobs, all other jobs are left out; likewise users, datasets and kinds of datasets. "
        "[Leaving things out](leaving-out.md) has the rules.",
    )
    exclude: tuple[SelectionRule, ...] = setting(
        "atlas.hook.spark.exclude",
        kind=RULES,
        default=(),
        doc="What these rules name is left out, whatever else includes it: `table:tmp_*.*`, `path:/scratch/**`, `topic:*-dlq`, "
        "`jdbc:postgresql://*/audit.*`, `hbase:audit:*`, `other:mongodb://*`, `kind:files`, `job:adhoc-*`, `user:svc_*`.",
    )
    with_defaults: bool = setting(
        "atlas.hook.spark.exclude.defaults",
        kind=BOOLEAN,
        default=True,
        doc="true: working directories of Spark, Hive, table formats and connectors are left out as well: "
        "[which](leaving-out.md#what-is-left-out-by-default).",
    )
