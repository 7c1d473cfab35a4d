"""Normalise host names and match their suffixes."""

from __future__ import annotations

from collections.abc import Iterable

_PRIVATE = "privatelink"
"""Label added by a private endpoint; the server is the same."""


def plain_host(host: str) -> str:
    """Return the host in lower case without a trailing dot and the label of a private endpoint.

    >>> plain_host("Sales.privatelink.database.windows.net.")
    'sales.database.windows.net'
    """
    labels = host.strip().lower().rstrip(".").split(".")
    return ".".join(label for label in labels if label != _PRIVATE)


def labels_before(host: str, suffixes: Iterable[str]) -> tuple[str, ...]:
    """Return the labels of a host before the first matching suffix; empty if no suffix matches.

    >>> labels_before("mi.a1b2.database.windows.net", ("database.windows.net",))
    ('mi', 'a1b2')
    """
    suffix = next((each for each in suffixes if host.endswith(f".{each}")), None)
    return () if suffix is None else tuple(host.removesuffix(f".{suffix}").split("."))


def authority(host: str, port: int | None = None) -> str:
    """Return host and port as in a URL.

    >>> authority("db1", 5432), authority("::1", 5432), authority("db1")
    ('db1:5432', '[::1]:5432', 'db1')
    """
    address = f"[{host}]" if ":" in host else host
    return f"{address}:{port}" if port else address
