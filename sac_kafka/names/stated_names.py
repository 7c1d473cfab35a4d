"""Read the names of datasets as people write them: a URI, a table, a place and the name within it, or a local path.

A URI is an OpenLineage name in one text: `postgres://db1:5432/shop/sales/orders` is the table `shop.sales.orders` of
`postgres://db1:5432`. Source: Airflow, "Assets" (URIs of providers).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sac_kafka.errors import FlowError
from sac_kafka.masking import mask_text
from sac_kafka.model import Column, Dataset, OtherDataset, RdbmsDataset, TableDataset
from sac_kafka.names.files import Patterns, paths
from sac_kafka.names.jdbc_urls import is_known, levels_of, name_parts, named_table
from sac_kafka.names.openlineage_names import FILE_SCHEMES, STORE_SCHEMES, SYSTEMS, LinkedName, dataset_of
from sac_kafka.settings.declarations.values import did_you_mean

_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?P<rest>.*)", re.DOTALL)
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\[^\\/]+[\\/]")
"""An absolute path of Windows: with a drive, or of a share."""
_LONG_PATH = re.compile(r"\A\\\\\?\\(?:UNC(?P<share>\\)|(?=[A-Za-z]:))", re.IGNORECASE)
"""The prefix of a path of any length, before its drive or (with UNC) the server of its share. Source: Microsoft, "Naming Files,
Paths, and Namespaces"."""
_NOT_IN_A_NAME = re.compile(r"[\s\x00-\x1f*?<>|;]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_FILE_NAME = re.compile(
    r"(?i)[^`\"]*\.(?:csv|tsv|json|jsonl|ndjson|parquet|orc|avro|txt|xml|xlsx?|gz|zip|bz2|zst|feather|arrow|duckdb|db|sql|py)"
)
_IN_PAIRS = frozenset({"azurecosmos", "azurekusto", "duckdb", "spanner", "sqlite"})
"""Systems whose namespace has a path, so that a URI does not show where the name begins."""
_WITHOUT_SERVER = frozenset({"bigquery"})
"""Systems whose URIs have a part of the name where others have the server."""
_NO_SCHEMA = frozenset({"http", "https", "ftp", "sftp", "git", "ssh"})
_FORMS = (
    "write a URI (s3://bucket/path, file:/path, kafka://broker:9092/topic, postgres://host:5432/db/schema/table), "
    "database.table or catalog.database.table, or a pair: [JDBC URL, table] or [OpenLineage namespace, name]"
)
_MAX_LENGTH = 4_000
_QUOTES = '`"['


def named_dataset(name: object, columns: tuple[Column, ...] = (), patterns: Patterns = ()) -> Dataset:
    """Return the dataset of a name.

    Args:
        name: A text, a pair of a place (namespace, JDBC URL) and a name, or a local path.
        columns: The columns of the dataset.
        patterns: The user's patterns of path segments.

    Raises:
        FlowError: The name identifies no dataset.

    >>> named_dataset("s3://lake/orders").key, named_dataset("sales.orders").key
    ('path:s3://lake/orders', 'table:spark_catalog.sales.orders')
    >>> named_dataset("postgres://db1:5432/shop/sales/orders").key
    'rdbms:postgresql://db1:5432/shop/sales.orders'
    >>> named_dataset(["jdbc:postgresql://db1/shop", "sales.orders"]).key
    'rdbms:postgresql://db1:5432/shop/sales.orders'
    """
    if isinstance(name, os.PathLike) and isinstance(path := os.fspath(name), str):
        absolute = path if _WINDOWS.match(path) else str(Path(path).absolute())
        return _path(_local(absolute), columns, patterns)
    if isinstance(name, (list, tuple)) and len(name) == 2 and all(isinstance(each, str) for each in name):
        return _pair(_checked(name[0]), _checked(name[1]), columns, patterns)
    if not isinstance(name, str):
        raise FlowError(f"{_shown(name)}: a {type(name).__name__} is no name of a dataset; {_FORMS}")
    return _text(_checked(name), columns, patterns)


def _text(name: str, columns: tuple[Column, ...], patterns: Patterns) -> Dataset:
    if _WINDOWS.match(name) or (name.startswith("/") and not name.startswith("//")):
        return _path(_local(name), columns, patterns)
    uri = _URI.match(name)
    if uri is not None and name[0] not in _QUOTES:
        return _uri(name, uri["scheme"].lower(), uri["rest"], columns, patterns)
    parts = name_parts(name)
    if ("/" in name or "\\" in name) and not any(quote in name for quote in _QUOTES):
        raise FlowError(f"{name!r}: a relative path names no dataset; write pathlib.Path({name!r}), or file:/path")
    if _FILE_NAME.fullmatch(name):
        raise FlowError(
            f"{name!r}: looks like a file; write pathlib.Path({name!r}) or file:/path, or quote it: `db`.`table`"
        )
    wrong = any(not part or (part in name.split(".") and _NOT_IN_A_NAME.search(part)) for part in parts)
    if len(parts) not in (2, 3) or wrong:
        why = "a table needs its database" if len(parts) == 1 and not wrong else "not the name of a table"
        raise FlowError(f"{name!r}: {why}; {_FORMS}")
    catalog, database, table = ("", *parts)[-3:]
    return TableDataset(
        catalog=None if catalog in ("", "spark_catalog") else catalog, database=database, name=table, columns=columns
    )


