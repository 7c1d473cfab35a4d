"""Describe paths: those of object stores by their scheme, all others as hdfs_path or fs_path."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets import object_stores
from sac_kafka.atlas.datasets.avro_schemas import with_fields
from sac_kafka.atlas.datasets.description import DatasetEntities
from sac_kafka.atlas.limits import INDEXED_LIMIT, bounded
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.lineage.model import PathDataset
from sac_kafka.settings.declarations.choices import PathTypes

HADOOP_SCHEMES = frozenset({"hdfs", "viewfs"})
"""Schemes of paths described as hdfs_path. Atlas' own rules use hdfs_path for all other schemes too, and without `@ns`; then
`file:/data` of two clusters would be the same entity, and of a wrong type."""

_STORES: Mapping[str, Callable[[str, str], tuple[AtlasEntity, ...] | None]] = {
    "s3": object_stores.s3,
    "s3a": object_stores.s3,
    "s3n": object_stores.s3,
    "abfs": object_stores.adls_gen2,
    "abfss": object_stores.adls_gen2,
    "gs": object_stores.gcp_storage,
    "ofs": object_stores.ozone,
    "o3fs": object_stores.ozone_of_bucket,
}


def path(dataset: PathDataset, naming: Naming) -> DatasetEntities:
    """Describe a path in the types of its object store, with its columns.

    A path that is invalid in its store (`s3a:/x`, without a bucket) or too deep is described as fs_path.
    """
    is_native = naming.names.path_types is PathTypes.NATIVE and dataset.path.count("/") <= object_stores.MAX_LEVELS
    store = _STORES.get(qualified_name.scheme(dataset.path)) if is_native else None
    head = (store and store(dataset.path, naming.namespace)) or (plain_path(dataset.path, naming),)
    return with_fields(
        head,
        dataset.columns,
        naming,
        name=path_name(dataset.path),
        label=qualified_name.path_label(dataset.path),
        kind=dataset.format,
    )


def plain_path(uri: str, naming: Naming) -> AtlasEntity:
    """Return the hdfs_path or fs_path of a path."""
    type_name = "hdfs_path" if qualified_name.scheme(uri) in HADOOP_SCHEMES else "fs_path"
    return AtlasEntity(
        id=AtlasObjectId(type_name, qualified_name.path(uri, naming.namespace)),
        attributes=known(
            name=path_name(uri),
            path=bounded(uri, INDEXED_LIMIT),
            clusterName=naming.namespace if type_name == "hdfs_path" else None,
        ),
    )


def path_name(uri: str) -> str:
    """Return the label of a path."""
    return bounded(qualified_name.bare_path(uri), INDEXED_LIMIT)
