"""What rules are matched with: names of datasets, part by part, as people see them in the catalog.

Small and capital letters are the same, but for what is below the host or bucket of a path. The beginning of a table's, a
database table's and a relative path's name may be left out, part by part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sac_kafka.lineage.datasets.tables import SESSION_CATALOG
from sac_kafka.lineage.leaving_out.globs import MANY, flat, in_parts
from sac_kafka.lineage.model import (
    Database,
    Dataset,
    HBaseDataset,
    ModelDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)

MAX_PLACES = 1_000
"""What was read or written in more places goes by its root alone."""

Spellings = tuple[str, ...]
"""The spellings of a name; a glob need match only one of them."""

_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)", re.DOTALL)
_BEHIND_A_PART = "\x1f"  # a dot within a part is no end of it
_URI = re.compile(r"(?:([A-Za-z*?][A-Za-z0-9+.*?-]*):)?(?://([^/]*))?(.*)", re.DOTALL)
_AZURE = re.compile(r"\.(?:dfs|blob)\.core\.windows\.net\Z")  # the catalog's names of accounts do without
_PORT = re.compile(r":[0-9]+\Z")
_ONE_STORE = MappingProxyType({"s3a": "s3", "s3n": "s3", "abfss": "abfs", "wasbs": "wasb"})


@dataclass(frozen=True, slots=True)
class Named:
    """A kind of dataset: how it is called, and what a glob is for such names.

    `in_name` and `within` give one name and several: a dataset that has several (the root of a path, and where it was read
    and written) is what `in_name` says, and besides what each of `within` is.
    """

    in_name: Callable[[Any], Spellings]
    glob: Callable[[str], re.Pattern[str]]
    within: Callable[[Any], tuple[Spellings, ...]] = lambda _: ()


def parts(name: str) -> tuple[str, ...]:
    """The parts of a table's name; backquotes keep a part together that has dots in it.

    >>> parts("lake.sales.`my.orders`")
    ('lake', 'sales', 'my.orders')
    """
    return tuple(quoted.replace("``", "`") or bare for quoted, bare in _PART.findall(name))


# ---- tables


def _table(dataset: TableDataset) -> Spellings:
    return (_joined((dataset.catalog or SESSION_CATALOG, *parts(dataset.database), dataset.name)),)


def _table_glob(glob: str) -> re.Pattern[str]:
    return in_parts((MANY, *parts(glob.lower())), _BEHIND_A_PART, least_below=1)


def _joined(of: Iterable[str]) -> str:
    return "".join(part.lower() + _BEHIND_A_PART for part in of)


# ---- databases: what holds the tables that rules name


def database(of: Database) -> str:
    """The name of a database, to be matched with globs of databases."""
    return _joined((of.catalog or SESSION_CATALOG, *parts(of.name)))


def glob_of_databases(glob: str, *, whole: bool) -> re.Pattern[str] | None:
    """What matches the databases in which a glob of tables names any table, or `whole` ones; None for no database."""
    *above, table = parts(glob.lower()) or ("",)
    if whole and table not in ("*", MANY):
        return None
    return in_parts((MANY, *above, *([MANY] if table == MANY else [])), _BEHIND_A_PART)


# ---- paths


def _uri(uri: str) -> tuple[str, str, str]:
    """Scheme and host in small letters, one spelling for each store, and the path."""
    found = _URI.fullmatch(uri)
    scheme, authority, path = (found[1] or "", found[2] or "", found[3]) if found else ("", "", uri)
    return _ONE_STORE.get(scheme.lower(), scheme.lower()), _AZURE.sub("", authority.lower()), path


def _path(uri: str) -> Spellings:
    scheme, authority, path = _uri(uri)
    return ("/".join((f"{scheme}:{authority}", *_segments(path), "")),)


@lru_cache(maxsize=256)  # the default rules are the same in every application
def _path_glob(glob: str) -> re.Pattern[str]:
    """From a scheme, from the root of any file system, or from any directory on."""
    scheme, authority, path = _uri(glob)
    if not scheme and not authority:
        return in_parts(("*", *(() if path.startswith("/") else (MANY,)), *_segments(path)), "/")
    host = ("*", MANY) if authority == MANY else (authority,)
    return in_parts((f"{scheme}:{host[0]}", *host[1:], *_segments(path)), "/")


def _segments(path: str) -> tuple[str, ...]:
    return tuple(segment for segment in path.split("/") if segment)


# ---- names without parts, or with other ones


def _glob(glob: str) -> re.Pattern[str]:
    return flat(glob.lower())


def _rdbms(dataset: RdbmsDataset) -> Spellings:
    """As in the catalog, also without the port, and from the database, the schema and the table on.

    A table that is named without its schema is called so, too.
    """
    schema, name = dataset.usual_schema, dataset.table
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
    """As in the catalog, also without the port, and from each of its levels on."""
    below = "/".join(dataset.parts)
    ends = tuple("/".join(dataset.parts[level:]) for level in range(1, len(dataset.parts)))
    if not dataset.host:
        return _lower((f"{dataset.system}:{below}", below, *ends))
    hosts = dict.fromkeys((dataset.host, _PORT.sub("", dataset.host)))
    return _lower((*(f"{dataset.system}://{host}/{below}" for host in hosts), below, *ends))


def _lower(names: Iterable[str]) -> Spellings:
    return tuple(name.lower() for name in names)


# ---- all of them


def _places(dataset: PathDataset) -> tuple[Spellings, ...]:
    return tuple(map(_path, dataset.locations)) if len(dataset.locations) <= MAX_PLACES else ()


NAMED: Mapping[type[Dataset], tuple[str, Named]] = MappingProxyType(
    {
        TableDataset: ("table", Named(_table, _table_glob)),
        PathDataset: ("path", Named(lambda dataset: _path(dataset.path), _path_glob, _places)),
        ModelDataset: ("path", Named(lambda dataset: _path(dataset.path), _path_glob, _places)),
        TopicDataset: ("topic", Named(lambda dataset: _lower((dataset.topic,)), _glob)),
        RdbmsDataset: ("jdbc", Named(_rdbms, _glob)),
        HBaseDataset: ("hbase", Named(_hbase, _glob)),
        OtherDataset: ("other", Named(_other, _glob)),
    }
)
"""What rules about datasets of a class begin with (`config.rules.DATASETS`), and how these are called."""
