"""Find buckets of Amazon S3, the only object store outside of Azure that Purview scans."""

from __future__ import annotations

import re

from sac_kafka.purview.names.containers import Container, StoreTypes
from sac_kafka.purview.names.location import DataLocation

S3 = StoreTypes(
    store="Amazon S3",
    root="aws_s3_v2_bucket",
    file="aws_s3_v2_object",
    folder="aws_s3_v2_directory",
    resource_set="aws_s3_v2_resource_set",
)
_ENDPOINT = re.compile(
    r"(?:(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\.)?s3(?:[.-][a-z0-9-]{1,40}){0,3}\.amazonaws\.com(?:\.cn)?"
)


def s3(location: DataLocation) -> Container | None:
    """Return the bucket of `s3a://bucket/key` for any S3 scheme; credentials before the bucket are dropped."""
    return _of_bucket(location.host, location.segments) if location.host else None


def s3_web(location: DataLocation) -> Container | None:
    """Return the bucket of `https://bucket.s3.REGION.amazonaws.com/key` or `https://s3.REGION.amazonaws.com/bucket/key`."""
    found = _ENDPOINT.fullmatch(location.host)
    if found is None:
        return None
    if found["bucket"]:
        return _of_bucket(found["bucket"], location.segments)
    return _of_bucket(location.segments[0], location.segments[1:]) if location.segments else None


def _of_bucket(bucket: str, key: tuple[str, ...]) -> Container:
    return Container(types=S3, name=f"s3://{bucket}", path=key)
