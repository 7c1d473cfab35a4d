"""Parse Oracle's JDBC URLs, whose addresses have many forms."""

from __future__ import annotations

import re

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
