"""The owners that types demand of an entity: without them a server drops the whole message.

Only of what no scan of Purview's fills: a scanned asset has its owner, and another one would move it.
"""

from __future__ import annotations

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId

_NAMESPACE = "namespace"


def owners(asset: AtlasObjectId) -> tuple[AtlasEntity, ...]:
    """Return the owners sent with an asset: the namespace of a table of HBase, `namespace:table@cluster`."""
    if asset.type_name != "hbase_table":
        return ()
    namespace = asset.qualified_name.partition(":")[0]
    cluster = asset.qualified_name.rpartition("@")[2]
    named = AtlasObjectId("hbase_namespace", f"{namespace}@{cluster}")
    return (AtlasEntity(id=named, attributes={"name": namespace, "clusterName": cluster}),)


def references(asset: AtlasObjectId) -> dict[str, AtlasObjectId]:
    """Return the owners by the attributes that reference them.

    >>> references(AtlasObjectId("hbase_table", "sales:orders@prod"))["namespace"].qualified_name
    'sales@prod'
    """
    found = owners(asset)
    return {_NAMESPACE: found[0].id} if found else {}
