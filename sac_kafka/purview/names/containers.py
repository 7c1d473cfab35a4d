"""Paths in a container of an object store: which asset a scan makes of a file, of a folder, of a directory of Spark's."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from enum import Enum

from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.data_files import is_data_file
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import normalised_name, small_extension
from sac_kafka.purview.resource_set_rules import ResourceSetRules
from sac_kafka.purview.resource_sets import resource_set

_DOCUMENT = re.compile(r"\.(?:do[ct][mx]?|od[pst]|pdf|pot|pp[st][mx]?|xls[bmx]?|xlc)\Z", re.IGNORECASE)
"""What files end in that Purview never makes resource sets of."""

PART_FILES = tuple(
    f"part-00000-00000000-0000-0000-0000-000000000000-c000.{end}"
    for end in ("snappy.parquet", "parquet", "json", "csv", "snappy.orc", "orc", "avro", "txt", "json.gz", "csv.gz")
)
"""Names as Spark gives them to the files that it writes."""
_PATTERN = re.compile(r"\{[^{}/]+\}(?:T(?=\{)|Z(?![A-Za-z]))?")
_PARTITION = re.compile(r"[^=/]+=(?:\{[^{}/]+\}[-_.@T:Z]?)+")
"""A folder of a partition whose value changes: its column is no name of what is in it."""
_BETWEEN = re.compile(r"[-_.=@\s]+")


class ContainedKind(Enum):
    """What is at a path: a file, a directory that Spark writes or reads as a whole, or a folder of other things."""

    FILE = "file"
    SPARK_DIRECTORY = "directory of Spark's"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Types:
    """The types of a store: of a container, a file, a folder and a resource set; `store` is its name in words."""

    store: str
    root: str
    file: str
    folder: str
    resource_set: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A container and a path in it; `name` is the qualified name of the container."""

    types: Types
    name: str
    path: tuple[str, ...]


def asset_in(
    container: Container, kind: ContainedKind, naming_context: NamingContext, partitions: tuple[str, ...] = ()
) -> Asset:
    """Return the asset at the path under a normalised name; `partitions` are the folders within a directory of Spark's."""
    types = container.types
    root = normalised_name(types.root, container.name)
    # A scan normalises what it sees, files, before it makes patterns of them.
    text = normalised_name(types.resource_set, "/".join((container.name, *container.path, "")))
    path = tuple(text[len(root) :].strip("/").split("/"))
    if path == ("",):
        return Asset(type_name=types.root, qualified_name=root, name=root.rpartition("/")[2], rule=types.store)
    if kind is ContainedKind.FILE:
        path = (*path[:-1], small_extension(path[-1]))
    if not naming_context.uses_resource_sets or kind is ContainedKind.FOLDER:
        return _plain(types, root, path, kind)
    return _by_own_rule(types, root, path, kind, naming_context.resource_set_rules) or _by_patterns(
        types, root, path, kind, naming_context.resource_set_rules.switched_off, partitions
    )


def _by_patterns(
    types: Types,
    root: str,
    path: tuple[str, ...],
    kind: ContainedKind,
    switched_off: frozenset[str],
    partitions: tuple[str, ...],
) -> Asset:
    """Name a path by the patterns that every account has."""
    if kind is ContainedKind.SPARK_DIRECTORY or _DOCUMENT.search(path[-1][-6:]) is None:
        is_directory = kind is ContainedKind.SPARK_DIRECTORY
        path = resource_set(path, is_spark_directory=is_directory, partitions=partitions, switched_off=switched_off)
    return _plain(types, root, path, kind)


def _plain(types: Types, root: str, path: tuple[str, ...], kind: ContainedKind) -> Asset:
    """A path as it is: a resource set, where it has patterns."""
    if any("{" in segment for segment in path):
        return Asset(
            type_name=types.resource_set,
            qualified_name="/".join((root, *path)),
            name=shown_name(path, root),
            rule=f"{types.store} resource set",
        )
    is_file = kind is ContainedKind.FILE
    return Asset(
        type_name=types.file if is_file else types.folder,
        qualified_name="/".join((root, *path, *(() if is_file else ("",)))),
        name=path[-1],
        rule=f"{types.store} {'file' if is_file else 'folder'}",
    )


def _by_own_rule(
    types: Types, root: str, path: tuple[str, ...], kind: ContainedKind, rules: ResourceSetRules
) -> Asset | None:
    """By the account's own rules, which are about files: a directory of Spark's is asked for as a part file in it."""
    if not rules.scopes:
        return None
    names = [()] if kind is ContainedKind.FILE else [(part,) for part in PART_FILES]
    ruled = next((each for name in names if (each := rules.ruled("/".join((root, *path, *name))))), None)
    if ruled is None:
        return None
    is_set = ruled.rule.is_resource_set and "{" in ruled.qualified_name.rpartition("/")[2]
    if (
        kind is not ContainedKind.FILE and not is_set
    ):  # each part file is an asset of its own: the folder stands for them
        return dataclasses.replace(_plain(types, root, path, ContainedKind.FOLDER), rule=f"rule {ruled.rule.name}")
    is_set = "{" in ruled.qualified_name
    below = tuple(ruled.qualified_name[len(root) :].strip("/").split("/"))
    return Asset(
        type_name=types.resource_set if is_set else types.file,
        qualified_name=ruled.qualified_name,
        name=ruled.shown or (shown_name(below, root) if is_set else below[-1]),
        rule=f"rule {ruled.rule.name}",
    )


def shown_name(path: tuple[str, ...], root: str) -> str:
    """Return what Purview shows of a resource set: the last segment with words, without what changes, or the container.

    >>> shown_name(("name-of-spark-output", "{SparkPartitions}"), "https://myblob.blob.core.windows.net/sample-data")
    'name of spark output'
    >>> shown_name(("{Year}-{Month}-{Day}", "{GUID}"), "https://myblob.blob.core.windows.net/my-partitioned-data")
    'my partitioned data'
    >>> shown_name(("data{N}.csv",), "https://myblob.blob.core.windows.net/sample-data")
    'data'
    """
    return next(filter(None, map(_shown, reversed(path))), None) or _shown_container(root)


def _shown(segment: str) -> str:
    """Return a segment as words, without the extension of a file."""
    if _PARTITION.fullmatch(segment):
        return ""
    words = segment
    while is_data_file(words):
        words = words.rpartition(".")[0]
    return _BETWEEN.sub(" ", _PATTERN.sub(" ", words)).strip()


def _shown_container(root: str) -> str:
    """Return the name of a container as words; of an account, which is a container itself, the first part of its host."""
    name = root.rpartition("/")[2]
    if root.startswith("adl://"):
        name = name.partition(".")[0]
    return _BETWEEN.sub(" ", name).strip() or name
