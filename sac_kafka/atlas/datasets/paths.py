"""Paths: hdfs_path and fs_path, and which scheme belongs to which object store."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets import object_stores
from sac_kafka.atlas.datasets.avro_schemas import with_fields
from sac_kafka.atlas.datasets.description import DatasetEntities, Rules
from sac_kafka.atlas.limits import INDEXED_LIMIT, bounded
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.config.choices import PathTypes
from sac_kafka.lineage.model import PathDataset

HADOOP_SCHEMES = frozenset({"hdfs", "viewfs"})
"""What a Hadoop file system of its own stands behind. In Atlas' own rules hdfs_path is the catch-all; so every
`file:` and `wasb:` would be called by a wrong type, and without `@ns` two clusters' `file:/data` would be one."""

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
    """Describe a path in the types of its store, with its columns.

    A path that its store cannot have (`s3a:/x`, no bucket), or that is too deep, is an fs_path.
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
    """hdfs_path or fs_path."""
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


RULES: Rules = {PathDataset: path}
