"""Pairs of paths of which one is another name of the other: `dbfs:/mnt/raw=abfss://raw@account.dfs.core.windows.net`."""

from __future__ import annotations

import re

from sac_kafka.config.values import PATH, Kind

_PATH = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/.*")
_NO_HOST = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+:)///(?=[^/])")
_MOST = 1_000


def _aliases(text: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, equals, meant = (part.strip() for part in pair.partition("="))
        if not equals or not _PATH.fullmatch(name) or not _PATH.fullmatch(meant):
            raise ValueError("must be pairs FROM=TO of paths with their schemes, separated by commas")
        name, meant = _written(name), _written(meant)
        if found.setdefault(name, meant) != meant:
            raise ValueError(f"gives {PATH.read(name)} two meanings")
        if name.endswith("/") != meant.endswith("/"):
            raise ValueError("must have a path on both sides, or only a scheme (s3://=s3a://)")
        PATH.read(name), PATH.read(meant)
    if len(found) > _MOST:
        raise ValueError(f"must be at most {_MOST:,} pairs")
    return tuple(found.items())


def _written(path: str) -> str:
    """As Hadoop writes it; what is only a scheme keeps its slashes."""
    path = _NO_HOST.sub(r"\1/", path)
    return path if path.endswith((":/", "://")) else path.rstrip("/")


ALIASES = Kind("pairs FROM=TO of paths, separated by commas", _aliases, is_list=True)
