"""Find unknown keys that resemble known ones, most of them misspelt, and suggest the nearest known key.

Keys of an Atlas server, its clients and its other hooks share the file: keys that resemble none of this hook's are ignored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import takewhile

from sac_kafka.settings.declarations.values import nearest

_OPTIONAL_PREFIX = re.compile(r"(?:atlas\.)?(?:hook\.)?(?:spark\.)?")
"""Prefixes that are often omitted or added by mistake."""
_SECTIONS = (("kafka",), ("jaas", "KafkaClient"), ("jaas", "ticketBased-KafkaClient"), ("also",))
"""Sections under `atlas.` that accept arbitrary keys."""
_CLIENT_PREFIXES = ("atlas.kafka.", "atlas.jaas.")
"""Prefixes of the Kafka client's settings and logins, which `transport.kafka.settings.reviewing` checks."""
_MIN_SIMILARITY, _MIN_SIMILARITY_OF_OWN = 0.9, 0.7
"""To a known key, and in a section of ours. Atlas' own `atlas.notification.hook.consumer.topic.names` has 0.88."""
_QUOTES = "\"'`"
OWN_PREFIX = "atlas.hook.spark."
"""Prefix of keys that belong only to this hook; other keys may belong to other hooks."""
_OURS = (OWN_PREFIX, "atlas.bridge.", "atlas.spark.")
"""Prefixes of keys that belong only to this package."""
_MOSTLY_OURS = ("atlas.rest.", "atlas.metadata.", "atlas.client.", "atlas.hook.spool.")
"""Prefixes of which Atlas has only few keys that are not ours as well."""
_OF_ATLAS = ("atlas.client.ha.", "atlas.hook.spool.hivemetastore.name")
"""Those of them that are as similar to ours as a misspelt one (`AtlasBaseClient`, `SpoolConfiguration`)."""

OF_EVERY_HOOK = frozenset(
    OWN_PREFIX + name
    for name in (
        "synchronous",
        "numRetries",
        "minThreads",
        "maxThreads",
        "keepAliveTime",
        "keepAliveTimeMs",
        "queueSize",
    )
)
"""Thread pool settings that Atlas' own hooks have under their prefixes: accepted and ignored.

Source: `HiveHook` (Atlas 0.8 to 2.4), and configurations of distributions.
"""

RETIRED = frozenset(
    (
        "atlas.hook.spool.pause.before.send.sec",  # Atlas' own; not needed, spooled messages are always sent in order
        f"{OWN_PREFIX}capture.handoff.events",
        f"{OWN_PREFIX}capture.stack.bytes",
    )
)
"""Obsolete settings: accepted and ignored, so that existing configurations continue to work."""

WITHOUT_EFFECT = OF_EVERY_HOOK | RETIRED


def unknown_keys(keys: Iterable[str], known: Collection[str]) -> dict[str, str | None]:
    """Return the keys without effect, sorted, each with the known key that was probably meant or None.

    Keys that resemble no known one are returned only if no other program may own them.

    >>> unknown_keys(["atlas.hook.spark.job.nmae", "atlas.hook.hive.x"], ["atlas.hook.spark.job.name"])
    {'atlas.hook.spark.job.nmae': 'atlas.hook.spark.job.name'}
    >>> unknown_keys(["atlas.kafak.acks", "atlas.hook.spark.x", "atlas.nobodys"], [])
    {'atlas.hook.spark.x': None, 'atlas.kafak.acks': 'atlas.kafka.acks'}
    """
    unknown = (key for key in sorted(keys) if key.startswith("atlas.") and key not in known)
    suggestions = {key: _suggestion(key, known) for key in unknown if key not in WITHOUT_EFFECT}
    return {key: meant for key, meant in suggestions.items() if meant or key.startswith(_OURS)}


def _suggestion(key: str, known: Collection[str]) -> str | None:
    meant = find_without_prefix(key, known)
    if meant or key.startswith(OWN_PREFIX):
        return meant or _nearest(key, known)
    meant = next((each for each in known if is_one_typo(key, each)), None) or _in_section(key)
    if meant or key.startswith(_CLIENT_PREFIXES):
        return meant
    complete = next((each for each in known if each.startswith(f"{key}.")), None) or _with_parts_of(key, known)
    if complete:
        return complete
    sections = () if key.startswith(_OF_ATLAS) else (*_OURS, *_MOSTLY_OURS)
    section = next((each for each in sections if key.startswith(each)), None)
    near = section and nearest(key, [each for each in known if each.startswith(section)], cutoff=_MIN_SIMILARITY_OF_OWN)
    return near or nearest(key, known, cutoff=_MIN_SIMILARITY)


