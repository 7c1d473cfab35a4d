"""JDBC URLs and table names: which table of which database on which host.

User names, passwords and parameters are never kept. One row a kind of database in `_FORMS`; what is not there is read as
`//host:port/database`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sac_kafka.lineage.model import Column, RdbmsDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class JdbcUrl:
    """Where a JDBC URL leads; `rdbms_type`, `host`, `port` and `schema` as in `model.RdbmsDataset`."""

    rdbms_type: str
    database: str
    host: str = ""
    port: int | None = None
    schema: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """How the URLs of one kind of database are written.

    `ends` are the characters that begin the parameters, `between` those that divide them; `databases`, `schemas`, `hosts`
    and `ports` the parameters that name them (lower case, the first that is there counts). `levels` are what the parts of
    a table's name are, from the left.
    """

    port: int | None = None
    ends: str = "?;"
    between: str = "&;"
    databases: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    levels: tuple[str, ...] = ("database", "schema", "table")
    path: tuple[str, ...] = ("database",)


_IN_DATABASES = ("database", "table")

_FORMS: Mapping[str, _Form] = {
    "postgresql": _Form(port=5432, ends="?", schemas=("currentschema",)),
    "redshift": _Form(port=5439, schemas=("currentschema",)),
    "mysql": _Form(port=3306, ends="?", levels=_IN_DATABASES),
    "mariadb": _Form(port=3306, ends="?", levels=_IN_DATABASES),
    "sqlserver": _Form(
        port=1433,
        ends=";",
        between=";",
        databases=("databasename", "database"),
        hosts=("servername", "server"),
        ports=("portnumber", "port"),
    ),
    "db2": _Form(port=50000, ends=":;", between=";", schemas=("currentschema",)),
    "as400": _Form(port=446, ends=";", between=";", databases=("database name",)),
    "derby": _Form(port=1527, ends=";", between=";", databases=("databasename",)),
    "h2": _Form(port=9092, ends=";", between=";", schemas=("schema",)),
    "hsqldb": _Form(port=9001, ends=";", between=";"),
    "sqlite": _Form(ends="?", levels=("schema", "table")),
    "duckdb": _Form(ends=";?"),
    "teradata": _Form(
        port=1025, ends="?", between=",", databases=("database",), ports=("dbs_port",), levels=_IN_DATABASES
    ),
    "snowflake": _Form(port=443, databases=("db", "database"), schemas=("schema",)),
    "databricks": _Form(
        port=443,
        between=";",
        databases=("conncatalog",),
        schemas=("connschema",),
        levels=("database", "schema", "table"),
    ),
    "hive2": _Form(port=10000, ends=";?#", between=";", levels=_IN_DATABASES),
    "impala": _Form(port=21050, between=";", levels=_IN_DATABASES),
    "presto": _Form(port=8080, path=("database", "schema")),
    "trino": _Form(port=8080, path=("database", "schema")),
    "clickhouse": _Form(port=8123, ends="?", databases=("database",), levels=_IN_DATABASES),
    "vertica": _Form(port=5433, schemas=("searchpath",)),
    "netezza": _Form(port=5480, ends=";?", between=";&"),
    "sap": _Form(port=30015, databases=("databasename",), schemas=("currentschema",)),
    "informix-sqli": _Form(port=9088, ends=":;", between=";"),
    "bigquery": _Form(port=443, between=";", databases=("projectid",), schemas=("defaultdataset",)),
    "athena": _Form(port=443, between=";", databases=("catalog",), schemas=("schema", "database")),
}
_ANY = _Form()
_ALIASES = {"mysql+srv": "mysql", "ch": "clickhouse", "spark": "databricks", "cockroachdb": "postgresql"}
_WRAPPERS = frozenset({"aws-wrapper", "p6spy", "log4jdbc", "otel", "tc", "jtds", "datadirect", "weblogic"})
"""Drivers around a driver: what follows is the URL of the database."""

_SCHEME = re.compile(r"(?i)jdbc:([a-z0-9+_.-]+):")
_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)*//([^/]*)(/.*)?", re.DOTALL)
_ORACLE_NET = re.compile(
    r"(?:(?:tcps?|ldaps?):)?(?://)?(\[[^\]]+\]|[^:/?]+)(?::(\d+))?(?:[:/]([^:/?]*).*)?", re.IGNORECASE
)
_ENTRY = re.compile(r"\(\s*(host|port|service_name|sid)\s*=([^()]*)\)", re.IGNORECASE)
_TO_PATH = re.compile(r"(?:[a-z]+:)?//[^/]*/")
_TO_PARAMETERS = re.compile(r"//[^/?]*/?")
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:]*)(?::(\d+))?.*")


def read_url(url: str) -> JdbcUrl | None:
    """What a JDBC URL names; None if it is no JDBC URL.

    >>> read_url("jdbc:postgresql://me:secret@db1/shop?password=x")
    JdbcUrl(rdbms_type='postgresql', database='shop', host='db1', port=5432, schema=None)
    """
    kind, rest = _kind(url.strip())
    if kind is None:
        return None
    if kind == "oracle":
        return _oracle(rest)
    return _read(_ALIASES.get(kind, kind), rest)


def _kind(url: str) -> tuple[str | None, str]:
    m = _SCHEME.match(url)
    while m is not None and m[1].lower() in _WRAPPERS:
        url = "jdbc:" + url[m.end() :]
        m = _SCHEME.match(url)
    return (None, "") if m is None else (m[1].lower(), url[m.end() :])


def _read(kind: str, rest: str) -> JdbcUrl:
    form = _FORMS.get(kind, _ANY)
    location, parameters = _divided(rest, form)
    m = _AUTHORITY.fullmatch(location)
    if m is None:
        if form is _ANY:  # what is before an @ may be a login; the files of embedded databases have none
            location = location.rpartition("@")[2]
        database = _first(parameters, form.databases) or location.strip().removeprefix("file:")
        return JdbcUrl(rdbms_type=kind, database=database, schema=_first(parameters, form.schemas))
    host, port = _host_and_port(m[1].rpartition("@")[2])
    if not host:
        host = _first(parameters, form.hosts) or "localhost"
    given = _first(parameters, form.ports)
    port = port or (int(given) if given and given.isdigit() else None)
    if port is None and "\\" not in host:
        port = form.port
    below = _below(m[2] or "", form, parameters)
    return JdbcUrl(
        rdbms_type=kind,
        database=below.get("database") or "",
        host=host,
        port=port,
        schema=below.get("schema"),
    )


def _below(path: str, form: _Form, parameters: Mapping[str, str]) -> dict[str, str | None]:
    """Database and schema: by parameter, else by the path."""
    path = path[1:]
    parts = path.split("/", len(form.path) - 1) if path else []
    by_path = dict(zip(form.path, parts, strict=False))
    return {
        "database": _first(parameters, form.databases) or by_path.get("database"),
        "schema": _first(parameters, form.schemas) or by_path.get("schema") or None,
    }


def _divided(rest: str, form: _Form) -> tuple[str, dict[str, str]]:
    """The location, and the parameters by lower-case name."""
    # A colon ends the location only behind the database: //host:50000/db:user=me
    start = 0
    if ":" in form.ends:
        m = _TO_PATH.match(rest)
        start = m.end() if m else 0
    if form.between == ",":  # //host/DATABASE=db,USER=me
        m = _TO_PARAMETERS.match(rest)
        start = m.end() if m else 0
        return rest[:start].rstrip("/"), _parameters(rest[start:].lstrip("?"), form.between)
    at = next((i for i in range(start, len(rest)) if rest[i] in form.ends), len(rest))
    return rest[:at], _parameters(rest[at + 1 :], form.between + form.ends)


def _parameters(text: str, between: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in _outside_braces(text, between):
        key, equals, value = part.partition("=")
        if equals:
            found.setdefault(key.strip().lower(), value.strip().strip("{}"))
    return found


def _outside_braces(text: str, between: str) -> Iterator[str]:
    """What stands between separators; one in `{…}` is none."""
    last = text.rfind("}")
    start = at = 0
    while at < len(text):
        if text[at] == "{" and at < last:
            at = text.find("}", at)
        elif text[at] in between:
            yield text[start:at]
            start = at + 1
        at += 1
    yield text[start:]


def _entries(text: str) -> dict[str, str]:
    """The entries of `(HOST=h)(PORT=1)`; the first of a name counts."""
    return {name.lower(): value.strip() for name, value in reversed(_ENTRY.findall(text))}


def _first(parameters: Mapping[str, str], keys: Sequence[str]) -> str | None:
    return next((parameters[k] for k in keys if parameters.get(k)), None)


def _host_and_port(authority: str) -> tuple[str, int | None]:
    """Of several hosts the first: `h1:1,h2:2`, `address=(host=h1)(port=1),…`, `[::1]:1`."""
    entries = _entries(authority)
    if "host" in entries:
        port = entries.get("port", "")
        return entries["host"], int(port) if port.isdigit() else None
    first = authority.split(",")[0]
    m = _HOST_AND_PORT.fullmatch(first)
    if m is None:
        return first, None
    return m[1].strip("[]"), int(m[2]) if m[2] else None


def _oracle(rest: str) -> JdbcUrl:
    """`thin:@host:1521:SID`, `thin:@//host:1521/service`, `thin:@tcps://…`, `thin:@(DESCRIPTION=…)`, `thin:@alias`."""
    address = rest.partition(":")[2]
    # user/password before the @; a password may hold one, a host cannot.
    address = address.rpartition("@")[2].strip()
    if address.startswith("("):
        entries = _entries(address)
        host, port = entries.get("host", ""), entries.get("port", "")
        database = entries.get("service_name") or entries.get("sid", "")
    else:
        m = _ORACLE_NET.fullmatch(address)
        host, port, database = (m[1], m[2] or "", m[3] or "") if m else ("", "", address)
        if not database and not port and "//" not in address:
            host, database = "", host  # an alias of tnsnames.ora
    number = int(port) if port.isdigit() else 1521 if host else None
    return JdbcUrl(rdbms_type="oracle", database=database, host=host.strip("[]"), port=number)


_PART = r'"(?:[^"]|"")+"|`(?:[^`]|``)+`|\[[^\]]+\]|[^.]*'
_NAME = re.compile(rf"\s*({_PART})\s*(\.|$)")


def name_parts(name: str) -> tuple[str, ...]:
    """The parts of a qualified name without their quotes.

    >>> name_parts('"Sales"."Big.Orders"'), name_parts("[dbo].[t]"), name_parts("shop..t")
    (('Sales', 'Big.Orders'), ('dbo', 't'), ('shop', '', 't'))
    """
    parts: list[str] = []
    at = 0
    while True:
        m = _NAME.match(name, at)
        if m is None:
            return (name,)
        parts.append(_unquoted(m[1].strip()))
        at = m.end()
        if not m[2]:
            return tuple(parts)


def _unquoted(part: str) -> str:
    if len(part) > 1 and part[0] == part[-1] and part[0] in '"`':
        return part[1:-1].replace(part[0] * 2, part[0])
    return part[1:-1] if part[:1] == "[" and part[-1:] == "]" else part


def rdbms_table(url: str, parts: Sequence[str], of: tuple[Column, ...] = ()) -> RdbmsDataset | None:
    """The table that `parts` name in the database of a URL; None if it is no JDBC URL."""
    where = read_url(url)
    if where is None:
        return None
    levels = _FORMS.get(where.rdbms_type, _ANY).levels
    named = dict(zip(reversed(levels), reversed(parts), strict=False))
    return RdbmsDataset(
        rdbms_type=where.rdbms_type,
        database=named.get("database") or where.database,
        table=named["table"],
        host=where.host,
        port=where.port,
        schema=named.get("schema") or where.schema,
        columns=of,
    )
