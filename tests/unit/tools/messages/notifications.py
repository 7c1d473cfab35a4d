"""Notifications of tests of what a server holds."""

from __future__ import annotations

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate


def entity(
    type_name: str, name: str, references: dict[str, tuple[AtlasObjectId, ...]] | None = None, **attributes: Value
) -> AtlasEntity:
    return AtlasEntity(id=AtlasObjectId(type_name, name), attributes=attributes, references=references or {})


def column(dataset: str, name: str) -> AtlasObjectId:
    """Return the id of a column: `sales.orders@ns`, `id` is `sales.orders.id@ns`."""
    stem, _, namespace = dataset.partition("@")
    return AtlasObjectId("spark_column", f"{stem}.{name}@{namespace}")


def table(name: str, *columns: str) -> tuple[AtlasEntity, ...]:
    """Return a table and its columns."""
    id_ = AtlasObjectId("spark_table", name)
    own = (AtlasEntity(id=column(name, each), attributes={"name": each}, references={"table": id_}) for each in columns)
    return (AtlasEntity(id=id_, attributes={}), *own)


def flow_between(
    type_name: str, source: str, target: str, *columns: str, process: str = "p@ns", **attributes: Value
) -> EntityCreate:
    """Return the message of a process that copies columns; the lineage of column `c` is `p:c@ns`."""
    id_ = AtlasObjectId("spark_process", process)
    stem, _, namespace = process.partition("@")
    ends = {"inputs": (AtlasObjectId(type_name, source),), "outputs": (AtlasObjectId(type_name, target),)}
    lineages = (
        entity(
            "spark_column_lineage",
            f"{stem}:{each}@{namespace}",
            {"process": (id_,), "inputs": (column(source, each),), "outputs": (column(target, each),)},
            description=f"identity: {each}",
        )
        for each in columns
    )
    datasets = (*table(source, *columns), *table(target, *columns))
    return EntityCreate(entities=(*datasets, entity("spark_process", process, ends, **attributes), *lineages))


def deletion(type_name: str, *names: str) -> EntityDelete:
    return EntityDelete(ids=tuple(AtlasObjectId(type_name, each) for each in names))


def renaming(type_name: str, old: str, new: str) -> EntityPartialUpdate:
    return EntityPartialUpdate(id=AtlasObjectId(type_name, old), attributes={"qualifiedName": new})
