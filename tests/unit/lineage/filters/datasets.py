"""Short constructors of datasets and of filter rules."""

from __future__ import annotations

from sac_kafka.model import (
    Dataset,
    HBaseDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.names.paths import root
from sac_kafka.settings.declarations.rules import parse_include, rules
from sac_kafka.stages.filters.rulings import Selection


def path(uri: str, *more: str) -> PathDataset:
    """Return the dataset of a path, named as the lineage engine does."""
    return PathDataset(path=root(uri), format="parquet", locations=(uri, *more))


def table(name: str, catalog: str | None = None) -> TableDataset:
    database, _, last = name.rpartition(".")
    return TableDataset(catalog=catalog, database=database, name=last)


def topic(name: str) -> TopicDataset:
    return TopicDataset(topic=name, servers="broker:9092")


def rdbms(kind: str, host: str, port: int | None, database: str, name: str) -> RdbmsDataset:
    schema, _, last = name.rpartition(".")
    return RdbmsDataset(rdbms_type=kind, host=host, port=port, database=database, schema=schema or None, table=last)


def hbase(name: str) -> HBaseDataset:
    namespace, _, last = name.rpartition(":")
    return HBaseDataset(namespace=namespace, table=last)


def other(system: str, host: str, *parts: str) -> OtherDataset:
    return OtherDataset(system=system, host=host, parts=parts)


def selection(exclude: str = "", include: str = "", *, with_defaults: bool = False) -> Selection:
    return Selection(parse_include(include), rules(exclude), with_defaults=with_defaults)


def is_kept(dataset: Dataset, exclude: str = "", include: str = "", *, with_defaults: bool = False) -> bool:
    return selection(exclude, include, with_defaults=with_defaults).dataset(dataset).is_kept
