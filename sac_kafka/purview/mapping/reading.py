"""Parse rules from TOML, reporting all problems of a file at once, each with its line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from sac_kafka.config.secrets import mask_text
from sac_kafka.config.values import EXPOSED, did_you_mean
from sac_kafka.errors import WrongRulesError
from sac_kafka.purview.mapping.dataset_fields import location_fields
from sac_kafka.purview.mapping.lines import lines
from sac_kafka.purview.mapping.places import RulePlaces
from sac_kafka.purview.mapping.reading_rules import problem_of_glob, read_rule
from sac_kafka.purview.mapping.rules import LocationRule, MappingRule, MappingRules, Treatment, criterion
from sac_kafka.purview.mapping.shadows import shadowed

LONGEST = 1_000_000
"""Characters of a file."""
MAX_LINE_LENGTH = 10_000
"""Characters of a line of it: its parser takes longer than linear for some that are longer."""
MOST = 1_000
"""Rules of a file: each dataset is held against each of them; mounts and locations likewise."""

_RULE, _MOUNTS, _LOCATIONS = "rule", "mounts", "locations"
_OF_A_LOCATION = ("scheme", "container", "host", "port", "path")
_TABLES = (_RULE, _MOUNTS, _LOCATIONS)


def read_rules(text: str, place: str) -> MappingRules:
    """Read the rules of a file.

    Args:
        text: The text of the file.
        place: What the file is called, for what is said of it.

    Raises:
        WrongRulesError: It is none, or holds rules that are none; a sentence for each of them.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    parsed = _parsed(text, place)
    places = RulePlaces(place, lines(text))
    wrong = [
        f"{places.of(name)}: {name!r} is nothing that is known here; there are [[rule]], [mounts] and [locations]"
        f"{did_you_mean(name, _TABLES)}"
        for name in parsed
        if name not in _TABLES
    ]
    rules = tuple(_rules(parsed, places, wrong))
    mounts = tuple(_mounts(parsed, places, wrong))
    locations = tuple(_locations(parsed, places, wrong))
    if wrong:
        raise WrongRulesError(*wrong)
    return MappingRules(
        rules=rules, mounts=mounts, locations=locations, place=place, warnings=tuple(shadowed(rules, locations))
    )


def _parsed(text: str, place: str) -> Mapping[str, Any]:
    if len(text) > LONGEST:
        raise WrongRulesError(f"{place}: has {len(text):,} characters; it may have {LONGEST:,}")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE_LENGTH:
            raise WrongRulesError(
                f"{place}, line {number}: has {len(line):,} characters; it may have {MAX_LINE_LENGTH:,}"
            )
    try:
        return _loaded(text)
    except RecursionError:
        raise WrongRulesError(f"{place}: is no TOML: brackets within brackets without end") from None
    except ImportError:
        raise WrongRulesError(
            f"{place}: cannot be read: Python before 3.11 needs the package tomli; install it"
        ) from None
    except ValueError as error:
        raise WrongRulesError(f"{place}: is no TOML: {error}{_cure(text)}") from None


def _loaded(text: str) -> Mapping[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    loaded: Mapping[str, Any] = tomllib.loads(text)
    return loaded


def _cure(text: str) -> str:
    """Return a hint on the likely cause of invalid TOML."""
    if text.lstrip().startswith(("{", "[\n", "[{")):
        return "; a JSON file of the accelerator is taken over by sac-kafka map import"
    return "; texts stand in quotes, a backslash in '…'"


def _rules(parsed: Mapping[str, Any], places: RulePlaces, wrong: list[str]) -> Iterator[MappingRule]:
    found = parsed.get(_RULE, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        wrong.append(f"{places.of(_RULE)}: rules are written below [[rule]], each below its own")
        return
    if len(found) > MOST:
        wrong.append(
            f"{places.place}: {len(found):,} rules are too many: {MOST:,} at most; let a glob stand for several"
        )
        return
    for number, each in enumerate(found):
        problems: list[str] = []
        rule = read_rule(each, places.below(_RULE, number, len(found)), problems)
        wrong += problems
        if rule is not None and not problems:
            yield rule


def _texts(
    parsed: Mapping[str, Any], table: str, places: RulePlaces, wrong: list[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield the entries of a table with their places; values must be texts."""
    found = parsed.get(table, {})
    if not isinstance(found, dict):
        wrong.append(f'{places.of(table)}: is written as [{table}], with lines "…" = "…" below it')
        return
    if len(found) > MOST:
        wrong.append(f"{places.of(table)}: {len(found):,} lines are too many; there are at most {MOST:,}")
        return
    own = places.below(table)
    for key, value in found.items():
        where = own.of(key)
        if not isinstance(value, str) or not value.strip() or not key.strip():
            wrong.append(f'{where}: {mask_text(key)!r} has no text; write "…" = "…"')
        elif mask_text(key) != key or mask_text(value) != value:
            wrong.append(f"{where}: {mask_text(f'{key} = {value}')!r} {EXPOSED}")
        else:
            yield key.strip(), value.strip(), where


def _mounts(parsed: Mapping[str, Any], places: RulePlaces, wrong: list[str]) -> Iterator[tuple[str, str]]:
    for mount, target, where in _texts(parsed, _MOUNTS, places, wrong):
        point = f"dbfs:{mount}" if mount.startswith("/") else mount.replace("dbfs:///", "dbfs:/", 1)
        if not point.startswith("dbfs:/") or not point.removeprefix("dbfs:").strip("/"):
            wrong.append(f"{where}: {mount!r} is no mount point; write it as dbfs:/mnt/NAME")
        elif "://" not in target:
            wrong.append(
                f"{where}: {target!r} is no place in a store; write it as abfss://CONTAINER@ACCOUNT.dfs.core.windows.net"
            )
        else:
            yield point.rstrip("/"), target.rstrip("/")


def _locations(parsed: Mapping[str, Any], places: RulePlaces, wrong: list[str]) -> Iterator[LocationRule]:
    known = [each.value for each in Treatment]
    for glob, word, where in _texts(parsed, _LOCATIONS, places, wrong):
        if word not in known:
            wrong.append(f"{where}: {word!r} is none of {', '.join(known)}{did_you_mean(word, known)}")
            continue
        parts = location_fields(glob)
        asked = [
            (name, text) for name in _OF_A_LOCATION if (text := parts[name]) or (name == "path" and text is not None)
        ]
        reason = next(filter(None, (problem_of_glob(name, text) for name, text in asked)), None)
        if reason is None and not parts["scheme"]:
            reason = "is no URI; write it as abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/FOLDER/**"
        if reason is not None:
            wrong.append(f"{where}: {glob!r} {reason}")
            continue
        yield LocationRule(glob, Treatment(word), where, tuple(criterion(name, text) for name, text in asked))
