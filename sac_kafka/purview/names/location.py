"""Parse locations of data in Hadoop's notation: `abfss://raw@account.dfs.core.windows.net/sales/orders`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sac_kafka.purview.normalisation import encoded_brackets

# At least two characters, as `C:/data` has a drive, not a scheme.
_URI = re.compile(r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):)?(?://(?P<authority>[^/]*))?(?P<path>.*)", re.DOTALL)
_WEB = frozenset({"http", "https"})
_QUERY = re.compile(r"[?#].*", re.DOTALL)
_PARAMETERS = re.compile(r"\?[^/?=]*=.*", re.DOTALL)
"""Query parameters; with other schemes than HTTP a question mark alone may be part of a file name."""
_PLACEHOLDER = re.compile(r"(\{(?:date|uuid|run)\})")
_PATTERNS = {"{date}": "{Year}-{Month}-{Day}", "{uuid}": "{GUID}", "{run}": "{N}"}
"""Patterns of resource sets by placeholder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataLocation:
    """Parsed location: the lower-case scheme ("" if none), the authority after `//`, and the segments of the path.

    Curly brackets of the original path are encoded in `segments`, so literal ones belong to patterns.
    """

    scheme: str
    authority: str
    segments: tuple[str, ...]

    @property
    def host(self) -> str:
        """Lower-case host without container, user and the default port 443."""
        return self.authority.rpartition("@")[2].lower().removesuffix(":443").rstrip(".")

    @property
    def container(self) -> str:
        """Container before the host: `raw` in `raw@account…`, without user and password."""
        return self.authority.rpartition("@")[0].rpartition("@")[2].partition(":")[0]


def parse_location(uri: str) -> DataLocation:
    """Parse a URI; its query, which may contain a signature, is dropped.

    >>> parse_location("wasbs://raw@acct.blob.core.windows.net//a/{b}").segments
    ('a', '%7Bb%7D')
    """
    return _parse_location(uri, encoded_brackets)


def located_root(root: str) -> DataLocation:
    """Parse the root of a dataset (`PathDataset.path`), whose placeholders (`{date}`) are kept."""
    return _parse_location(root, _encode_except_placeholders)


def is_placeholder(segment: str) -> bool:
    """Return True if a segment of a root contains a placeholder."""
    return _PLACEHOLDER.search(segment) is not None


def translate(segment: str) -> str:
    """Replace the placeholders of a segment by Purview's patterns.

    >>> translate("orders_{date}.csv")
    'orders_{Year}-{Month}-{Day}.csv'
    """
    return _PLACEHOLDER.sub(lambda found: _PATTERNS[found[0]], segment)


def _parse_location(uri: str, encoded: Callable[[str], str]) -> DataLocation:
    found = _URI.fullmatch(uri)
    assert found is not None  # the pattern matches any text
    scheme, path = (found["scheme"] or "").lower(), found["path"]
    path = (_QUERY if scheme in _WEB else _PARAMETERS).sub("", path)
    segments = tuple(encoded(segment) for segment in path.split("/") if segment)
    return DataLocation(scheme=scheme, authority=found["authority"] or "", segments=segments)


def _encode_except_placeholders(segment: str) -> str:
    parts = _PLACEHOLDER.split(segment)
    return "".join(part if i % 2 else encoded_brackets(part) for i, part in enumerate(parts))
