"""Parse one rule from its TOML table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sac_kafka.masking import mask_text
from sac_kafka.purview.mapping.dataset_fields import DRIVER_FIELDS, FIELDS, DatasetKind
from sac_kafka.purview.mapping.globs import problem, words
from sac_kafka.purview.mapping.rule_places import RulePlaces
from sac_kafka.purview.mapping.rules import Criterion, MappingRule, criterion
from sac_kafka.purview.mapping.templates import Template, template
from sac_kafka.settings.declarations.values import EXPOSED, did_you_mean

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


def read_rule(table: Mapping[str, Any], places: RulePlaces, problems: list[str]) -> MappingRule | None:
    """Parse a rule; append a sentence to `problems` for each problem. Returns None if no rule can be built."""
    for key in table:
        if key not in _KEYS:
            hint = f"; write conditions as match.{key}" if key in (*_MATCHED, _KIND) else did_you_mean(key, _KEYS)
            problems.append(
                f"{places.place_of(key)}: unknown key {key!r} in a rule; available: {', '.join(_KEYS)}{hint}"
            )
    for key in (_TITLE, _TYPE, _QUALIFIED_NAME, _NAME):
        if key in table and not isinstance(table[key], str):
            problems.append(f"{places.place_of(key)}: {key} must be a string; write it in quotes")
        elif key in table and mask_text(table[key]) != table[key]:
            problems.append(f"{places.place_of(key)}: {mask_text(table[key])!r} {EXPOSED}")
    problems += [
        f"{places.place_of()}: the rule has no {key}; {_FIXES[key]}"
        for key in (_MATCH, _TYPE, _QUALIFIED_NAME)
        if key not in table
    ]
    texts = {key: each.strip() for key, each in table.items() if isinstance(each, str)}
    if _TYPE in texts and not _TYPE_NAME.fullmatch(texts[_TYPE]):
        problems.append(f"{places.place_of(_TYPE)}: {texts[_TYPE]!r} is not a valid type name; {_FIXES[_TYPE]}")
    kinds, criteria = _criteria(table[_MATCH], places, problems) if _MATCH in table else ((), ())
    if not kinds:
        return None
    captured = tuple(dict.fromkeys(word for each in criteria for word in each.captures))
    fields = tuple(dict.fromkeys((*(name for kind in kinds for name in FIELDS[kind]), *DRIVER_FIELDS, *captured)))
    qualified_name = _template(texts, _QUALIFIED_NAME, fields, places, problems)
    name = _template({_NAME: "{name}", **texts}, _NAME, fields, places, problems)
    if qualified_name is None or name is None or _TYPE not in texts:
        return None
    needed = {*qualified_name.fields, *name.fields} - {*captured, *DRIVER_FIELDS}
    applicable = frozenset(kind for kind in kinds if needed <= {*FIELDS[kind]})
    if not applicable:
        fields_needed = ", ".join(sorted(needed - {_NAME}))
        problems.append(
            f"{places.place_of(_QUALIFIED_NAME)}: no kind of dataset has all fields {fields_needed}; {_fields_by_kind(kinds)}"
        )
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


def _criteria(
    match: object, places: RulePlaces, problems: list[str]
) -> tuple[tuple[DatasetKind, ...], tuple[Criterion, ...]]:
    """Parse the conditions of a rule; return the kinds of dataset that have all their fields, and the conditions."""
    if not isinstance(match, dict) or not match:
        problems.append(f"{places.place_of(_MATCH)}: match must have at least one condition; {_FIXES[_MATCH]}")
        return (), ()
    kinds = tuple(_kinds(match.get(_KIND), places, problems))
    criteria = []
    for key, value in match.items():
        if key == _KIND:
            continue
        where = places.place_of(f"{_MATCH}.{key}")
        if key not in _MATCHED:
            known = (_KIND, *_MATCHED)
            hint = "; match the field that contains it" if key == "name" else did_you_mean(key, known)
            problems.append(f"{where}: unknown field match.{key}; available: {', '.join(known)}{hint}")
            continue
        globs = tuple(value) if isinstance(value, list) else (value,)
        reasons = list(_problems(key, globs))
        problems += [f"{where}: {each}" for each in reasons]
        if not reasons:
            criteria.append(criterion(key, *(each.strip("/") if key == "path" else each for each in globs)))
    applicable = tuple(kind for kind in kinds if all(each.name in FIELDS[kind] for each in criteria))
    captured = [word for each in criteria for word in words(each.globs[0])]
    fields = {*(name for kind in applicable for name in FIELDS[kind]), *DRIVER_FIELDS}
    for word in dict.fromkeys(captured):
        if word in fields:
            problems.append(
                f"{places.place_of(_MATCH)}: match captures the word {word!r}, which is the name of a field; choose another word"
            )
        elif captured.count(word) > 1:
            problems.append(f"{places.place_of(_MATCH)}: match captures the word {word!r} twice; choose distinct words")
    if kinds and not applicable:
        matched = ", ".join(each.name for each in criteria)
        problems.append(
            f"{places.place_of(_MATCH)}: no kind of dataset has all fields {matched}; {_fields_by_kind(kinds)}"
        )
    return applicable, tuple(criteria)


def _kinds(value: object, places: RulePlaces, problems: list[str]) -> Iterator[DatasetKind]:
    known = [each.value for each in DatasetKind]
    stated = value if isinstance(value, list) else known if value is None else [value]
    for each in stated:
        if each in known:
            yield DatasetKind(each)
        else:
            hint = did_you_mean(each, known) if isinstance(each, str) else ""
            problems.append(
                f"{places.place_of(f'{_MATCH}.{_KIND}')}: unknown kind {each!r}; available: {', '.join(known)}{hint}"
            )


def _fields_by_kind(kinds: tuple[DatasetKind, ...]) -> str:
    return "; ".join(f"{kind.value}: {', '.join(FIELDS[kind])}" for kind in kinds)


def _problems(field: str, globs: tuple[object, ...]) -> Iterator[str]:
    """Yield the problems of the globs of a condition."""
    if not globs or len(globs) > MAX_GLOBS:
        yield f"match.{field} has {len(globs)} globs; state 1 to {MAX_GLOBS}"
    for each in globs:
        if not isinstance(each, str):
            yield f"match.{field} = {each!r} must be a string; write it in quotes"
        elif not each and field != "path":
            yield f"match.{field} is empty; state a value or remove the line"
        elif mask_text(each) != each:
            yield f"{mask_text(each)!r} {EXPOSED}"
        elif reason := problem_of_glob(field, each):
            yield f"match.{field} = {each!r} {reason}"
        elif isinstance(globs[0], str) and set(words(each)) != set(words(globs[0])):
            yield f"match.{field} = {each!r} captures other words than {globs[0]!r}; capture the same words, or write two rules"


def problem_of_glob(field: str, glob: str) -> str | None:
    """Return the problem of a glob of a field, worded to follow the glob; None if it is valid."""
    return problem(glob, has_parts=field == "path")


def _template(
    texts: Mapping[str, str], key: str, fields: tuple[str, ...], places: RulePlaces, problems: list[str]
) -> Template | None:
    if key not in texts:
        return None
    try:
        return template(texts[key], fields)
    except ValueError as error:
        problems.append(f"{places.place_of(key)}: {key} = {texts[key]!r} {error}")
        return None
