"""Declare names that connectors give their data themselves, by OpenLineage's extension interfaces and table properties."""

from __future__ import annotations

from sac_kafka.plan.declaration import spark_class

NAMESPACE, NAME = "openlineage.dataset.namespace", "openlineage.dataset.name"
"""Properties of a V2 table that hold such a name."""


@spark_class("sackafka.OwnName")
class OwnName:
    """A dataset name in OpenLineage's form (`postgres://db1:5432`, `shop.sales.orders`); `tables` are its symlinks."""

    namespace: str
    name: str
    tables: tuple[OwnName, ...] = ()
