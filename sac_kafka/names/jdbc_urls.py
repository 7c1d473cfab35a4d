"""Parse JDBC URLs and table names into datasets: host, database, schema and table.

User names, passwords and parameters are discarded. The URL formats of each kind of database are declared in `jdbc_forms`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sac_kafka.model import Column, RdbmsDataset
from sac_kafka.names.jdbc_forms import (
    ANY,
    CANONICAL,
    FORMS,
    NARROWED,
    ORACLE,
    REWRITTEN,
    SEMICOLONS,
    WRAPPERS,
    UrlForm,
    wrap,
)
from sac_kafka.names.jdbc_spelling import (
    SPELLINGS,
    WITHOUT_DECODING,
    Spelling,
    first_in_search_path,
    in_quotes,
    name_parts,
    quoted_parts,
    remove_quotes,
    search_path_of,
)

_TO_PATH = re.compile(r"(?:[a-z-]+:)?//[^/]*/")


def split_parameters(rest: str, form: UrlForm) -> tuple[str, dict[str, str]]:
    """Return the location, and the parameters by lower-case name."""
    # A colon ends the location only after the database: //host:50000/db:user=me
    start = 0
    if ":" in form.starts:
        m = _TO_PATH.match(rest)
        start = m.end() if m else 0
    at = next((i for i in range(start, len(rest)) if rest[i] in form.starts), len(rest))
    return rest[:at], parameters_of(rest[at + 1 :], form)


def parameters_of(text: str, form: UrlForm) -> dict[str, str]:
    """Return the parameters by lower-case name; the first one of each name."""
    found: dict[str, str] = {}
    for part in _outside_braces(text, form.separators + form.starts, form.quote):
        key, equals, value = part.partition("=")
        if equals:
            value = value.strip()
            is_braced = value[:1] == "{" and value[-1:] == "}"
            found.setdefault(key.strip().lower(), value[1:-1].replace("}}", "}") if is_braced else value)
    return found


def _outside_braces(text: str, separators: str, quote: str) -> Iterator[str]:
    """Split a text at separators, except within `{…}` and quotes."""
    last = {"}": text.rfind("}"), quote: text.rfind(quote) if quote else -1}
    start = at = 0
    while at < len(text):
        end = "}" if text[at] == "{" else quote if text[at] == quote else ""
        if end and at < last[end]:
            at = text.find(end, at + 1)
            while text.startswith(end * 2, at) and text.find(end, at + 2) > 0:
                at = text.find(end, at + 2)
        elif text[at] in separators:
            yield text[start:at]
            start = at + 1
        at += 1
    yield text[start:]


def first(parameters: Mapping[str, str], keys: Sequence[str]) -> str | None:
    """Return the value of the first of these parameters that is set; None if none is."""
    return next((parameters[k] for k in keys if parameters.get(k)), None)


def quoted_levels(parameters: Mapping[str, str], form: UrlForm) -> tuple[tuple[str, str], ...]:
    """Return the levels (`database`, `schema`) whose names are quoted in parameters, with the quoted text."""
    named = {"database": first(parameters, form.databases), "schema": schema_of(parameters, form)}
    quoted = ((level, in_quotes(text)) for level, text in named.items() if text)
    return tuple((level, text) for level, text in quoted if text is not None)


def schema_of(parameters: Mapping[str, str], form: UrlForm) -> str | None:
    """Return the schema in the parameters as written; of a search path, the first one."""
    named = first(parameters, form.schemas) or search_path_of(parameters.get(form.options))
    return first_in_search_path(named)


_PORT = 1521
_ENTRY = re.compile(r"\(\s*(host|port|service_name|sid)\s*=([^()]*)\)", re.IGNORECASE)
_NET = re.compile(
    r"(?:tcps?:)?(?://)?"  # protocol
    r"(?P<host>\[[^\]]+\]|[^:/,;]+)(?:[,;][^:/]*)?"  # the first of the hosts
    r"(?::(?P<port>\d+))?(?:[,;][^/]*)?"
    r"(?:[:/](?P<database>[^:/,]*).*)?",
    re.IGNORECASE | re.DOTALL,
)
_DIRECTORY = re.compile(r"(?i)ldaps?:(?://)?[^/]*/([^,]*).*", re.DOTALL)


def oracle_address(rest: str) -> tuple[str, int | None, str]:
    """Return host, port, and service or SID of a URL without `jdbc:oracle:`.

    Of several addresses, return the first. A name defined in tnsnames.ora or a directory is the database, without a host.

    >>> oracle_address("thin:scott/tiger@//db1:1522/shop"), oracle_address("thin:@shop_high?TNS_ADMIN=/wallet")
    (('db1', 1522, 'shop'), ('', None, 'shop_high'))
    """
    login, at, address = _split_login(rest.partition(":")[2])
    del login
    if not at:  # jdbc:oracle:kprb: (the database's internal driver), or an alias
        return "", None, "" if ":" in rest else rest
    address = address.strip()
    if address.startswith("("):
        entries = {name.lower(): value.strip() for name, value in reversed(_ENTRY.findall(address))}
        host, port = entries.get("host", ""), entries.get("port", "")
        database = entries.get("service_name") or entries.get("sid", "")
        return host.strip("[]"), int(port) if port.isdecimal() else _PORT if host else None, database
    address = address.partition("?")[0]
    directory = _DIRECTORY.fullmatch(address)
    if directory is not None:
        return "", None, directory[1]
    m = _NET.fullmatch(address)
    if m is None:
        return "", None, ""
    host, port, database = m["host"], m["port"] or "", m["database"] or ""
    if not database and not port and "//" not in address:
        return "", None, host
    return host.strip("[]"), int(port) if port else _PORT, database


def _split_login(text: str) -> tuple[str, str, str]:
    """Split `user/password@address` at the last @ before the address's parameters, which begin with `?`.

    A password and a parameter may contain an @, a host cannot.
    """
    parts = text.split("@")
    for i in range(len(parts) - 1, 0, -1):
        before = "@".join(parts[:i])
        if "?" not in before.rpartition("@")[2] or i == 1:
            return before, "@", "@".join(parts[i:])
    return text, "", ""


__all__ = ["JdbcUrl", "name_parts", "named_table", "parse_jdbc_url", "rdbms_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JdbcUrl:
    """The database of a JDBC URL; attributes as in `model.RdbmsDataset`."""

    rdbms_type: str
    database: str
    host: str = ""
    port: int | None = None
    schema: str | None = None
    instance: str = field(default="", compare=False, repr=False)
    quoted: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)
    has_default_port: bool = field(default=False, compare=False, repr=False)


_SCHEME = re.compile(r"(?i)jdbc(?:-secretsmanager)?:([a-z0-9+_.-]+):")
_AUTHORITY = re.compile(
    r"((?:[A-Za-z][A-Za-z0-9+.-]*:)*)//(?:(https?)://)?((?:\([^()]*\)|[^/(])*)(/.*)?", re.DOTALL | re.IGNORECASE
)
_PREFIXES = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)*")
_PARENTHESES = re.compile(r"\([^()]*\)")
_IN_PARENTHESES = re.compile(r"\(\s*(host|port)\s*=([^(),]*)\)", re.IGNORECASE)
_IN_A_LIST = re.compile(r"[(,]\s*(host|port)\s*=([^(),]*)", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:]*)(?::(\d+))?.*", re.DOTALL)
_ANY_PORT = re.compile(r":(\d+)")
_OF_A_LOGIN = re.compile(r"[^:\[(/]+:(?![\d$]|[^:]*$)[^/]*|[^:\[(/]+:[^\d/:][^:/]*")
_PARAMETER = re.compile(r"[?&;,:#| ][\w.-]{1,64} ?=.*", re.DOTALL)
"""A parameter after a name, with any separator: undeclared parameters are discarded, as they may be secret."""
_FILE = re.compile(r"(?:file|directory):(?=.)")
_BY_TYPE: Mapping[str, UrlForm] = {form.rdbms_type or kind: form for kind, form in reversed(tuple(FORMS.items()))}
_FOLDING = frozenset({"oracle", *(kind for kind, form in _BY_TYPE.items() if form.ignores_case)})


def parse_jdbc_url(url: str) -> JdbcUrl | None:
    """Parse a JDBC URL; return None if it is not one.

    >>> parse_jdbc_url("jdbc:postgresql://me:secret@db1/shop?password=x")
    JdbcUrl(rdbms_type='postgresql', database='shop', host='db1', port=5432, schema=None)
    """
    kind, rest, by = _split_kind(url.strip())
    if kind is None:
        return None
    if kind == "oracle":
        return _oracle(rest, by)
    if kind in NARROWED and NARROWED[kind][0].search(rest):
        rest = REWRITTEN[kind][0].sub(REWRITTEN[kind][1], rest, count=1)
        kind = NARROWED[kind][1]
    form = FORMS.get(kind, ANY)
    if kind in REWRITTEN:
        pattern, start = REWRITTEN[kind]
        rest = pattern.sub(start, rest, count=1)
    return _parse(form.rdbms_type or kind, rest, wrap(form) if by in SEMICOLONS else form)


def _split_kind(url: str) -> tuple[str | None, str, str]:
    """Split a URL into the kind of database, the rest, and the wrapping driver or ""."""
    by = ""
    m = _SCHEME.match(url)
    while m is not None and m[1].lower() in WRAPPERS:
        by, url = m[1].lower(), "jdbc:" + url[m.end() :]
        m = _SCHEME.match(url)
    return (None, "", by) if m is None else (m[1].lower(), url[m.end() :], by)


def _oracle(rest: str, by: str) -> JdbcUrl:
    if rest.startswith("//"):
        return _parse("oracle", rest, wrap(ORACLE) if by in SEMICOLONS else ORACLE)
    host, port, database = oracle_address(rest)
    return JdbcUrl(rdbms_type="oracle", database=database.lower(), host=host.lower(), port=port)


def _parse(kind: str, rest: str, form: UrlForm) -> JdbcUrl:
    location, parameters = split_parameters(rest, form)
    m = _AUTHORITY.fullmatch(location)
    if m is None:
        return _without_host(kind, rest, location, form)
    if "=" in m[3] and "(" not in m[3]:  # //Region=us-east-1;Catalog=…
        parameters = parameters_of(f"{m[3]}{form.separators[0]}{location[m.end(3) :]}", form) | parameters
        authority, path = "", ""
    else:
        authority, path = m[3], m[4] or ""
    at = _PARENTHESES.sub(lambda each: "." * len(each[0]), location).rfind("@") if form.has_logins else -1
    if at >= 0:  # a password may contain a slash, a host cannot
        return _parse(kind, f"{m[1]}//{rest[at + 1 :]}", form)
    if (
        form.has_logins and "@" in rest and _OF_A_LOGIN.fullmatch(authority)
    ):  # //me:a?b@host: the password contains a separator
        return _parse(kind, "//" + rest.partition("@")[2], form)
    host, port = _endpoint(authority, parameters, form)
    has_default_port = port is None
    if port is None and "\\" not in host:
        port = _default_port(form, (m[1] + (m[2] or "")).lower().strip(":"), parameters)
    spelling = SPELLINGS.get(kind, WITHOUT_DECODING)
    parameters = {key: spelling.parameters(text) for key, text in parameters.items()}
    names = _database_and_schema(path, form, parameters, spelling)
    for pattern, replacement in CANONICAL.get(kind, ()):
        host = pattern.sub(replacement, host)
    database = names["database"] or form.database
    return JdbcUrl(
        rdbms_type=kind,
        database=database.lower() if form.ignores_case else database,
        host="" if form.is_global else host.lower(),
        port=None if form.is_global else port,
        schema=names["schema"],
        instance=_instance(authority, parameters, form),
        quoted=quoted_levels(parameters, form),
        has_default_port=has_default_port,
    )


def _without_host(kind: str, rest: str, location: str, form: UrlForm) -> JdbcUrl:
    """Parse a URL without a host: of an embedded database, or one that the driver locates itself."""
    inner = location[m.end() :] if (m := _PREFIXES.match(location)) else location
    if "=" in inner.partition("/")[0]:  # jdbc:new:Server=h;Database=db;User=me
        parameters = parameters_of(rest[len(location) - len(inner) :], form)
        host, port = _endpoint("", parameters, form, default="")
        names = _database_and_schema("", form, parameters, WITHOUT_DECODING)
        return JdbcUrl(
            rdbms_type=kind,
            database=names["database"] or "",
            host=host.lower(),
            port=(port or form.port) if host else None,
            schema=names["schema"],
            has_default_port=port is None,
        )
    _, parameters = split_parameters(rest, form)
    if form is ANY:  # a login may precede an @; in the path of an embedded database, an @ is part of the name
        location = location.rpartition("@")[2]
    name = first(parameters, form.databases) or _FILE.sub("", location.strip(), count=1)
    if form.defaults_to_localhost and not name.startswith("/"):  # jdbc:postgresql:shop is on localhost
        return _parse(kind, f"//localhost/{rest}", form)
    name = _PARAMETER.sub("", name)
    schema = remove_quotes(schema_of(parameters, form))
    return JdbcUrl(rdbms_type=kind, database=name.lower() if form.ignores_case else name, schema=schema)


def _endpoint(
    authority: str, parameters: Mapping[str, str], form: UrlForm, default: str = "localhost"
) -> tuple[str, int | None]:
    """Return host and port from the authority, else from parameters."""
    host, port = _host_and_port(authority, form)
    named = first(parameters, form.hosts)
    if not host and named:
        host, port = _host_and_port(named.rpartition("//")[2].partition("/")[0], form)
    region = parameters.get("region") or parameters.get("awsregion")
    if not host:
        host = form.region_host.format(region) if form.region_host and region else default
    given = first(parameters, form.ports)
    port = port or (int(given) if given and given.isdecimal() else None)
    instance = first(parameters, form.instances)
    if port is not None and form.instances:  # a port takes precedence over the name of an instance
        host = host.partition("\\")[0]
    elif instance and "\\" not in host:
        host = f"{host}\\{instance}"
    return first(parameters, form.host_overrides) or host, port


def _instance(authority: str, parameters: Mapping[str, str], form: UrlForm) -> str:
    """Return the name of an instance as written, or ""."""
    if not form.instances:
        return ""
    places = (_host_and_port(text, form)[0] for text in (authority, first(parameters, form.hosts) or ""))
    return (
        next((name for place in places if (name := place.partition("\\")[2])), "")
        or first(parameters, form.instances)
        or ""
    )


def _default_port(form: UrlForm, by: str, parameters: Mapping[str, str]) -> int | None:
    if form.secure_port is not None and (by == "https" or parameters.get("ssl", "").lower() in ("true", "1")):
        return form.secure_port
    return dict(form.ports_by).get(by, form.port)


def _database_and_schema(
    path: str, form: UrlForm, parameters: Mapping[str, str], spelling: Spelling
) -> dict[str, str | None]:
    """Return database and schema from parameters, else from the path."""
    path = _PARAMETER.sub("", path[1:])
    parts = path.split("/", len(form.path) - 1) if path and form.path else []
    by_path = dict(zip(form.path, map(spelling.path, parts), strict=False))
    return {
        "database": remove_quotes(first(parameters, form.databases)) or by_path.get("database"),
        "schema": remove_quotes(schema_of(parameters, form) or first_in_search_path(by_path.get("schema"))),
    }


def _host_and_port(authority: str, form: UrlForm) -> tuple[str, int | None]:
    """Return the first host: `h1:1,h2:2`, `address=(host=h1)(port=1),…`, `(host=h1,port=1)`, `[::1]:1`."""
    entries = _IN_PARENTHESES.findall(authority) or (_IN_A_LIST.findall(authority) if "(" in authority else [])
    if entries:
        named = {name.lower(): value.strip() for name, value in reversed(entries)}
        port = named.get("port", "")
        return named.get("host", "").strip("[]"), int(port) if port.isdecimal() else None
    if "(" in authority:
        return "", None
    if authority[:1] == "[" and "," in authority:  # [h1:1,h2:2]
        authority = authority.strip("[]")
    first = authority.split(form.host_separator)[0]
    m = _HOST_AND_PORT.fullmatch(first)
    if m is None:
        return first, None
    port = m[2] or ((p := _ANY_PORT.search(authority)) and p[1] if form.last_port_for_all else None)
    return m[1].strip("[]"), int(port) if port else None


def rdbms_table(url: str, parts: Sequence[str], columns: tuple[Column, ...] = ()) -> RdbmsDataset | None:
    """Return the table that `parts` name in the database of a URL; None if it is not a JDBC URL."""
    where = parse_jdbc_url(url)
    if where is None:
        return None
    levels = levels_of(where.rdbms_type)
    if len(levels) == 1:  # the name of an index may contain dots
        parts = (".".join(parts),)
    named = dict(zip(reversed(levels), reversed(parts), strict=False))
    database = named.get("database")
    if database and where.rdbms_type in _FOLDING:
        database = database.lower()
    return RdbmsDataset(
        rdbms_type=where.rdbms_type,
        database=database or where.database,
        table=named["table"],
        host=where.host,
        port=where.port,
        schema=named.get("schema") or where.schema,
        columns=columns,
        instance=where.instance,
        quoted=tuple((level, text) for level, text in where.quoted if not named.get(level)),
        has_default_port=where.has_default_port,
    )


def named_table(url: str, name: str, columns: tuple[Column, ...] = ()) -> RdbmsDataset | None:
    """Return the table with an SQL name in the database of a URL; None if it is not a JDBC URL."""
    table = rdbms_table(url, name_parts(name), columns)
    if table is None:
        return None
    levels = zip(reversed(levels_of(table.rdbms_type)), reversed(quoted_parts(name)), strict=False)
    return replace(table, quoted=(*table.quoted, *((level, part) for level, (part, is_quoted) in levels if is_quoted)))


def bigquery_url(project: str) -> str:
    """Return the URL of a project of BigQuery, for connectors that do not state one."""
    return f"jdbc:bigquery://https://www.googleapis.com/bigquery/v2:443;ProjectId={project}"


def levels_of(rdbms_type: str) -> tuple[str, ...]:
    """Return the levels of a table name, from the outside in."""
    return _BY_TYPE.get(rdbms_type, ANY).levels


def is_known(rdbms_type: str) -> bool:
    """Return True if there are specific rules for URLs of this kind."""
    return rdbms_type.lower() in _BY_TYPE or rdbms_type.lower() == "oracle"
