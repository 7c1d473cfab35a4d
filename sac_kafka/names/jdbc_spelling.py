"""Decode the names in JDBC URLs as their drivers do, and remove the quotes of SQL identifiers.

A driver without a row in `SPELLINGS` decodes nothing. For every driver, double quotes around the whole value of a parameter for
a database or schema are those of an SQL identifier, as names do not contain quotes otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus


def _keep(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """The decoding of names in a driver's URLs: in the path, and in the values of parameters.

    `source` is the code of the driver that does so.
    """

    path: Callable[[str], str] = _keep
    parameters: Callable[[str], str] = _keep
    source: str


_AS_FORM = unquote_plus
"""As `java.net.URLDecoder`: %xx, and + for a space."""
_AS_URI = unquote
"""As `java.net.URI.getPath` and `getQuery`: only %xx."""

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
"""Spellings by `rdbms_type`."""

WITHOUT_DECODING = Spelling(source="")

_QUOTED = re.compile(r'"((?:[^"]|"")+)"')
_IN_SEARCH_PATH = re.compile(r'\s*("(?:[^"]|"")*"|[^,"]*)')
_SEARCH_PATH = re.compile(r"(?:^|\s)(?:-c\s*|--)search[_-]path=((?:\\.|[^\s\\])*)")
"""The search path in the session options of PostgreSQL, where a backslash escapes a space."""
_USER_SCHEMA = "$user"


def in_quotes(text: str) -> str | None:
    """Return the text within the double quotes of an SQL identifier; None if it is not quoted.

    >>> in_quotes('"My ""D"" b"'), in_quotes("db")
    ('My "D" b', None)
    """
    found = _QUOTED.fullmatch(text.strip())
    return found[1].replace('""', '"') if found else None


def remove_quotes(text: str | None) -> str | None:
    """Return a name without the quotes of an SQL identifier; None if it is empty."""
    found = in_quotes(text) if text else None
    return (text or "").strip() or None if found is None else found


def first_in_search_path(text: str | None) -> str | None:
    """Return the first schema of a search path as written; None if it is empty or `$user`, whose value is unknown.

    >>> first_in_search_path('"a,b", public'), first_in_search_path("sales,public"), first_in_search_path('"$user",public')
    ('"a,b"', 'sales', None)
    """
    found = _IN_SEARCH_PATH.match(text or "")
    first = found[1].strip() if found else ""
    return None if first in ("", '""') or remove_quotes(first) == _USER_SCHEMA else first


def search_path_of(options: str | None) -> str | None:
    """Return the search path in session options; None if they do not set it.

    >>> search_path_of("-c search_path=app,public -c statement_timeout=5"), search_path_of("--search_path=app")
    ('app,public', 'app')
    """
    found = _SEARCH_PATH.findall(options or "")
    return re.sub(r"\\(.)", r"\1", found[-1]) if found else None


_PART = r'"(?:[^"]|"")+"|`(?:[^`]|``)+`|\[(?:[^\]]|\]\])+\]|[^.]*'
_NAME = re.compile(rf"\s*({_PART})\s*(\.|$)")


def name_parts(name: str) -> tuple[str, ...]:
    """Return the parts of a qualified name without quotes.

    >>> name_parts('"Sales"."Big.Orders"'), name_parts("[dbo].[t]"), name_parts("shop..t")
    (('Sales', 'Big.Orders'), ('dbo', 't'), ('shop', '', 't'))
    """
    return tuple(text for text, _ in quoted_parts(name))


def quoted_parts(name: str) -> list[tuple[str, bool]]:
    """Return the parts of a qualified name without quotes, each with True if it has quotes."""
    return [(text, text != part) for part in _written(name) for text in (_unquote(part),)]


def _written(name: str) -> tuple[str, ...]:
    """Return the parts as written; a name that cannot be split is one part."""
    parts: list[str] = []
    at = 0
    while True:
        m = _NAME.match(name, at)
        if m is None:
            return (name,)
        parts.append(m[1].strip())
        at = m.end()
        if not m[2]:
            return tuple(parts)


def _unquote(part: str) -> str:
    if len(part) > 1 and part[0] == part[-1] and part[0] in '"`':
        return part[1:-1].replace(part[0] * 2, part[0])
    return part[1:-1].replace("]]", "]") if part[:1] == "[" and part[-1:] == "]" else part
