"""Describe paths: those of object stores with one entity per level, all others as hdfs_path or fs_path.

The names of levels follow Atlas' own hooks (`AtlasPathExtractorUtil` of release 2.5), so that the entities are those of a Hive
hook. Deviations are documented at each function: paths for which Atlas' rule names no DataSet, or the same name for two paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets.description import DatasetEntities, with_fields
from sac_kafka.atlas.limits import INDEXED_LIMIT, truncate
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.model import PathDataset
from sac_kafka.settings.declarations.choices import PathTypes

_ADLS_HOST = ".dfs.core.windows.net"
MAX_LEVELS = 100
"""Maximum depth of a path. Messages contain every level, and the name of a level contains all levels above it."""


def s3(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """aws_s3_v2_bucket `s3a://bucket@ns`, aws_s3_v2_directory `s3a://bucket/a/b/@ns`.

    The names contain the scheme, as in Atlas: `s3:` and `s3a:` are different entities.
    """
    types = ("aws_s3_v2_bucket", "aws_s3_v2_directory")
    return _in_bucket(uri, namespace, types, owner="container", prefix=lambda _parent, path: path)


def gcp_storage(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """gcp_storage_bucket `gs://bucket@ns`, gcp_storage_virtual_directory `gs://bucket/a/b/@ns`.

    Atlas has these types since 2.2.
    """
    types = ("gcp_storage_bucket", "gcp_storage_virtual_directory")
    return _in_bucket(uri, namespace, types, owner="parent", prefix=lambda parent, _path: parent)


def _in_bucket(
    uri: str, namespace: str, types: tuple[str, str], *, owner: str, prefix: Callable[[str, str], str]
) -> tuple[AtlasEntity, ...] | None:
    bucket = qualified_name.authority(uri).rpartition("@")[2]
    if not bucket:
        return None
    root = f"{qualified_name.scheme(uri)}://{bucket}".lower()
    outer = [_entity(types[0], root, bucket, namespace)]
    return _nest(outer, types[1], _levels(uri), root, namespace, owner=owner, end="/", prefix=prefix)


def adls_gen2(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """adls_gen2_account `abfss://account@ns`, _container `abfss://container@account@ns`, _directory `…/a/b@ns`.

    The root of a container is the container; Atlas' rule returns the account, which is not a DataSet (R9). For hosts outside
    the public cloud the account is the whole host; Atlas' rule names them all `null`.
    """
    container, _, host = qualified_name.authority(uri).rpartition("@")
    if not container or not host:
        return None
    scheme, account = qualified_name.scheme(uri), host.lower().removesuffix(_ADLS_HOST)
    root = f"{scheme}://{container}@{account}".lower()
    outer = _entity("adls_gen2_account", f"{scheme}://{account}", account, namespace)
    inner = _entity("adls_gen2_container", root, container, namespace, owner=("account", outer))
    return _nest([outer, inner], "adls_gen2_directory", _levels(uri), root, namespace)


def ozone(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """ozone_volume `ofs://volume@ns`, _bucket `ofs://volume.bucket@ns`, _key `ofs://service/volume/bucket/a/b@ns`."""
    levels = _levels(uri)
    if not levels:
        return None
    within = "".join(f"/{level}" for level in levels[:2])
    return _ozone(uri, namespace, levels[0], levels[1] if len(levels) > 1 else None, levels[2:], within)


def ozone_of_bucket(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """Describe a path `o3fs://bucket.volume.service/a/b` like `ozone`, with keys `o3fs://bucket.volume.service/a/b@ns`."""
    bucket, _, rest = qualified_name.authority(uri).partition(".")
    volume = rest.partition(".")[0]
    if not bucket or not volume:
        return None
    return _ozone(uri, namespace, volume, bucket, _levels(uri))


def _ozone(
    uri: str, namespace: str, volume: str, bucket: str | None, keys: Sequence[str], within: str = ""
) -> tuple[AtlasEntity, ...]:
    scheme = qualified_name.scheme(uri)
    outer = [_entity("ozone_volume", f"{scheme}://{volume}", volume, namespace)]
    if bucket is not None:
        stem = f"{scheme}://{volume}.{bucket}"
        outer.append(_entity("ozone_bucket", stem, bucket, namespace, owner=("volume", outer[0])))
    return _nest(outer, "ozone_key", keys, f"{scheme}://{qualified_name.authority(uri)}{within}", namespace)


def _entity(
    type_name: str,
    stem: str,
    name: str,
    namespace: str,
    *,
    owner: tuple[str, AtlasEntity] | None = None,
    **attributes: Value,
) -> AtlasEntity:
    return AtlasEntity(
        id=AtlasObjectId(type_name, qualified_name.of_stem(stem, namespace)),
        attributes={"name": truncate(name, INDEXED_LIMIT), **attributes},
        references={owner[0]: owner[1].id} if owner else {},
    )


def _levels(uri: str) -> tuple[str, ...]:
    """Return the names of the directories of a path, outermost first, at most MAX_LEVELS."""
    return tuple(filter(None, qualified_name.bare_path(uri).split("/")))[:MAX_LEVELS]


def _nest(
    outer: Sequence[AtlasEntity],
    type_name: str,
    levels: Iterable[str],
    root: str,
    namespace: str,
    *,
    owner: str = "parent",
    end: str = "",
    prefix: Callable[[str, str], str] | None = None,
) -> tuple[AtlasEntity, ...]:
    """Return the outer entities and one entity per level, each owned by the previous one.

    `owner` is the attribute that references the previous entity. The name of a level is `root`, its path and `end`.
    `prefix` returns the objectPrefix of a level, without the trailing slash, from the path of its parent and its own; None for
    types without this attribute.
    """
    entities, path = [*outer], ""
    for name in levels:
        parent, path = path, f"{path}/{name}"
        more = {"objectPrefix": truncate(f"{prefix(parent, path)}/", INDEXED_LIMIT)} if prefix else {}
        entities.append(_entity(type_name, f"{root}{path}{end}", name, namespace, owner=(owner, entities[-1]), **more))
    return tuple(entities)


HADOOP_SCHEMES = frozenset({"hdfs", "viewfs"})
"""Schemes of paths described as hdfs_path. Atlas' own rules use hdfs_path for all other schemes too, and without `@ns`; then
`file:/data` of two clusters would be the same entity, and of a wrong type."""

_STORES: Mapping[str, Callable[[str, str], tuple[AtlasEntity, ...] | None]] = {
    "s3": s3,
    "s3a": s3,
    "s3n": s3,
    "abfs": adls_gen2,
    "abfss": adls_gen2,
    "gs": gcp_storage,
    "ofs": ozone,
    "o3fs": ozone_of_bucket,
}


def path(dataset: PathDataset, naming: Naming) -> DatasetEntities:
    """Describe a path in the types of its object store, with its columns.

    A path that is invalid in its store (`s3a:/x`, without a bucket) or too deep is described as fs_path.
    """
    is_native = naming.names.path_types is PathTypes.NATIVE and dataset.path.count("/") <= MAX_LEVELS
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
            path=truncate(uri, INDEXED_LIMIT),
            clusterName=naming.namespace if type_name == "hdfs_path" else None,
        ),
    )


def path_name(uri: str) -> str:
    """Return the label of a path."""
    return truncate(qualified_name.bare_path(uri), INDEXED_LIMIT)
