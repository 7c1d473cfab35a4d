"""Parse path aliases, such as `dbfs:/mnt/raw=abfss://raw@account.dfs.core.windows.net`."""

from __future__ import annotations

import re

from sac_kafka.settings.declarations.values import PATH, Kind

_PATH = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/.*")
_NO_HOST = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+:)///(?=[^/])")
_MAX_PAIRS = 1_000


def _aliases(text: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        alias, equals, target = (part.strip() for part in pair.partition("="))
        if not equals or not _PATH.fullmatch(alias) or not _PATH.fullmatch(target):
            raise ValueError("must be pairs FROM=TO of paths with their schemes, separated by commas")
        alias, target = _normalized(alias), _normalized(target)
        if found.setdefault(alias, target) != target:
            raise ValueError(f"maps {PATH.read(alias)} to two paths")
        if alias.endswith("/") != target.endswith("/"):
            raise ValueError("must have a path on both sides, or only a scheme (s3://=s3a://)")
        PATH.read(alias), PATH.read(target)
    if len(found) > _MAX_PAIRS:
        raise ValueError(f"must be at most {_MAX_PAIRS:,} pairs")
    return tuple(found.items())


def _normalized(path: str) -> str:
    """Write a path like Hadoop does; a scheme without a path keeps its slashes."""
    path = _NO_HOST.sub(r"\1/", path)
    return path if path.endswith((":/", "://")) else path.rstrip("/")


ALIASES = Kind("pairs FROM=TO of paths, separated by commas", _aliases, is_list=True)