def _uri(name: str, scheme: str, rest: str, columns: tuple[Column, ...], patterns: Patterns) -> Dataset:
    if scheme == "jdbc":
        raise FlowError(f"{name!r}: a JDBC URL names a database; write the pair [URL, table]")
    if scheme in FILE_SCHEMES:
        is_store = scheme in STORE_SCHEMES
        if not (re.match(r"//[^/]", rest) if is_store else re.match(r"/.*[^/]", rest)):
            raise FlowError(
                f"{name!r}: names no directory or file; write {scheme}:{'//bucket' if is_store else ''}/path"
            )
        return _path(f"{scheme}:{rest}", columns, patterns)
    authority, _, path = rest.removeprefix("//").partition("/")
    parts = [part for part in path.split("/") if part]
    if scheme in _IN_PAIRS:
        raise FlowError(
            f'{name!r}: names a database; write the pair [namespace, name], such as ["{scheme}:…", "main.t"]'
        )
    known = {each for row in SYSTEMS for each in row.schemes}
    if scheme in _NO_SCHEMA or (scheme not in known and not is_known(scheme)):
        hint = did_you_mean(scheme, sorted(known | FILE_SCHEMES))
        raise FlowError(
            f"{name!r}: unknown scheme {scheme}{hint}; write the pair [namespace, name] for a system without one"
        )
    if not rest.startswith("//") or not authority or not parts or "?" in path or "#" in path:
        raise FlowError(f"{name!r}: not {scheme}://server/name; {_FORMS}")
    if scheme in _WITHOUT_SERVER:
        return _pair(scheme, ".".join(map(_quoted, (authority, *parts))), columns, patterns)
    if scheme == "kafka":
        return _pair(f"{scheme}://{authority}", path, columns, patterns)
    are_quoted = len(parts) > 1 and scheme != "mongodb"  # a single part has all levels; a collection may have dots
    return _pair(f"{scheme}://{authority}", ".".join(map(_quoted, parts) if are_quoted else parts), columns, patterns)


def _quoted(part: str) -> str:
    """Return a part of a name, in quotes if it has a dot."""
    return f'"{part}"' if "." in part and '"' not in part else part


def _pair(place: str, name: str, columns: tuple[Column, ...], patterns: Patterns) -> Dataset:
    shown = f"[{place!r}, {name!r}]"
    if place.lower().startswith("jdbc:"):
        table = named_table(place, name, columns)
        if table is None or not table.table:
            raise FlowError(
                f'{shown}: not the URL of a database and a table; write ["jdbc:postgresql://host/db", "schema.table"]'
            )
        return table
    found = dataset_of(LinkedName(place, name), columns, patterns)
    if found is None:
        raise FlowError(f"{shown}: identifies no dataset that other jobs can read; {_FORMS}")
    if isinstance(found, RdbmsDataset):
        lacks = not found.database and len(levels_of(found.rdbms_type)) > 1
    else:
        scheme = place.partition(":")[0].lower()
        lacks = isinstance(found, OtherDataset) and found.system != "mongodb" and is_known(scheme)
    if lacks:
        raise FlowError(f'{shown}: lacks the server or the database; write ["postgres://host:5432", "db.schema.table"]')
    return found


def _local(path: str) -> str:
    """Return the URI of a local path as Hadoop writes it: `file:/data/orders`, `file:/C:/data/orders`, `file://server/share`."""
    path = _LONG_PATH.sub(lambda prefix: "\\\\" if prefix["share"] else "", path)
    slashes = path.replace("\\", "/") if _WINDOWS.match(path) else path
    return f"file:{slashes}" if path.startswith("\\") else f"file:/{slashes.lstrip('/')}"


def _path(uri: str, columns: tuple[Column, ...], patterns: Patterns) -> Dataset:
    return paths((mask_text(uri.rstrip("/") if uri.count("/") > 3 else uri),), "", columns, patterns)[0]


def _checked(text: str) -> str:
    """Return a text without blanks around it.

    Raises:
        FlowError: It is empty, too long, or has control characters.
    """
    text = text.strip()
    if not text or len(text) > _MAX_LENGTH or _CONTROL.search(text):
        why = "is empty" if not text else "is too long" if len(text) > _MAX_LENGTH else "has control characters"
        raise FlowError(f"{_shown(text)}: the name of a dataset {why}; {_FORMS}")
    return text


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:99]}…"
