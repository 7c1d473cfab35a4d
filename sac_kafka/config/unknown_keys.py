"""Keys without effect that look like ours: most are misspelt, so the nearest known one is suggested."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import takewhile

from sac_kafka.config.atlas_keys import is_of_atlas
from sac_kafka.config.values import nearest

_BEFORE = re.compile(r"(?:atlas\.)?(?:hook\.)?(?:spark\.)?")
"""What people leave out of a key, or write where it has none."""
_SECTIONS = (("kafka",), ("jaas", "KafkaClient"), ("jaas", "ticketBased-KafkaClient"))
"""What stands behind `atlas.` where any key may follow."""
_REVIEWED = ("atlas.kafka.", "atlas.jaas.")
"""What the settings of Kafka's client and its log-ins begin with; they are reviewed with the client's other settings."""
_NEAR = 0.82
_QUOTES = "\"'`"
OWN_PREFIX = "atlas.hook.spark."
"""What begins so is ours alone; other keys may be another hook's."""


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
"""Settings of the thread pool that Atlas' own hooks have, each below its prefix: known, and without effect here.

Source: `HiveHook` (Atlas 0.8 to 2.4), and what distributions write for every hook.
"""


RETIRED = frozenset(
    (
        "atlas.hook.spool.pause.before.send.sec",  # Atlas' own; spooled messages are always sent in their original order
        f"{OWN_PREFIX}capture.handoff.events",
        f"{OWN_PREFIX}capture.stack.bytes",
    )
)
"""Settings that nobody needs any more: known, and without effect, so that what sets them goes on as before."""

WITHOUT_EFFECT = OF_EVERY_HOOK | RETIRED


def unknown_keys(keys: Iterable[str], known: Collection[str]) -> dict[str, str | None]:
    """Return the keys without effect, sorted, each with the known one that is meant; None where none is near.

    Keys of an Atlas server, of its clients and of its other hooks are left out, unless they are a single slip away from one
    that is known.

    >>> unknown_keys(["atlas.hook.spark.job.nmae", "atlas.hook.hive.x"], ["atlas.hook.spark.job.name"])
    {'atlas.hook.spark.job.nmae': 'atlas.hook.spark.job.name'}
    >>> unknown_keys(["atlas.client.tpye", "atlas.client.readTimeoutMSecs"], ["atlas.client.type"])
    {'atlas.client.tpye': 'atlas.client.type'}
    >>> unknown_keys(["atlas.kafak.acks", "atlas.nobodys"], [])
    {'atlas.kafak.acks': 'atlas.kafka.acks', 'atlas.nobodys': None}
    """
    strangers = (key for key in sorted(keys) if key.startswith("atlas.") and key not in known)
    meant = {key: _meant(key, known) for key in strangers if key not in WITHOUT_EFFECT}
    return {key: found for key, found in meant.items() if found or not _is_others(key)}


def _meant(key: str, known: Collection[str]) -> str | None:
    found = prefixed(key, known)
    if found or key.startswith(OWN_PREFIX):
        return found or _nearest(key, known)
    found = _slip(key, known) or _in_section(key)
    return found if found or _is_others(key) else _shortened(key, known) or nearest(key, known, cutoff=_NEAR)


def _is_others(key: str) -> bool:
    """Return whether a key has a meaning elsewhere; what begins with `atlas.hook.spark.` has none."""
    return not key.startswith(OWN_PREFIX) and (key.startswith(_REVIEWED) or is_of_atlas(key))


def _shortened(key: str, known: Iterable[str]) -> str | None:
    """Return the known key of which a key lacks the last parts."""
    return next((each for each in known if each.startswith(f"{key}.")), None)


def disguised(key: str, known: Iterable[str]) -> str | None:
    r"""Return the key of ours that a key looks like: it differs by its case, quotes, or characters that nobody sees.

    >>> disguised("\ufeffAtlas.Client.Type", ["atlas.client.type"]), disguised("atlas.client.type", ["atlas.client.type"])
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
    r"""Return whether a character has no width or is a blank other than the usual one: nobody sees it in an editor.

    >>> [is_invisible(each) for each in "\ufeff\u200b\u00a0a "]
    [True, True, True, False, False]
    """
    return unicodedata.category(character) in ("Cf", "Zs", "Zl", "Zp") and character != " "


def invisible_in(text: str) -> str:
    r"""Return the code points of the characters of a text that nobody sees, "" where there is none.

    >>> invisible_in("\ufeffatlas.x")
    'U+FEFF'
    """
    return ", ".join(f"U+{ord(each):04X}" for each in dict.fromkeys(text) if is_invisible(each))


def prefixed(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that differs from a key only in what stands before it.

    >>> prefixed("job.name", ["atlas.client.type", "atlas.hook.spark.job.name"])
    'atlas.hook.spark.job.name'
    """
    bare = _BEFORE.sub("", key, count=1)
    return next((each for each in known if each.startswith("atlas.") and _BEFORE.sub("", each, count=1) == bare), None)


def _in_section(key: str) -> str | None:
    """The key with the name of its section as it should be; None where that is right, or none of the sections is near."""
    parts = key.split(".")[1:]
    for names in _SECTIONS:
        given, rest = parts[: len(names)], parts[len(names) :]
        pairs = list(zip(given, names, strict=False))
        if rest and given != [*names] and all(is_one_slip(one.lower(), name.lower()) for one, name in pairs):
            return ".".join(("atlas", *names, *rest))
    return None


def _nearest(key: str, known: Iterable[str]) -> str | None:
    own = [each.removeprefix(OWN_PREFIX) for each in known if each.startswith(OWN_PREFIX)]
    meant = nearest(key.removeprefix(OWN_PREFIX), own, cutoff=0.7)
    return OWN_PREFIX + meant if meant else None


def _slip(key: str, known: Iterable[str]) -> str | None:
    return next((each for each in known if is_one_slip(key, each)), None)


def is_one_slip(one: str, other: str) -> bool:
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
