"""Name datasets as assets: by the user's rules, else as the scan of the dataset's system names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from sac_kafka import model
from sac_kafka.atlas.limits import shorten, truncate
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.matching import asset_by_rules
from sac_kafka.purview.names import databases, others, paths, tables
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import normalise

NAME_LIMIT = 1_000
"""Maximum code points of a display name; in any script at most the 4 KB that Purview accepts."""
QUALIFIED_NAME_LIMIT = 4_000
"""Maximum code points of a qualifiedName before normalisation; in any script less than the 32 KB of an attribute."""

ASSETS: Mapping[type[model.Dataset], Callable[..., Asset]] = MappingProxyType(
    {
        model.TableDataset: tables.asset,
        model.PathDataset: paths.asset,
        model.TopicDataset: others.topic,
        model.RdbmsDataset: databases.asset,
        model.HBaseDataset: others.hbase_table,
        model.OtherDataset: others.asset,
        model.ModelDataset: paths.model_asset,
    }
)
"""By class of dataset the function that returns its asset: (dataset, `NamingContext`, is_output) → `Asset`."""


def asset(dataset: model.Dataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return the asset of a dataset under its normalised name.

    The user's rules take precedence; for a path they are applied to each path of the run (`paths.asset`). `is_output` is True
    for a dataset that is written.
    """
    by_rule = None if isinstance(dataset, model.PathDataset) else asset_by_rules(dataset, naming_context)
    found = by_rule or model.row_of(ASSETS, dataset, "ASSETS")(dataset, naming_context, is_output=is_output)
    short = replace(
        found,
        qualified_name=shorten(found.qualified_name, QUALIFIED_NAME_LIMIT),
        name=truncate(found.name, NAME_LIMIT),
    )
    return normalise(short)
