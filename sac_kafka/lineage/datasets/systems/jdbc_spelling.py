"""How names are written in JDBC URLs: what a driver decodes, and what the quotes around a name mean.

A driver that has no row takes the text as it is. Double quotes around the whole value of a parameter that names a database or
schema are those of an SQL identifier with every driver: no system has such names otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus


def as_it_is(text: str) -> str:
    """Return a text that a driver does not decode."""
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """What a driver does with the names in its URLs: how it decodes those of the path, and the values of parameters.

    `source` is the code that says so.
    """

    path: Callable[[str], str] = as_it_is
    parameters: Callable[[str], str] = as_it_is
    source: str


_AS_FORM = unquote_plus
"""`java.net.URLDecoder`: %xx, and + for a blank."""
_AS_URI = unquote
"""`java.net.URI.getPath`, `getQuery`: %xx alone."""

_POSTGRESQL = Spelling(
    path=_AS_FORM, parameters=_AS_FORM, source="org.postgresql.Driver.parseURL, org.postgresql.util.URLCoder.decode"
)

SPELLINGS: Mapping[str, Spelling] = {
    "postgresql": _POSTGRESQL,
    "opengauss": _POSTGRESQL,
    "crate": _POSTGRESQL,
    "redshift": Spelling(path=_AS_FORM, parameters=_AS_FORM, source="com.amazon.redshift.Driver.parseURL"),
    "mysql": Spelling(path=_AS_FORM, parameters=_AS_FORM, source="com.mysql.cj.conf.ConnectionUrlParser.decode"),
    "singlestore": Spelling(
        source="com.singlestore.jdbc.Configuration, as org.mariadb.jdbc.Configuration: it decodes nothing"
    ),
    "mariadb": Spelling(source="org.mariadb.jdbc.Configuration: it decodes nothing"),
    "oceanbase": Spelling(source="com.oceanbase.jdbc.UrlParser: it decodes nothing"),
    "snowflake": Spelling(parameters=_AS_FORM, source="net.snowflake.client.jdbc.SnowflakeConnectString.parse"),
    "trino": Spelling(path=_AS_URI, source="io.trino.client.uri.TrinoUri: java.net.URI.getPath"),
    "presto": Spelling(path=_AS_URI, source="com.facebook.presto.jdbc.PrestoDriverUri: java.net.URI.getPath"),
    "clickhouse": Spelling(path=_AS_URI, parameters=_AS_URI, source="com.clickhouse.client.ClickHouseNode.of"),
    "mongodb": Spelling(path=_AS_URI, source="com.mongodb.ConnectionString: a + stays"),
}
"""By `rdbms_type`."""

NOTHING = Spelling(source="")

_QUOTED = re.compile(r'"((?:[^"]|"")+)"')
_IN_SEARCH_PATH = re.compile(r'\s*("(?:[^"]|"")*"|[^,"]*)')
_SEARCH_PATH = re.compile(r"(?:^|\s)(?:-c\s*|--)search[_-]path=((?:\\.|[^\s\\])*)")
"""A setting among the options of a session of PostgreSQL, in which a backslash keeps a blank."""
_OF_THE_USER = "$user"


def in_quotes(text: str) -> str | None:
    """Return what stands between the double quotes of an SQL identifier, None where it has none.

    >>> in_quotes('"My ""D"" b"'), in_quotes("db")
    ('My "D" b', None)
    """
    found = _QUOTED.fullmatch(text.strip())
    return found[1].replace('""', '"') if found else None


def unquoted(text: str | None) -> str | None:
    """Return a name without the quotes of an SQL identifier; None where there is none."""
    found = in_quotes(text) if text else None
    return (text or "").strip() or None if found is None else found


def first_in_search_path(text: str | None) -> str | None:
    """Return the first schema of a search path as it is written; None where that is the user's own, which nobody can tell.

    >>> first_in_search_path('"a,b", public'), first_in_search_path("sales,public"), first_in_search_path('"$user",public')
    ('"a,b"', 'sales', None)
    """
    found = _IN_SEARCH_PATH.match(text or "")
    first = found[1].strip() if found else ""
    return None if first in ("", '""') or unquoted(first) == _OF_THE_USER else first


def search_path_of(options: str | None) -> str | None:
    """Return the search path that the options of a session set, None where they do not.

    >>> search_path_of("-c search_path=app,public -c statement_timeout=5"), search_path_of("--search_path=app")
    ('app,public', 'app')
    """
    found = _SEARCH_PATH.findall(options or "")
    return re.sub(r"\\(.)", r"\1", found[-1]) if found else None
