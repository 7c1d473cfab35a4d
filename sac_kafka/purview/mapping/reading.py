"""Parse rules from TOML, reporting all problems of a file at once, each with its line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from sac_kafka.errors import WrongRulesError
from sac_kafka.masking import mask_text
from sac_kafka.purview.mapping.dataset_fields import DRIVER_FIELDS, FIELDS, DatasetKind, location_fields
from sac_kafka.purview.mapping.globs import problem, words
from sac_kafka.purview.mapping.lines import RulePlaces, lines
from sac_kafka.purview.mapping.rules import Criterion, LocationRule, MappingRule, MappingRules, Treatment, criterion
from sac_kafka.purview.mapping.shadows import find_shadows
from sac_kafka.purview.mapping.templates import Template, template
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

_TITLE, _MATCH, _TYPE, _QUALIFIED_NAME, _NAME = "title", "match", "type", "qualifiedName", "name"
_KEYS = (_TITLE, _MATCH, _TYPE, _QUALIFIED_NAME, _NAME)
_KIND = "kind"
_MATCHED = tuple(dict.fromkeys(name for names in FIELDS.values() for name in names if name != "name"))
_TYPE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ ]{0,254}")
MAX_GLOBS = 100
"""Maximum number of globs of a condition."""
_FIXES: Mapping[str, str] = {
    _MATCH: 'state the datasets that it matches, as in match.host = "db1.example.org"',
    _TYPE: 'state the type of the asset, as in type = "azure_blob_path"',
    _QUALIFIED_NAME: 'state the name of the asset, as in qualifiedName = "https://{host}/{container}/{path}"',
}


def read_rule(table: Mapping[str, Any], places: RulePlaces) -> MappingRule | None:
    """Parse a rule; report each problem. Returns None if no rule can be built."""
    for key in table:
        if key not in _KEYS:
            hint = f"; write conditions as match.{key}" if key in (*_MATCHED, _KIND) else did_you_mean(key, _KEYS)
            places.report(f"unknown key {key!r} in a rule; available: {', '.join(_KEYS)}{hint}", key)
    for key in (_TITLE, _TYPE, _QUALIFIED_NAME, _NAME):
        if key in table and not isinstance(table[key], str):
            places.report(f"{key} must be a string; write it in quotes", key)
        elif key in table and mask_text(table[key]) != table[key]:
            places.report(f"{mask_text(table[key])!r} {EXPOSED}", key)
    for key in (_MATCH, _TYPE, _QUALIFIED_NAME):
        if key not in table:
            places.report(f"the rule has no {key}; {_FIXES[key]}")
    texts = {key: each.strip() for key, each in table.items() if isinstance(each, str)}
    if _TYPE in texts and not _TYPE_NAME.fullmatch(texts[_TYPE]):
        places.report(f"{texts[_TYPE]!r} is not a valid type name; {_FIXES[_TYPE]}", _TYPE)
    kinds, criteria = _criteria(table[_MATCH], places) if _MATCH in table else ((), ())
    if not kinds:
        return None
    captured = tuple(dict.fromkeys(word for each in criteria for word in each.captures))
    fields = tuple(dict.fromkeys((*(name for kind in kinds for name in FIELDS[kind]), *DRIVER_FIELDS, *captured)))
    qualified_name = _template(texts, _QUALIFIED_NAME, fields, places)
    name = _template({_NAME: "{name}", **texts}, _NAME, fields, places)
    if qualified_name is None or name is None or _TYPE not in texts:
        return None
    needed = {field for field, _ in qualified_name.needs | name.needs} - {*captured, *DRIVER_FIELDS}
    applicable = frozenset(kind for kind in kinds if needed <= {*FIELDS[kind]})
    if not applicable:
        fields_needed = ", ".join(sorted(needed - {_NAME}))
        places.report(f"no kind of dataset has all fields {fields_needed}; {_fields_by_kind(kinds)}", _QUALIFIED_NAME)
        return None
    return MappingRule(
        place=places.place_of(),
        kinds=applicable,
        criteria=criteria,
        type_name=texts[_TYPE],
        qualified_name=qualified_name,
        name=name,
        title=texts.get(_TITLE, ""),
    )


def _criteria(match: object, places: RulePlaces) -> tuple[tuple[DatasetKind, ...], tuple[Criterion, ...]]:
    """Parse the conditions of a rule; return the kinds of dataset that have all their fields, and the conditions."""
    if not isinstance(match, dict) or not match:
        places.report(f"match must have at least one condition; {_FIXES[_MATCH]}", _MATCH)
        return (), ()
    kinds = tuple(_kinds(match.get(_KIND), places))
    criteria = []
    for key, value in match.items():
        if key == _KIND:
            continue
        where = f"{_MATCH}.{key}"
        if key not in _MATCHED:
            known = (_KIND, *_MATCHED)
            hint = "; match the field that contains it" if key == "name" else did_you_mean(key, known)
            places.report(f"unknown field match.{key}; available: {', '.join(known)}{hint}", where)
            continue
        globs = tuple(value) if isinstance(value, list) else (value,)
        reasons = list(_problems(key, globs))
        for reason in reasons:
            places.report(reason, where)
        if not reasons:
            criteria.append(criterion(key, *(glob.strip("/") if key == "path" else glob for glob in globs)))
    applicable = tuple(kind for kind in kinds if all(each.name in FIELDS[kind] for each in criteria))
    captured = [word for each in criteria for word in words(each.globs[0])]
    fields = {*(name for kind in applicable for name in FIELDS[kind]), *DRIVER_FIELDS}
    for word in dict.fromkeys(captured):
        if word in fields:
            places.report(
                f"match captures the word {word!r}, which is the name of a field; choose another word", _MATCH
            )
        elif captured.count(word) > 1:
            places.report(f"match captures the word {word!r} twice; choose distinct words", _MATCH)
    if kinds and not applicable:
        matched = ", ".join(each.name for each in criteria)
        places.report(f"no kind of dataset has all fields {matched}; {_fields_by_kind(kinds)}", _MATCH)
    return applicable, tuple(criteria)


def _kinds(value: object, places: RulePlaces) -> Iterator[DatasetKind]:
    known = [each.value for each in DatasetKind]
    stated = value if isinstance(value, list) else known if value is None else [value]
    for name in stated:
        if name in known:
            yield DatasetKind(name)
        else:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            places.report(f"unknown kind {name!r}; available: {', '.join(known)}{hint}", f"{_MATCH}.{_KIND}")


def _fields_by_kind(kinds: tuple[DatasetKind, ...]) -> str:
    return "; ".join(f"{kind.value}: {', '.join(FIELDS[kind])}" for kind in kinds)


def _problems(field: str, globs: tuple[object, ...]) -> Iterator[str]:
    """Yield the problems of the globs of a condition."""
    if not globs or len(globs) > MAX_GLOBS:
        yield f"match.{field} has {len(globs)} globs; state 1 to {MAX_GLOBS}"
    for glob in globs:
        if not isinstance(glob, str):
            yield f"match.{field} = {glob!r} must be a string; write it in quotes"
        elif not glob and field != "path":
            yield f"match.{field} is empty; state a value or remove the line"
        elif mask_text(glob) != glob:
            yield f"{mask_text(glob)!r} {EXPOSED}"
        elif reason := problem_of_glob(field, glob):
            yield f"match.{field} = {glob!r} {reason}"
        elif isinstance(globs[0], str) and set(words(glob)) != set(words(globs[0])):
            yield f"match.{field} = {glob!r} captures other words than {globs[0]!r}; capture the same words, or write two rules"


def problem_of_glob(field: str, glob: str) -> str | None:
    """Return the problem of a glob of a field, worded to follow the glob; None if it is valid."""
    return problem(glob, has_parts=field == "path")


def _template(texts: Mapping[str, str], key: str, fields: tuple[str, ...], places: RulePlaces) -> Template | None:
    if key not in texts:
        return None
    try:
        return template(texts[key], fields)
    except ValueError as error:
        places.report(f"{key} = {texts[key]!r} {error}", key)
        return None


def read_rules(text: str, place: str) -> MappingRules:
    """Read the rules of a file; `place` is its name in errors.

    Raises:
        WrongRulesError: The file is not valid TOML or contains invalid rules; a sentence for each problem.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    parsed = _parse(text, place)
    places = RulePlaces(place, lines(text))
    for name in parsed:
        if name not in _TABLES:
            hint = did_you_mean(name, _TABLES)
            places.report(f"unknown table {name!r}; available: [[rule]], [mounts], [locations]{hint}", name)
    rules = tuple(_rules(parsed, places))
    mounts = tuple(_mounts(parsed, places))
    locations = tuple(_locations(parsed, places))
    if places.problems:
        raise WrongRulesError(*places.problems)
    return MappingRules(
        rules=rules, mounts=mounts, locations=locations, place=place, warnings=tuple(find_shadows(rules, locations))
    )


