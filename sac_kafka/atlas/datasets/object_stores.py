"""Paths of object stores, one entity a level, from the outermost container to the path itself.

Names by the rules of Atlas' own hooks (`AtlasPathExtractorUtil`, the form of release 2.5), so that what a Hive hook
says of a path joins with what we say. Where they give a path no DataSet, or a name that two things share, it is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.limits import INDEXED_LIMIT, bounded
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value

_ADLS_HOST = ".dfs.core.windows.net"


def s3(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """aws_s3_v2_bucket `s3a://bucket@ns`, aws_s3_v2_directory `s3a://bucket/a/b/@ns`.

    The scheme stays: Atlas keeps `s3:` and `s3a:` apart too.
    """
    bucket = qualified_name.authority(uri).rpartition("@")[2]
    if not bucket:
        return None
    root = f"{qualified_name.scheme(uri)}://{bucket}".lower()
    entities = [_entity("aws_s3_v2_bucket", root, bucket, namespace)]
    for name, _, path in _levels(uri):
        entities.append(
            _entity(
                "aws_s3_v2_directory",
                f"{root}{path}/",
                name,
                namespace,
                owner=("container", entities[-1]),
                objectPrefix=bounded(f"{path}/", INDEXED_LIMIT),
            )
        )
    return tuple(entities)


def adls_gen2(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """adls_gen2_account `abfss://account@ns`, _container `abfss://container@account@ns`, _directory `…/a/b@ns`.

    The root of a container is the container; Atlas' rule says the account, which is no DataSet (R9). Of hosts outside
    the public cloud the account is the whole host; Atlas' rule calls them all `null`.
    """
    container, _, host = qualified_name.authority(uri).rpartition("@")
    if not container or not host:
        return None
    scheme, account = qualified_name.scheme(uri), host.lower().removesuffix(_ADLS_HOST)
    root = f"{scheme}://{container}@{account}".lower()
    entities = [_entity("adls_gen2_account", f"{scheme}://{account}", account, namespace)]
    entities.append(_entity("adls_gen2_container", root, container, namespace, owner=("account", entities[0])))
    for name, _, path in _levels(uri):
        entities.append(
            _entity("adls_gen2_directory", f"{root}{path}", name, namespace, owner=("parent", entities[-1]))
        )
    return tuple(entities)


def gcp_storage(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """gcp_storage_bucket `gs://bucket@ns`, gcp_storage_virtual_directory `gs://bucket/a/b/@ns`.

    Servers have these types since 2.2.
    """
    bucket = qualified_name.authority(uri)
    if not bucket:
        return None
    root = f"{qualified_name.scheme(uri)}://{bucket}".lower()
    entities = [_entity("gcp_storage_bucket", root, bucket, namespace)]
    for name, parent, path in _levels(uri):
        entities.append(
            _entity(
                "gcp_storage_virtual_directory",
                f"{root}{path}/",
                name,
                namespace,
                owner=("parent", entities[-1]),
                objectPrefix=bounded(f"{parent}/", INDEXED_LIMIT),
            )
        )
    return tuple(entities)


def ozone(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """ozone_volume `ofs://volume@ns`, _bucket `ofs://volume.bucket@ns`, _key `ofs://service/volume/bucket/a/b@ns`."""
    authority, levels = qualified_name.authority(uri), list(_levels(uri))
    if not levels:
        return None
    scheme = qualified_name.scheme(uri)
    volume = levels[0][0]
    entities = [_entity("ozone_volume", f"{scheme}://{volume}", volume, namespace)]
    for bucket, _, _ in levels[1:2]:
        name = f"{scheme}://{volume}.{bucket}"
        entities.append(_entity("ozone_bucket", name, bucket, namespace, owner=("volume", entities[0])))
    for key, _, path in levels[2:]:
        name = f"{scheme}://{authority}{path}"
        entities.append(_entity("ozone_key", name, key, namespace, owner=("parent", entities[-1])))
    return tuple(entities)


def ozone_of_bucket(uri: str, namespace: str) -> tuple[AtlasEntity, ...] | None:
    """The same of `o3fs://bucket.volume.service/a/b`, whose keys are `o3fs://bucket.volume.service/a/b@ns`."""
    authority, scheme = qualified_name.authority(uri), qualified_name.scheme(uri)
    bucket, _, rest = authority.partition(".")
    volume = rest.partition(".")[0]
    if not bucket or not volume:
        return None
    entities = [_entity("ozone_volume", f"{scheme}://{volume}", volume, namespace)]
    name = f"{scheme}://{volume}.{bucket}"
    entities.append(_entity("ozone_bucket", name, bucket, namespace, owner=("volume", entities[0])))
    for key, _, path in _levels(uri):
        name = f"{scheme}://{authority}{path}"
        entities.append(_entity("ozone_key", name, key, namespace, owner=("parent", entities[-1])))
    return tuple(entities)


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
        attributes={"name": bounded(name, INDEXED_LIMIT), **attributes},
        references={owner[0]: owner[1].id} if owner else {},
    )


def _levels(uri: str) -> Iterator[tuple[str, str, str]]:
    """The directories of a path: (name, path of its parent, its own path), without slashes at the end."""
    parent = ""
    for name in qualified_name.bare_path(uri).split("/"):
        if name:
            yield name, parent, f"{parent}/{name}"
            parent = f"{parent}/{name}"
