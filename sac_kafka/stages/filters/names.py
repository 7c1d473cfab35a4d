"""Provide the names of datasets that rules are matched with, in parts, as they are shown in the catalog.

Case is ignored, except below the host or bucket of a path. Leading parts of the names of tables, database tables and relative
paths may be omitted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sac_kafka.globs import MANY, flat, in_parts
from sac_kafka.model import (
    SESSION_CATALOG,
    Database,
    Dataset,
    HBaseDataset,
    KindOfDataset,
    ModelDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.names.paths import PLACEHOLDER_PATTERNS

MAX_PLACES = 1_000
"""Locations of a dataset that are matched; with more, only its root is."""

Spellings = tuple[str, ...]
"""The spellings of one name; a glob needs to match one of them."""

_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)", re.DOTALL)
_PART_END = "\x1f"  # not a dot, which may be within a part
_URI = re.compile(r"(?:([A-Za-z*?][A-Za-z0-9+.*?-]*):)?(?://([^/]*))?(.*)", re.DOTALL)
_AZURE = re.compile(r"\.(?:dfs|blob)\.core\.windows\.net\Z")  # names in the catalog omit it
_PORT = re.compile(r":[0-9]+\Z")
_ONE_STORE = MappingProxyType({"s3a": "s3", "s3n": "s3", "abfss": "abfs", "wasbs": "wasb"})


@dataclass(frozen=True, slots=True)
class NameMatching:
    """The names of a kind of dataset, and how its globs are compiled.

    Attributes:
        name_of: Returns the spellings of the dataset's own name.
        glob: Compiles a glob for such names.
        other_names_of: Returns the spellings of further names: the locations read and written below the root of a path.
    """

    name_of: Callable[[Any], Spellings]
    glob: Callable[[str], re.Pattern[str]]
    other_names_of: Callable[[Any], tuple[Spellings, ...]] = lambda _: ()


def parts(name: str) -> tuple[str, ...]:
    """Split the name of a table; backquotes protect dots within a part.

    >>> parts("lake.sales.`my.orders`")
    ('lake', 'sales', 'my.orders')
    """
    return tuple(quoted.replace("``", "`") or bare for quoted, bare in _PART.findall(name))


# ---- tables


def _table(dataset: TableDataset) -> Spellings:
    levels = (dataset.catalog or SESSION_CATALOG, *parts(dataset.database), dataset.name)
    return ("".join(level.lower() + _PART_END for level in levels),)


def _table_glob(glob: str) -> re.Pattern[str]:
    return in_parts((MANY, *parts(glob.lower())), _PART_END, PLACEHOLDER_PATTERNS, least_below=1)


# ---- databases (rules name their tables)


def database(db: Database) -> str:
    """Return the name of a database, to be matched with globs of databases."""
    return "".join(level.lower() + _PART_END for level in (db.catalog or SESSION_CATALOG, *parts(db.name)))


def glob_of_databases(glob: str, *, whole: bool) -> re.Pattern[str] | None:
    """Compile a pattern of the databases in which a glob of tables may match a table, or matches all (`whole`); None if none."""
    *above, table = parts(glob.lower()) or ("",)
    if whole and table not in ("*", MANY):
        return None
    return in_parts((MANY, *above, *([MANY] if table == MANY else [])), _PART_END, PLACEHOLDER_PATTERNS)


# ---- paths


def _uri(uri: str) -> tuple[str, str, str]:
    """Return scheme and host in lower case, with one spelling per store, and the path."""
    found = _URI.fullmatch(uri)
    scheme, authority, path = (found[1] or "", found[2] or "", found[3]) if found else ("", "", uri)
    return _ONE_STORE.get(scheme.lower(), scheme.lower()), _AZURE.sub("", authority.lower()), path


def _path(uri: str) -> Spellings:
    scheme, authority, path = _uri(uri)
    return ("/".join((f"{scheme}:{authority}", *_segments(path), "")),)


@lru_cache(maxsize=256)  # the default rules are the same in every application
def _path_glob(glob: str) -> re.Pattern[str]:
    """Compile a glob that starts with a scheme, at the root of any file system, or at any directory."""
    scheme, authority, path = _uri(glob)
    if not scheme and not authority:
        return in_parts(("*", *(() if path.startswith("/") else (MANY,)), *_segments(path)), "/", PLACEHOLDER_PATTERNS)
    host = ("*", MANY) if authority == MANY else (authority,)
    return in_parts((f"{scheme}:{host[0]}", *host[1:], *_segments(path)), "/", PLACEHOLDER_PATTERNS)


def _segments(path: str) -> tuple[str, ...]:
    return tuple(segment for segment in path.split("/") if segment)


# ---- other datasets


def _glob(glob: str) -> re.Pattern[str]:
    return flat(glob.lower(), PLACEHOLDER_PATTERNS)


def _rdbms(dataset: RdbmsDataset) -> Spellings:
    """Return the name as in the catalog, also without the port, and from the database, the schema or the table on.

    A table that is read without its schema also has its bare name.
    """
    schema, name = dataset.effective_schema, dataset.table
    tables = (*((f"{schema}.{name}",) if schema else ()), *((name,) if schema is None or not dataset.schema else ()))
    whole = tuple(f"{dataset.database}/{table}" for table in tables)
    below = (*whole, *tables, *((name,) if name not in tables else ()))
    if not dataset.host:
        return _lower((*(f"{dataset.rdbms_type}:{each}" for each in whole), *below))
    host = f"[{dataset.host}]" if ":" in dataset.host else dataset.host
    server = f"{dataset.rdbms_type}://{host}"
    places = (*((f"{server}:{dataset.port}",) if dataset.port else ()), server)
    return _lower((*(f"{place}/{each}" for place in places for each in whole), *below))


def _hbase(dataset: HBaseDataset) -> Spellings:
    return _lower((f"{dataset.namespace}:{dataset.table}", dataset.table))


def _other(dataset: OtherDataset) -> Spellings:
    """Return the name as in the catalog, also without the port, and from each of its levels on."""
    below = "/".join(dataset.parts)
    ends = tuple("/".join(dataset.parts[level:]) for level in range(1, len(dataset.parts)))
    if not dataset.host:
        return _lower((f"{dataset.system}:{below}", below, *ends))
    hosts = dict.fromkeys((dataset.host, _PORT.sub("", dataset.host)))
    return _lower((*(f"{dataset.system}://{host}/{below}" for host in hosts), below, *ends))


def _lower(names: Iterable[str]) -> Spellings:
    return tuple(name.lower() for name in names)


# ---- by class


def _places(dataset: PathDataset) -> tuple[Spellings, ...]:
    return tuple(map(_path, dataset.locations)) if len(dataset.locations) <= MAX_PLACES else ()


_PATH_NAMES = NameMatching(lambda dataset: _path(dataset.path), _path_glob, _places)
NAMES: Mapping[type[Dataset], NameMatching] = MappingProxyType(
    {
        TableDataset: NameMatching(_table, _table_glob),
        PathDataset: _PATH_NAMES,
        TopicDataset: NameMatching(lambda dataset: _lower((dataset.topic,)), _glob),
        RdbmsDataset: NameMatching(_rdbms, _glob),
        HBaseDataset: NameMatching(_hbase, _glob),
        OtherDataset: NameMatching(_other, _glob),
        ModelDataset: _PATH_NAMES,
    }
)
"""By class of dataset its names, and how globs of them are compiled."""
_BY_KEY = NameMatching(lambda dataset: _lower((dataset.key.partition(":")[2],)), _glob)
"""Names of any other kind of dataset: its key without the kind."""


def matching_of(kind: KindOfDataset) -> NameMatching:
    """Return the names of a kind of dataset, and how its globs are compiled."""
    return NAMES.get(kind.dataset, _BY_KEY)
