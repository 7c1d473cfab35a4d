"""Storage of Azure: Data Lake Storage Gen2 and Gen1, Blob storage, Azure Files.

An account is registered in Purview either as Gen2 or as Blob storage, and the names differ in type and host. Nothing says
which, but the driver that a job uses: `abfss` stands for Gen2, `wasbs` for Blob.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sac_kafka.purview.names.containers import Container, Types
from sac_kafka.purview.names.location import DataLocation

GEN2 = Types(
    store="ADLS Gen2",
    root="azure_datalake_gen2_filesystem",
    file="azure_datalake_gen2_path",
    folder="azure_datalake_gen2_path",
    resource_set="azure_datalake_gen2_resource_set",
)
BLOB = Types(
    store="Blob storage",
    root="azure_blob_container",
    file="azure_blob_path",
    folder="azure_blob_path",
    resource_set="azure_blob_resource_set",
)
GEN1 = Types(
    store="ADLS Gen1",
    root="azure_datalake_gen1_account",
    file="azure_datalake_gen1_path",
    folder="azure_datalake_gen1_path",
    resource_set="azure_datalake_gen1_resource_set",
)
FILES = Types(
    store="Azure Files",
    root="azure_file_share",
    file="azure_file",
    folder="azure_file_directory",
    resource_set="azure_file_resource_set",
)
_ENDPOINT = re.compile(
    r"(?P<account>[a-z0-9]+)(?:-secondary)?(?P<zone>\.z[0-9]+)?(?:\.privatelink)?\.(?P<service>dfs|blob|file)"
    r"\.(?P<cloud>core\.windows\.net|core\.chinacloudapi\.cn|core\.usgovcloudapi\.net|core\.cloudapi\.de|storage\.azure\.net)"
)
"""Hosts of accounts: of all clouds, of DNS zones, of the secondary region, as private links call them."""
_TYPES_OF_SERVICE: Mapping[str, Types] = {"dfs": GEN2, "blob": BLOB, "file": FILES}
_GEN1_HOST = ".azuredatalakestore.net"
_WEBHDFS = ("webhdfs", "v1")
_ROOT_CONTAINER = "$root"


def gen2(location: DataLocation) -> Container | None:
    """`abfss://container@account.dfs.core.windows.net/path`; on the host of Blob storage the same."""
    return _of_driver(location, GEN2, "dfs") if location.container else None


def blob(location: DataLocation) -> Container | None:
    """`wasbs://container@account.blob.core.windows.net/path`; without a container the account's `$root`."""
    return _of_driver(location, BLOB, "blob") if location.host else None


def gen1(location: DataLocation) -> Container | None:
    """`adl://account.azuredatalakestore.net/path`; over HTTPS the same behind `/webhdfs/v1`."""
    if not location.host:
        return None
    path = location.segments
    if location.scheme != "adl" and path[:2] == _WEBHDFS:
        path = path[2:]
    return Container(types=GEN1, name=f"adl://{location.host}", path=path)


def web(location: DataLocation) -> Container | None:
    """`https://account.dfs.core.windows.net/container/path`, by its host; None for the account itself and other hosts."""
    if location.host.endswith(_GEN1_HOST):
        return gen1(location)
    found = _ENDPOINT.fullmatch(location.host)
    if found is None or not location.segments:
        return None
    container, *path = location.segments
    return Container(
        types=_TYPES_OF_SERVICE[found["service"]],
        name=f"https://{_host(found, found['service'])}/{container}",
        path=tuple(path),
    )


def _of_driver(location: DataLocation, types: Types, service: str) -> Container:
    found = _ENDPOINT.fullmatch(location.host)
    host = location.host if found is None else _host(found, service)
    return Container(
        types=types, name=f"https://{host}/{location.container or _ROOT_CONTAINER}", path=location.segments
    )


def _host(found: re.Match[str], service: str) -> str:
    return f"{found['account']}{found['zone'] or ''}.{service}.{found['cloud']}"
