"""A location of data in its parts, as Hadoop writes it: `abfss://raw@account.dfs.core.windows.net/sales/orders`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sac_kafka.purview.normalisation import encoded_brackets

# Two letters at least: `C:/data` is a path, not a scheme.
_URI = re.compile(r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):)?(?://(?P<authority>[^/]*))?(?P<path>.*)", re.DOTALL)
_WEB = frozenset({"http", "https"})
_QUERY = re.compile(r"[?#].*", re.DOTALL)
_PARAMETERS = re.compile(r"\?[^/?=]*=.*", re.DOTALL)
"""Behind a path of a driver's own scheme: a file may have a question mark in its name, but no driver reads parameters."""
_PLACEHOLDER = re.compile(r"(\{(?:date|uuid|run)\})")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataLocation:
    """A scheme in small letters, "" for a path without one; what stands after `//`; the folders of the path.

    Curly brackets in `segments` are those of patterns: brackets that a path has itself are encoded.
    """

    scheme: str
    authority: str
    segments: tuple[str, ...]

    @property
    def host(self) -> str:
        """The authority without a container or user before it, in small letters, without the port that is usual."""
        return self.authority.rpartition("@")[2].lower().removesuffix(":443").rstrip(".")

    @property
    def container(self) -> str:
        """What stands before the host: `raw` in `raw@account…`, without a user before it or a password behind it."""
        return self.authority.rpartition("@")[0].rpartition("@")[2].partition(":")[0]


def located(uri: str) -> DataLocation:
    """The parts of a URI. Its query, which can hold a signature, is dropped.

    >>> located("wasbs://raw@acct.blob.core.windows.net//a/{b}").segments
    ('a', '%7Bb%7D')
    """
    return _located(uri, encoded_brackets)


def located_root(root: str) -> DataLocation:
    """The same of the root of a dataset (`PathDataset.path`), which has placeholders (`{date}`)."""
    return _located(root, _encoded_but_placeholders)


def is_placeholder(segment: str) -> bool:
    """True for the segment of a root that has a placeholder."""
    return _PLACEHOLDER.search(segment) is not None


def translated(segment: str) -> str:
    """The segment of a root with Purview's patterns in place of placeholders.

    >>> translated("orders_{date}.csv")
    'orders_{Year}-{Month}-{Day}.csv'
    """
    return _PLACEHOLDER.sub(lambda found: _MEANT[found[0]], segment)


_MEANT = {"{date}": "{Year}-{Month}-{Day}", "{uuid}": "{GUID}", "{run}": "{N}"}


def _located(uri: str, encoded: Callable[[str], str]) -> DataLocation:
    found = _URI.fullmatch(uri)
    assert found is not None  # every text has these parts
    scheme, path = (found["scheme"] or "").lower(), found["path"]
    path = (_QUERY if scheme in _WEB else _PARAMETERS).sub("", path)
    segments = tuple(encoded(each) for each in path.split("/") if each)
    return DataLocation(scheme=scheme, authority=found["authority"] or "", segments=segments)


def _encoded_but_placeholders(segment: str) -> str:
    parts = _PLACEHOLDER.split(segment)
    return "".join(part if i % 2 else encoded_brackets(part) for i, part in enumerate(parts))