def _parse(text: str, place: str) -> Mapping[str, Any]:
    if len(text) > MAX_FILE_CHARACTERS:
        raise WrongRulesError(f"{place}: has {len(text):,} characters; the maximum is {MAX_FILE_CHARACTERS:,}")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE_LENGTH:
            raise WrongRulesError(
                f"{place}, line {number}: has {len(line):,} characters; the maximum is {MAX_LINE_LENGTH:,}"
            )
    try:
        return _load_toml(text)
    except RecursionError:
        raise WrongRulesError(f"{place}: is not valid TOML: brackets are nested too deeply") from None
    except ImportError:
        raise WrongRulesError(
            f"{place}: cannot be read: Python before 3.11 needs the package tomli; install it"
        ) from None
    except ValueError as error:
        raise WrongRulesError(f"{place}: is not valid TOML: {error}{_toml_hint(text)}") from None


def _load_toml(text: str) -> Mapping[str, Any]:
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


def _rules(parsed: Mapping[str, Any], places: RulePlaces) -> Iterator[MappingRule]:
    found = parsed.get(_RULE, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        places.report("rules must be an array of tables; begin each rule with [[rule]]", _RULE)
        return
    if len(found) > MAX_ENTRIES:
        places.problems.append(
            f"{places.place}: has {len(found):,} rules; the maximum is {MAX_ENTRIES:,}, so combine rules by globs"
        )
        return
    for number, each in enumerate(found):
        before = len(places.problems)
        rule = read_rule(each, places.of_table(_RULE, number, len(found)))
        if rule is not None and len(places.problems) == before:
            yield rule


def _texts(parsed: Mapping[str, Any], table: str, places: RulePlaces) -> Iterator[tuple[str, str, str]]:
    """Yield key, value and place of the valid entries of a table, whose values must be strings."""
    found = parsed.get(table, {})
    if not isinstance(found, dict):
        places.report(f'{table} must be a table; write [{table}] and below it lines "…" = "…"', table)
        return
    if len(found) > MAX_ENTRIES:
        places.report(f"has {len(found):,} entries; the maximum is {MAX_ENTRIES:,}", table)
        return
    own = places.of_table(table)
    for key, value in found.items():
        if not isinstance(value, str) or not value.strip() or not key.strip():
            own.report(f'{mask_text(key)!r}: key and value must be non-empty strings; write "…" = "…"', key)
        elif mask_text(key) != key or mask_text(value) != value:
            own.report(f"{mask_text(f'{key} = {value}')!r} {EXPOSED}", key)
        else:
            yield key.strip(), value.strip(), own.place_of(key)


def _mounts(parsed: Mapping[str, Any], places: RulePlaces) -> Iterator[tuple[str, str]]:
    for mount, target, where in _texts(parsed, _MOUNTS, places):
        point = f"dbfs:{mount}" if mount.startswith("/") else mount.replace("dbfs:///", "dbfs:/", 1)
        if not point.startswith("dbfs:/") or not point.removeprefix("dbfs:").strip("/"):
            places.problems.append(f"{where}: {mount!r} is not a mount point; write dbfs:/mnt/NAME")
        elif "://" not in target:
            places.problems.append(
                f"{where}: {target!r} is not the URI of a store; write abfss://CONTAINER@ACCOUNT.dfs.core.windows.net"
            )
        else:
            yield point.rstrip("/"), target.rstrip("/")


def _locations(parsed: Mapping[str, Any], places: RulePlaces) -> Iterator[LocationRule]:
    known = [each.value for each in Treatment]
    for glob, word, where in _texts(parsed, _LOCATIONS, places):
        if word not in known:
            places.problems.append(
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
            places.problems.append(f"{where}: {glob!r} {reason}")
            continue
        yield LocationRule(glob, Treatment(word), where, tuple(criterion(name, text) for name, text in conditions))
