"""What types demand of an entity beside its names: without it Purview drops the whole message, and says nothing.

All of it can be read out of the names: nothing that a scan may know better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sac_kafka.purview.asset import Asset


def _stem(asset: Asset) -> str:
    return asset.qualified_name.rpartition("@")[0] or asset.qualified_name


def _key(asset: Asset) -> str:
    """`/orders/` of `s3://lake/orders/`, as Atlas' own hooks write it."""
    return f"/{asset.qualified_name.partition('://')[2].partition('/')[2]}"


def _name(asset: Asset) -> str:
    return asset.name


_DEMANDED: Mapping[str, Mapping[str, Callable[[Asset], str]]] = {
    "aws_s3_v2_directory": {"objectPrefix": _key},
    "fs_path": {"path": _stem},
    "hbase_table": {"uri": _name},
    "hdfs_path": {"path": _stem},
    "kafka_topic": {"topic": _name, "uri": _name},
}
"""Types that Purview has from Atlas' base model; those of its own scans demand nothing."""


def demanded(asset: Asset) -> Mapping[str, str]:
    """The attributes that the type of an asset demands.

    >>> demanded(Asset(type_name="aws_s3_v2_directory", qualified_name="s3://lake/in/orders/", name="orders", rule="r"))
    {'objectPrefix': '/in/orders/'}
    """
    return {name: value(asset) for name, value in _DEMANDED.get(asset.type_name, {}).items()}
