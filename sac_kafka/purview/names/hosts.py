"""Hosts: what service of which cloud a host is, by how it ends."""

from __future__ import annotations

from collections.abc import Iterable

_PRIVATE = "privatelink"
"""The label that a private endpoint puts into a name: the server is the same one."""


def plain_host(host: str) -> str:
    """The host in small letters, without the dot at its end and what a private endpoint puts into it.

    >>> plain_host("Sales.privatelink.database.windows.net.")
    'sales.database.windows.net'
    """
    labels = host.strip().lower().rstrip(".").split(".")
    return ".".join(label for label in labels if label != _PRIVATE)


def labels_before(host: str, suffixes: Iterable[str]) -> tuple[str, ...]:
    """The labels of a host before the first suffix that it ends with; () where it ends with none.

    >>> labels_before("mi.a1b2.database.windows.net", ("database.windows.net",))
    ('mi', 'a1b2')
    """
    suffix = next((each for each in suffixes if host.endswith(f".{each}")), None)
    return () if suffix is None else tuple(host.removesuffix(f".{suffix}").split("."))


def authority(host: str, port: int | None = None) -> str:
    """Host and port as a URL has them.

    >>> authority("db1", 5432), authority("::1", 5432), authority("db1")
    ('db1:5432', '[::1]:5432', 'db1')
    """
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port}" if port else shown