def _with_parts_of(key: str, known: Collection[str]) -> str | None:
    """Return the shortest known key that has all parts of a key in their order, so that only some are missing.

    >>> _with_parts_of("atlas.rest.password", ["atlas.rest.address", "atlas.rest.basic.auth.password"])
    'atlas.rest.basic.auth.password'
    """
    parts = key.split(".")

    def contains(other: str) -> bool:
        rest = iter(other.split("."))
        return all(part in rest for part in parts)

    shared = (each for each in known if not each.startswith(_OURS))
    return min(filter(contains, shared), key=len, default=None)


def find_lookalike(key: str, known: Iterable[str]) -> str | None:
    r"""Return the known key that a key resembles: it differs only by case, quotes or invisible characters.

    >>> known = ["atlas.client.type"]
    >>> find_lookalike("\ufeffAtlas.Client.Type", known), find_lookalike("atlas.client.type", known)
    ('atlas.client.type', None)
    """
    plain = "".join(each for each in key if not is_invisible(each)).strip(_QUOTES)
    plain = plain[len("spark.") :] if plain.casefold().startswith("spark.atlas.") else plain
    lower = plain.casefold()
    meant = next((each for each in known if each.casefold() == lower), None)
    if meant is None and lower.startswith("atlas."):
        meant = lower if lower.startswith("atlas.kafka.") and not plain.startswith("atlas.") else f"atlas.{plain[6:]}"
    return meant if meant not in (None, key, key.removeprefix("spark.")) else None


def is_invisible(character: str) -> bool:
    r"""Return whether a character is invisible in an editor: it has no width, or is a blank other than a space.

    >>> [is_invisible(each) for each in "\ufeff\u200b\u00a0a "]
    [True, True, True, False, False]
    """
    return unicodedata.category(character) in ("Cf", "Zs", "Zl", "Zp") and character != " "


def invisible_in(text: str) -> str:
    r"""Return the code points of the invisible characters in a text, "" without any.

    >>> invisible_in("\ufeffatlas.x")
    'U+FEFF'
    """
    return ", ".join(f"U+{ord(character):04X}" for character in dict.fromkeys(text) if is_invisible(character))


def find_without_prefix(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that differs from a key only in its prefix.

    >>> find_without_prefix("job.name", ["atlas.client.type", "atlas.hook.spark.job.name"])
    'atlas.hook.spark.job.name'
    """
    bare = _OPTIONAL_PREFIX.sub("", key, count=1)
    ours = (each for each in known if each.startswith("atlas."))
    return next((each for each in ours if _OPTIONAL_PREFIX.sub("", each, count=1) == bare), None)


def _in_section(key: str) -> str | None:
    """Correct a typo in the section name of a key; return None if it is correct or resembles no section."""
    parts = key.split(".")[1:]
    for names in _SECTIONS:
        given, rest = parts[: len(names)], parts[len(names) :]
        pairs = list(zip(given, names, strict=False))
        if rest and given != [*names] and all(is_one_typo(one.lower(), name.lower()) for one, name in pairs):
            return ".".join(("atlas", *names, *rest))
    return None


def _nearest(key: str, known: Iterable[str]) -> str | None:
    own = [each.removeprefix(OWN_PREFIX) for each in known if each.startswith(OWN_PREFIX)]
    meant = nearest(key.removeprefix(OWN_PREFIX), own, cutoff=_MIN_SIMILARITY_OF_OWN)
    return OWN_PREFIX + meant if meant else None


def is_one_typo(one: str, other: str) -> bool:
    """Return whether two texts are equal or differ by one inserted, missing, wrong or swapped letter."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = _common_prefix_length(one, other)
    one, other = one[start:], other[start:]
    end = _common_prefix_length(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])


def _common_prefix_length(one: str, other: str) -> int:
    """Return the number of characters with which both texts begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
