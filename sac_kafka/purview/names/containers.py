"""Name files, folders and directories written by Spark in a container of an object store."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from sac_kafka.purview.asset import Asset
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import lowercase_extension, normalised_name
from sac_kafka.purview.resource_sets import resource_set

_DATA_FILE = re.compile(
    r"(?!\A)\.(?:avro|csv|dat|htm|html|ion|json|jsonl|log|ndjson|npy|orc|parq|parquet|pb|psv|ssv|tab|tfrecord|tsv|txt|xml|yaml|yml"
    r"|bz2|deflate|gz|gzip|lz4|lzo|snappy|tar|tgz|zip|zst|zstd"
    r"|do[ct][mx]?|od[pst]|pdf|pp[st][mx]?|xls[bmx]?|bin|bmp|gif|jpeg|jpg|mp3|mp4|png|tif|tiff|wav|webp)\Z",
    re.IGNORECASE,
)
"""Extensions of data files, including compressed ones and those read by `binaryFile`."""
_MAX_EXTENSION_LENGTH = 9
"""Length of the longest extension, with its dot."""


def is_data_file(segment: str) -> bool:
    """Return True if a name has the extension of a data file.

    >>> is_data_file("orders.CSV"), is_data_file("orders.v2"), is_data_file("orders")
    (True, False, False)
    """
    return _DATA_FILE.search(segment, max(0, len(segment) - _MAX_EXTENSION_LENGTH)) is not None


_DOCUMENT = re.compile(r"\.(?:do[ct][mx]?|od[pst]|pdf|pot|pp[st][mx]?|xls[bmx]?|xlc)\Z", re.IGNORECASE)
"""Extensions of documents, which Purview never groups as resource sets."""

_PATTERN = re.compile(r"\{[^{}/]+\}(?:T(?=\{)|Z(?![A-Za-z]))?")
_PARTITION = re.compile(r"[^=/]+=(?:\{[^{}/]+\}[-_.@T:Z]?)+")
"""Partition folder with a replaced value, which is no part of a display name."""
_WORD_SEPARATORS = re.compile(r"[-_.=@\s]+")


class ContainedKind(Enum):
    """Content of a path: a file, a directory that Spark writes or reads as a whole, or any other folder."""

    FILE = "file"
    SPARK_DIRECTORY = "Spark directory"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreTypes:
    """Types of a store for containers, files, folders and resource sets; `store` is its display name."""

    store: str
    root: str
    file: str
    folder: str
    resource_set: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A container and a path in it; `name` is the qualified name of the container."""

    types: StoreTypes
    name: str
    path: tuple[str, ...]


def asset_in(
    container: Container, kind: ContainedKind, naming_context: NamingContext, partitions: tuple[str, ...] = ()
) -> Asset:
    """Return the asset at a path under its normalised name; `partitions` are the folders in a directory written by Spark."""
    types = container.types
    root = normalised_name(types.root, container.name)
    # A scan normalises the names of files before it replaces patterns.
    text = normalised_name(types.resource_set, "/".join((container.name, *container.path, "")))
    path = tuple(text[len(root) :].strip("/").split("/"))
    if path == ("",):
        return Asset(type_name=types.root, qualified_name=root, name=root.rpartition("/")[2], rule=types.store)
    if kind is ContainedKind.FILE:
        path = (*path[:-1], lowercase_extension(path[-1]))
    if not naming_context.uses_resource_sets or kind is ContainedKind.FOLDER:
        return _plain(types, root, path, kind)
    if kind is ContainedKind.SPARK_DIRECTORY or _DOCUMENT.search(path[-1][-6:]) is None:
        is_directory = kind is ContainedKind.SPARK_DIRECTORY
        path = resource_set(path, is_spark_directory=is_directory, partitions=partitions)
    return _plain(types, root, path, kind)


def _plain(types: StoreTypes, root: str, path: tuple[str, ...], kind: ContainedKind) -> Asset:
    """Return the asset of a path whose patterns are already replaced; with patterns it is a resource set."""
    if any("{" in segment for segment in path):
        return Asset(
            type_name=types.resource_set,
            qualified_name="/".join((root, *path)),
            name=display_name(path, root),
            rule=f"{types.store} resource set",
        )
    is_file = kind is ContainedKind.FILE
    return Asset(
        type_name=types.file if is_file else types.folder,
        qualified_name="/".join((root, *path, *(() if is_file else ("",)))),
        name=path[-1],
        rule=f"{types.store} {'file' if is_file else 'folder'}",
    )


def display_name(path: tuple[str, ...], root: str) -> str:
    """Return the display name of a resource set: its last segment with words, without patterns, else the container.

    >>> display_name(("name-of-spark-output", "{SparkPartitions}"), "https://myblob.blob.core.windows.net/sample-data")
    'name of spark output'
    >>> display_name(("{Year}-{Month}-{Day}", "{GUID}"), "https://myblob.blob.core.windows.net/my-partitioned-data")
    'my partitioned data'
    >>> display_name(("data{N}.csv",), "https://myblob.blob.core.windows.net/sample-data")
    'data'
    """
    return next(filter(None, map(_as_words, reversed(path))), None) or _container_as_words(root)


def _as_words(segment: str) -> str:
    """Return a segment as words without file extensions; "" for a partition folder."""
    if _PARTITION.fullmatch(segment):
        return ""
    words = segment
    while is_data_file(words):
        words = words.rpartition(".")[0]
    return _WORD_SEPARATORS.sub(" ", _PATTERN.sub(" ", words)).strip()


def _container_as_words(root: str) -> str:
    """Return the name of a container as words; for an ADLS Gen1 account the first label of its host."""
    name = root.rpartition("/")[2]
    if root.startswith("adl://"):
        name = name.partition(".")[0]
    return _WORD_SEPARATORS.sub(" ", name).strip() or name
