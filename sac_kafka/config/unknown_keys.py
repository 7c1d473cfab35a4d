"""Keys that look like ours and are none: most are misspelt, so the nearest known one is suggested."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

OWN_PREFIX = "atlas.hook.spark."
"""What begins so is ours alone; other keys may be another hook's."""


def unknown_keys(keys: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """The keys of ours that are not known, sorted, each with a suggestion where one is near.

    >>> unknown_keys(["atlas.hook.spark.job.nmae", "atlas.hook.hive.x"], ["atlas.hook.spark.job.name"])
    ('atlas.hook.spark.job.nmae (did you mean atlas.hook.spark.job.name?)',)
    """
    strangers = sorted(key for key in keys if key.startswith(OWN_PREFIX) and key not in known)
    return tuple(key + _suggestion(key, known) for key in strangers)


def _suggestion(key: str, known: Iterable[str]) -> str:
    own = [each.removeprefix(OWN_PREFIX) for each in known if each.startswith(OWN_PREFIX)]
    nearest = difflib.get_close_matches(key.removeprefix(OWN_PREFIX), own, n=1, cutoff=0.7)
    return f" (did you mean {OWN_PREFIX}{nearest[0]}?)" if nearest else ""
