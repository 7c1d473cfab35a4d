"""What connectors call their data themselves, by OpenLineage's extension interfaces and properties of tables."""

from __future__ import annotations

from sac_kafka.plan.declaration import spark_class

NAMESPACE, NAME = "openlineage.dataset.namespace", "openlineage.dataset.name"
"""The properties of a V2 table that say it."""


@spark_class("sackafka.OwnName")
class OwnName:
    """A name as OpenLineage has them (`postgres://db1:5432`, `shop.sales.orders`); `tables` are those that it is known as."""

    namespace: str
    name: str
    tables: tuple[OwnName, ...] = ()
