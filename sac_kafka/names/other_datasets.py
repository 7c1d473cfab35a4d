"""Name datasets of systems that have no Atlas type."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sac_kafka.model import Column, OtherDataset

IS_QUERY = "(query)"
"""Text by which the listener replaces a query."""

_AUTHORITY = re.compile(r"(?:[A-Za-z][\w+.:-]*?://)?(?:[^/?#;]*@)?(?P<host>\[[0-9a-fA-F:]+\](?::\d+)?|[\w.:,-]+)")


def other_dataset(
    system: str, parts: Iterable[str | None], kind: str, columns: tuple[Column, ...], *, host: str = ""
) -> OtherDataset | None:
    """Return a dataset of a system without an Atlas type; None if a level of its name is missing.

    `kind` describes it for people ("collection of MongoDB").
    """
    known = tuple(parts)
    if not known or any(not part or part == IS_QUERY or "***" in part for part in known):
        return None
    return OtherDataset(system=system, host=host, parts=tuple(p for p in known if p), description=kind, columns=columns)


def host_of(address: str | None) -> str:
    """Return the first server of an address, without scheme, user, password, path and parameters.

    >>> host_of("mongodb+srv://clerk:***@db1.example.org:27017,db2/shop?w=1"), host_of("es1:9200,es2"), host_of(None)
    ('db1.example.org:27017', 'es1:9200', '')
    """
    match = _AUTHORITY.match((address or "").strip())
    return match["host"].partition(",")[0].strip(":.").lower() if match else ""
