"""Derive the attributes that some Atlas types require in addition to the names of an entity.

Purview drops a whole message silently if one of them is missing. All values are derived from the names, so none of them
can overwrite what a scan has found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sac_kafka.purview.asset import Asset


def _stem(asset: Asset) -> str:
    return asset.qualified_name.rpartition("@")[0] or asset.qualified_name


def _key(asset: Asset) -> str:
    """Return the key with a leading slash (`/orders/` for `s3://lake/orders/`), as Atlas' own hooks write it."""
    return f"/{asset.qualified_name.partition('://')[2].partition('/')[2]}"


def _name(asset: Asset) -> str:
    return asset.name


_REQUIRED: Mapping[str, Mapping[str, Callable[[Asset], str]]] = {
    "aws_s3_v2_directory": {"objectPrefix": _key},
    "fs_path": {"path": _stem},
    "hbase_table": {"uri": _name},
    "hdfs_path": {"path": _stem},
    "kafka_topic": {"topic": _name, "uri": _name},
}
"""Required attributes by type. Only types of Atlas' base model have any; types of Purview's scans have none."""


def required_attributes(asset: Asset) -> Mapping[str, str]:
    """Return the attributes that the type of an asset requires.

    >>> orders = Asset(type_name="aws_s3_v2_directory", qualified_name="s3://lake/in/orders/", name="orders", rule="r")
    >>> required_attributes(orders)
    {'objectPrefix': '/in/orders/'}
    """
    return {name: value(asset) for name, value in _REQUIRED.get(asset.type_name, {}).items()}
