"""Convert the assets of datasets to entities with the owners and attributes that their types require.

A table whose location is in a scanned store has two assets. Without a required owner or attribute a server silently drops the
whole message. Owners are limited to types that no scan of Purview creates: a scanned asset already has an owner, and another
one would move it. All values are derived from the names, so none of them can overwrite what a scan has found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.purview.asset import Asset

_NAMESPACE = "namespace"


@dataclass(frozen=True, slots=True)
class DatasetAssets:
    """Assets of a dataset: its own, and for a table also the one at its location."""

    asset: Asset | None
    location: Asset | None = None

    @property
    def assets(self) -> tuple[Asset, ...]:
        """All assets, the table first."""
        return tuple(each for each in (self.asset, self.location) if each is not None)

    @property
    def primary(self) -> Asset | None:
        """The asset that represents the dataset in labels: the table rather than its files."""
        return self.asset or self.location


def entity(asset: Asset) -> AtlasEntity:
    """Return the entity of an asset with its identity and required attributes only, as the scan supplies the rest."""
    owners = _references(identity(asset))
    return AtlasEntity(
        id=identity(asset),
        attributes={"name": asset.name, **_required_attributes(asset)},
        references=owners,
        relationships=dict.fromkeys(owners, ""),
    )


def owners(asset: AtlasObjectId) -> tuple[AtlasEntity, ...]:
    """Return the owners sent with an asset: for an HBase table `namespace:table@cluster` its namespace, else none."""
    if asset.type_name != "hbase_table":
        return ()
    namespace = asset.qualified_name.partition(":")[0]
    cluster = asset.qualified_name.rpartition("@")[2]
    owner = AtlasObjectId("hbase_namespace", f"{namespace}@{cluster}")
    return (AtlasEntity(id=owner, attributes={"name": namespace, "clusterName": cluster}),)


def _references(asset: AtlasObjectId) -> dict[str, AtlasObjectId]:
    """Return the owners by the attributes that reference them.

    >>> _references(AtlasObjectId("hbase_table", "sales:orders@prod"))["namespace"].qualified_name
    'sales@prod'
    """
    found = owners(asset)
    return {_NAMESPACE: found[0].id} if found else {}


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


def _required_attributes(asset: Asset) -> Mapping[str, str]:
    """Return the attributes that the type of an asset requires.

    >>> orders = Asset(type_name="aws_s3_v2_directory", qualified_name="s3://lake/in/orders/", name="orders", rule="r")
    >>> _required_attributes(orders)
    {'objectPrefix': '/in/orders/'}
    """
    return {name: value(asset) for name, value in _REQUIRED.get(asset.type_name, {}).items()}


def identity(asset: Asset) -> AtlasObjectId:
    """Return the identity of an asset."""
    return AtlasObjectId(asset.type_name, asset.qualified_name)


def each_once(assets: Iterable[Asset]) -> tuple[Asset, ...]:
    """Return the assets without duplicates, as two datasets may be one asset."""
    return tuple({identity(asset): asset for asset in assets}.values())
