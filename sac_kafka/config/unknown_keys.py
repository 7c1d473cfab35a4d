"""Keys that look like ours and are none: most are misspelt, so the nearest known one is suggested."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from itertools import takewhile

OWN_PREFIX = "atlas.hook.spark."
"""What begins so is ours alone; other keys may be another hook's."""


def unknown_keys(keys: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """The keys of ours that are not known, sorted, each with a suggestion where one is near.

    A file has many keys that are others'. Of those only the ones count that are a single slip away from a known one.

    >>> unknown_keys(["atlas.hook.spark.job.nmae", "atlas.hook.hive.x"], ["atlas.hook.spark.job.name"])
    ('atlas.hook.spark.job.nmae (did you mean atlas.hook.spark.job.name?)',)
    >>> unknown_keys(["atlas.client.tpye", "atlas.client.readTimeoutMSecs"], ["atlas.client.type"])
    ('atlas.client.tpye (did you mean atlas.client.type?)',)
    """
    strangers = sorted(key for key in keys if key.startswith("atlas.") and key not in known)
    told = ((key, _suggestion(key, known) if key.startswith(OWN_PREFIX) else _slip(key, known)) for key in strangers)
    return tuple(key + suggestion for key, suggestion in told if suggestion or key.startswith(OWN_PREFIX))


def _suggestion(key: str, known: Iterable[str]) -> str:
    own = [each.removeprefix(OWN_PREFIX) for each in known if each.startswith(OWN_PREFIX)]
    nearest = difflib.get_close_matches(key.removeprefix(OWN_PREFIX), own, n=1, cutoff=0.7)
    return f" (did you mean {OWN_PREFIX}{nearest[0]}?)" if nearest else ""


def _slip(key: str, known: Iterable[str]) -> str:
    meant = next((each for each in known if _is_one_slip(key, each)), None)
    return f" (did you mean {meant}?)" if meant else ""


def _is_one_slip(one: str, other: str) -> bool:
    """Whether one letter too many, too few, wrong, or two that changed places make the difference."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = _alike(one, other)
    one, other = one[start:], other[start:]
    end = _alike(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
