"""Add the owners that an entity's type requires; without them a server drops the whole message.

Limited to types that no scan of Purview creates: a scanned asset already has an owner, and another one would move it.
"""

from __future__ import annotations

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId

_NAMESPACE = "namespace"


def owners(asset: AtlasObjectId) -> tuple[AtlasEntity, ...]:
    """Return the owners sent with an asset: for an HBase table `namespace:table@cluster` its namespace, else none."""
    if asset.type_name != "hbase_table":
        return ()
    namespace = asset.qualified_name.partition(":")[0]
    cluster = asset.qualified_name.rpartition("@")[2]
    owner = AtlasObjectId("hbase_namespace", f"{namespace}@{cluster}")
    return (AtlasEntity(id=owner, attributes={"name": namespace, "clusterName": cluster}),)


def references(asset: AtlasObjectId) -> dict[str, AtlasObjectId]:
    """Return the owners by the attributes that reference them.

    >>> references(AtlasObjectId("hbase_table", "sales:orders@prod"))["namespace"].qualified_name
    'sales@prod'
    """
    found = owners(asset)
    return {_NAMESPACE: found[0].id} if found else {}
