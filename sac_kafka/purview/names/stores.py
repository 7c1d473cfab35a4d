"""Find the containers of scanned object stores: Azure storage (Data Lake Storage, Blob storage, Files) and Amazon S3.

An account of Azure is registered in Purview either as Gen2 or as Blob storage, which differ in type and host. The registration
is inferred from the Hadoop driver of the job: `abfss` means Gen2, `wasbs` Blob storage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sac_kafka.purview.names.containers import Container, StoreTypes
from sac_kafka.purview.names.location import DataLocation

GEN2 = StoreTypes(
    store="ADLS Gen2",
    root="azure_datalake_gen2_filesystem",
    file="azure_datalake_gen2_path",
    folder="azure_datalake_gen2_path",
    resource_set="azure_datalake_gen2_resource_set",
)
BLOB = StoreTypes(
    store="Blob storage",
    root="azure_blob_container",
    file="azure_blob_path",
    folder="azure_blob_path",
    resource_set="azure_blob_resource_set",
)
GEN1 = StoreTypes(
    store="ADLS Gen1",
    root="azure_datalake_gen1_account",
    file="azure_datalake_gen1_path",
    folder="azure_datalake_gen1_path",
    resource_set="azure_datalake_gen1_resource_set",
)
FILES = StoreTypes(
    store="Azure Files",
    root="azure_file_share",
    file="azure_file",
    folder="azure_file_directory",
    resource_set="azure_file_resource_set",
)
_AZURE_ENDPOINT = re.compile(
    r"(?P<account>[a-z0-9]+)(?:-secondary)?(?P<zone>\.z[0-9]+)?(?:\.privatelink)?\.(?P<service>dfs|blob|file)"
    r"\.(?P<cloud>core\.windows\.net|core\.chinacloudapi\.cn|core\.usgovcloudapi\.net|core\.cloudapi\.de|storage\.azure\.net)"
)
"""Hosts of storage accounts in all clouds, with DNS zones, secondary regions and private links."""
_TYPES_OF_SERVICE: Mapping[str, StoreTypes] = {"dfs": GEN2, "blob": BLOB, "file": FILES}
_GEN1_HOST = ".azuredatalakestore.net"
_WEBHDFS = ("webhdfs", "v1")
_ROOT_CONTAINER = "$root"


S3 = StoreTypes(
    store="Amazon S3",
    root="aws_s3_v2_bucket",
    file="aws_s3_v2_object",
    folder="aws_s3_v2_directory",
    resource_set="aws_s3_v2_resource_set",
)
_S3_ENDPOINT = re.compile(
    r"(?:(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\.)?s3(?:[.-][a-z0-9-]{1,40}){0,3}\.amazonaws\.com(?:\.cn)?"
)


def gen2(location: DataLocation) -> Container | None:
    """Return the container of `abfss://container@account.dfs.core.windows.net/path`, also with the host of Blob storage."""
    return _of_driver(location, GEN2, "dfs") if location.container else None


def blob(location: DataLocation) -> Container | None:
    """Return the container of `wasbs://container@account.blob.core.windows.net/path`; `$root` if none is given."""
    return _of_driver(location, BLOB, "blob") if location.host else None


def gen1(location: DataLocation) -> Container | None:
    """Return the account of `adl://account.azuredatalakestore.net/path` or of its HTTPS URL below `/webhdfs/v1`."""
    if not location.host:
        return None
    path = location.segments
    if location.scheme != "adl" and path[:2] == _WEBHDFS:
        path = path[2:]
    return Container(types=GEN1, name=f"adl://{location.host}", path=path)


def _azure_web(location: DataLocation) -> Container | None:
    """Return the container of `https://account.dfs.core.windows.net/container/path`; None for the account and other hosts."""
    if location.host.endswith(_GEN1_HOST):
        return gen1(location)
    found = _AZURE_ENDPOINT.fullmatch(location.host)
    if found is None or not location.segments:
        return None
    container, *path = location.segments
    return Container(
        types=_TYPES_OF_SERVICE[found["service"]],
        name=f"https://{_host(found, found['service'])}/{container}",
        path=tuple(path),
    )


def _of_driver(location: DataLocation, types: StoreTypes, service: str) -> Container:
    found = _AZURE_ENDPOINT.fullmatch(location.host)
    host = location.host if found is None else _host(found, service)
    return Container(
        types=types, name=f"https://{host}/{location.container or _ROOT_CONTAINER}", path=location.segments
    )


def _host(found: re.Match[str], service: str) -> str:
    return f"{found['account']}{found['zone'] or ''}.{service}.{found['cloud']}"


def s3(location: DataLocation) -> Container | None:
    """Return the bucket of `s3a://bucket/key` for any S3 scheme; credentials before the bucket are dropped."""
    return _of_bucket(location.host, location.segments) if location.host else None


def _s3_web(location: DataLocation) -> Container | None:
    """Return the bucket of `https://bucket.s3.REGION.amazonaws.com/key` or `https://s3.REGION.amazonaws.com/bucket/key`."""
    found = _S3_ENDPOINT.fullmatch(location.host)
    if found is None:
        return None
    if found["bucket"]:
        return _of_bucket(found["bucket"], location.segments)
    return _of_bucket(location.segments[0], location.segments[1:]) if location.segments else None


def _of_bucket(bucket: str, key: tuple[str, ...]) -> Container:
    return Container(types=S3, name=f"s3://{bucket}", path=key)


def _web(location: DataLocation) -> Container | None:
    return _azure_web(location) or _s3_web(location)


STORES: Mapping[str, Callable[[DataLocation], Container | None]] = {
    "abfs": gen2,
    "abfss": gen2,
    "wasb": blob,
    "wasbs": blob,
    "adl": gen1,
    "http": _web,
    "https": _web,
    "s3": s3,
    "s3a": s3,
    "s3n": s3,
}
"""Stores scanned by Purview, by the URI schemes of their Hadoop drivers."""
