"""Parse rules from TOML, reporting all problems of a file at once, each with its line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from sac_kafka.errors import WrongRulesError
from sac_kafka.masking import mask_text
from sac_kafka.purview.mapping.dataset_fields import location_fields
from sac_kafka.purview.mapping.lines import lines
from sac_kafka.purview.mapping.reading_rules import problem_of_glob, read_rule
from sac_kafka.purview.mapping.rule_places import RulePlaces
from sac_kafka.purview.mapping.rules import LocationRule, MappingRule, MappingRules, Treatment, criterion
from sac_kafka.purview.mapping.shadows import shadowed
from sac_kafka.settings.declarations.values import EXPOSED, did_you_mean

MAX_FILE_CHARACTERS = 1_000_000
"""Maximum characters of a file."""
MAX_LINE_LENGTH = 10_000
"""Maximum characters of a line, as the TOML parser takes more than linear time for some long lines."""
MAX_ENTRIES = 1_000
"""Maximum number of rules, of mounts and of locations in a file, as each dataset is matched with all of them."""

_RULE, _MOUNTS, _LOCATIONS = "rule", "mounts", "locations"
_LOCATION_FIELDS = ("scheme", "container", "host", "port", "path")
_TABLES = (_RULE, _MOUNTS, _LOCATIONS)


def read_rules(text: str, place: str) -> MappingRules:
    """Read the rules of a file.

    Args:
        text: The text of the file.
        place: The name of the file, for errors.

    Raises:
        WrongRulesError: The file is not valid TOML or contains invalid rules; a sentence for each problem.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    parsed = _parsed(text, place)
    places = RulePlaces(place, lines(text))
    problems = [
        f"{places.place_of(name)}: unknown table {name!r}; available: [[rule]], [mounts], [locations]"
        f"{did_you_mean(name, _TABLES)}"
        for name in parsed
        if name not in _TABLES
    ]
    rules = tuple(_rules(parsed, places, problems))
    mounts = tuple(_mounts(parsed, places, problems))
    locations = tuple(_locations(parsed, places, problems))
    if problems:
        raise WrongRulesError(*problems)
    return MappingRules(
        rules=rules, mounts=mounts, locations=locations, place=place, warnings=tuple(shadowed(rules, locations))
    )


def _parsed(text: str, place: str) -> Mapping[str, Any]:
    if len(text) > MAX_FILE_CHARACTERS:
        raise WrongRulesError(f"{place}: has {len(text):,} characters; the maximum is {MAX_FILE_CHARACTERS:,}")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE_LENGTH:
            raise WrongRulesError(
                f"{place}, line {number}: has {len(line):,} characters; the maximum is {MAX_LINE_LENGTH:,}"
            )
    try:
        return _loaded(text)
    except RecursionError:
        raise WrongRulesError(f"{place}: is not valid TOML: brackets are nested too deeply") from None
    except ImportError:
        raise WrongRulesError(
            f"{place}: cannot be read: Python before 3.11 needs the package tomli; install it"
        ) from None
    except ValueError as error:
        raise WrongRulesError(f"{place}: is not valid TOML: {error}{_toml_hint(text)}") from None


def _loaded(text: str) -> Mapping[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    loaded: Mapping[str, Any] = tomllib.loads(text)
    return loaded


def _toml_hint(text: str) -> str:
    """Return a hint on the likely cause of invalid TOML."""
    if text.lstrip().startswith(("{", "[\n", "[{")):
        return "; convert a JSON file of the accelerator with sac-kafka map import"
    return "; put strings in quotes, and those with a backslash in '…'"


def _rules(parsed: Mapping[str, Any], places: RulePlaces, problems: list[str]) -> Iterator[MappingRule]:
    found = parsed.get(_RULE, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        problems.append(f"{places.place_of(_RULE)}: rules must be an array of tables; begin each rule with [[rule]]")
        return
    if len(found) > MAX_ENTRIES:
        problems.append(
            f"{places.place}: has {len(found):,} rules; the maximum is {MAX_ENTRIES:,}, so combine rules by globs"
        )
        return
    for number, each in enumerate(found):
        own_problems: list[str] = []
        rule = read_rule(each, places.of_table(_RULE, number, len(found)), own_problems)
        problems += own_problems
        if rule is not None and not own_problems:
            yield rule


def _texts(
    parsed: Mapping[str, Any], table: str, places: RulePlaces, problems: list[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield key, value and place of the valid entries of a table, whose values must be strings."""
    found = parsed.get(table, {})
    if not isinstance(found, dict):
        problems.append(
            f'{places.place_of(table)}: {table} must be a table; write [{table}] and below it lines "…" = "…"'
        )
        return
    if len(found) > MAX_ENTRIES:
        problems.append(f"{places.place_of(table)}: has {len(found):,} entries; the maximum is {MAX_ENTRIES:,}")
        return
    own = places.of_table(table)
    for key, value in found.items():
        where = own.place_of(key)
        if not isinstance(value, str) or not value.strip() or not key.strip():
            problems.append(f'{where}: {mask_text(key)!r}: key and value must be non-empty strings; write "…" = "…"')
        elif mask_text(key) != key or mask_text(value) != value:
            problems.append(f"{where}: {mask_text(f'{key} = {value}')!r} {EXPOSED}")
        else:
            yield key.strip(), value.strip(), where


def _mounts(parsed: Mapping[str, Any], places: RulePlaces, problems: list[str]) -> Iterator[tuple[str, str]]:
    for mount, target, where in _texts(parsed, _MOUNTS, places, problems):
        point = f"dbfs:{mount}" if mount.startswith("/") else mount.replace("dbfs:///", "dbfs:/", 1)
        if not point.startswith("dbfs:/") or not point.removeprefix("dbfs:").strip("/"):
            problems.append(f"{where}: {mount!r} is not a mount point; write dbfs:/mnt/NAME")
        elif "://" not in target:
            problems.append(
                f"{where}: {target!r} is not the URI of a store; write abfss://CONTAINER@ACCOUNT.dfs.core.windows.net"
            )
        else:
            yield point.rstrip("/"), target.rstrip("/")


def _locations(parsed: Mapping[str, Any], places: RulePlaces, problems: list[str]) -> Iterator[LocationRule]:
    known = [each.value for each in Treatment]
    for glob, word, where in _texts(parsed, _LOCATIONS, places, problems):
        if word not in known:
            problems.append(
                f"{where}: unknown treatment {word!r}; available: {', '.join(known)}{did_you_mean(word, known)}"
            )
            continue
        parts = location_fields(glob)
        conditions = [
            (name, text) for name in _LOCATION_FIELDS if (text := parts[name]) or (name == "path" and text is not None)
        ]
        reason = next(filter(None, (problem_of_glob(name, text) for name, text in conditions)), None)
        if reason is None and not parts["scheme"]:
            reason = "is not a URI; write abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/FOLDER/**"
        if reason is not None:
            problems.append(f"{where}: {glob!r} {reason}")
            continue
        yield LocationRule(glob, Treatment(word), where, tuple(criterion(name, text) for name, text in conditions))
