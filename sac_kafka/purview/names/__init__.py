"""What datasets are in Purview: a user's rule first, then what the scan of the dataset's system makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sac_kafka.atlas.limits import bounded, shortened
from sac_kafka.lineage.model import (
    Dataset,
    HBaseDataset,
    ModelDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.matching import mapped
from sac_kafka.purview.names import databases, others, paths, tables, topics
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import normalised

NAME_LIMIT = 1_000
"""Longest name that a person reads, in code points: in any script the 4 KB that Purview takes."""
QUALIFIED_NAME_LIMIT = 4_000
"""Longest qualifiedName, in code points, before it is written as Purview does: then in any script less than the 32 KB of an
attribute."""


def _directory(dataset: ModelDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """A model is its directory: a folder, whatever files are in it."""
    del is_output
    return paths.asset(dataset, replace(naming_context, uses_resource_sets=False), is_output=True)


_FAMILIES: Mapping[type, Callable[..., Asset]] = {
    PathDataset: paths.asset,
    ModelDataset: _directory,
    TableDataset: tables.asset,
    RdbmsDataset: databases.asset,
    TopicDataset: topics.asset,
    HBaseDataset: others.asset,
    OtherDataset: others.asset,
}


def asset(dataset: Dataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """What a dataset is in Purview.

    The user's rules are asked first, of a path for each of its places (`paths.asset`). `is_output` tells what is written
    from what is read. The name is as Purview writes it.
    """
    by_rule = None if isinstance(dataset, PathDataset) else mapped(dataset, naming_context, naming_context.rules)
    found = by_rule or _FAMILIES[type(dataset)](dataset, naming_context, is_output=is_output)
    short = replace(
        found,
        qualified_name=shortened(found.qualified_name, QUALIFIED_NAME_LIMIT),
        name=bounded(found.name, NAME_LIMIT),
    )
    return normalised(short)
