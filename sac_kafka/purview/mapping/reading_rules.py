"""Parse one rule from its TOML table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sac_kafka.config.secrets import mask_text
from sac_kafka.config.values import EXPOSED, did_you_mean
from sac_kafka.purview.mapping.dataset_fields import DRIVER_FIELDS, FIELDS, DatasetKind
from sac_kafka.purview.mapping.globs import problem, words
from sac_kafka.purview.mapping.places import RulePlaces
from sac_kafka.purview.mapping.rules import Criterion, MappingRule, criterion
from sac_kafka.purview.mapping.templates import Template, template

_TITLE, _MATCH, _TYPE, _QUALIFIED_NAME, _NAME = "title", "match", "type", "qualifiedName", "name"
_KEYS = (_TITLE, _MATCH, _TYPE, _QUALIFIED_NAME, _NAME)
_KIND = "kind"
_MATCHED = tuple(dict.fromkeys(name for names in FIELDS.values() for name in names if name != "name"))
_TYPE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ ]{0,254}")
MAX_GLOBS = 100


def read_rule(table: Mapping[str, Any], places: RulePlaces, wrong: list[str]) -> MappingRule | None:
    """Read a rule; what is wrong with it is added to `wrong`, a sentence each, and what is wrong makes it None."""
    for key in table:
        if key not in _KEYS:
            hint = (
                f"; what a rule is about is written as match.{key}"
                if key in (*_MATCHED, _KIND)
                else did_you_mean(key, _KEYS)
            )
            wrong.append(f"{places.of(key)}: a rule has no {key!r}; it has {', '.join(_KEYS)}{hint}")
    for key in (_TITLE, _TYPE, _QUALIFIED_NAME, _NAME):
        if key in table and not isinstance(table[key], str):
            wrong.append(f"{places.of(key)}: {key} is no text; write it in quotes")
        elif key in table and mask_text(table[key]) != table[key]:
            wrong.append(f"{places.of(key)}: {mask_text(table[key])!r} {EXPOSED}")
    wrong += [
        f"{places.of()}: the rule has no {key}; {_CURES[key]}"
        for key in (_MATCH, _TYPE, _QUALIFIED_NAME)
        if key not in table
    ]
    texts = {key: each.strip() for key, each in table.items() if isinstance(each, str)}
    if _TYPE in texts and not _TYPE_NAME.fullmatch(texts[_TYPE]):
        wrong.append(f"{places.of(_TYPE)}: {texts[_TYPE]!r} is no name of a type; {_CURES[_TYPE]}")
    kinds, criteria = _criteria(table[_MATCH], places, wrong) if _MATCH in table else ((), ())
    if not kinds:
        return None
    given = tuple(dict.fromkeys(word for each in criteria for word in each.given))
    fields = tuple(dict.fromkeys((*(name for kind in kinds for name in FIELDS[kind]), *DRIVER_FIELDS, *given)))
    qualified_name = _template(texts, _QUALIFIED_NAME, fields, places, wrong)
    name = _template({_NAME: "{name}", **texts}, _NAME, fields, places, wrong)
    if qualified_name is None or name is None or _TYPE not in texts:
        return None
    needed = {*qualified_name.fields, *name.fields} - {*given, *DRIVER_FIELDS}
    about = frozenset(kind for kind in kinds if needed <= {*FIELDS[kind]})
    if not about:
        asked = ", ".join(sorted(needed - {_NAME}))
        wrong.append(f"{places.of(_QUALIFIED_NAME)}: no kind of dataset has all of {asked}; {_of_kinds(kinds)}")
        return None
    return MappingRule(
        place=places.of(),
        kinds=about,
        criteria=criteria,
        type_name=texts[_TYPE],
        qualified_name=qualified_name,
        name=name,
        title=texts.get(_TITLE, ""),
    )


_CURES: Mapping[str, str] = {
    _MATCH: 'say what it is about, as in match.host = "db1.example.org"',
    _TYPE: 'say the type of the asset, as in type = "azure_blob_path"',
    _QUALIFIED_NAME: 'say what the asset is called, as in qualifiedName = "https://{host}/{container}/{path}"',
}


def _criteria(
    match: object, places: RulePlaces, wrong: list[str]
) -> tuple[tuple[DatasetKind, ...], tuple[Criterion, ...]]:
    """What a rule is about: the kinds of dataset that have all that it asks for, and what it asks."""
    if not isinstance(match, dict) or not match:
        wrong.append(f"{places.of(_MATCH)}: match names nothing; {_CURES[_MATCH]}")
        return (), ()
    kinds = tuple(_kinds(match.get(_KIND), places, wrong))
    criteria = []
    for key, value in match.items():
        if key == _KIND:
            continue
        where = places.of(f"{_MATCH}.{key}")
        if key not in _MATCHED:
            known = (_KIND, *_MATCHED)
            hint = "; templates know it, write what it is part of" if key == "name" else did_you_mean(key, known)
            wrong.append(
                f"{where}: match.{key} is nothing that is known of a dataset; there are {', '.join(known)}{hint}"
            )
            continue
        globs = tuple(value) if isinstance(value, list) else (value,)
        reasons = list(_problems(key, globs))
        wrong += [f"{where}: {each}" for each in reasons]
        if not reasons:
            criteria.append(criterion(key, *(each.strip("/") if key == "path" else each for each in globs)))
    about = tuple(kind for kind in kinds if all(each.name in FIELDS[kind] for each in criteria))
    given = [word for each in criteria for word in words(each.globs[0])]
    fields = {*(name for kind in about for name in FIELDS[kind]), *DRIVER_FIELDS}
    for word in dict.fromkeys(given):
        if word in fields:
            wrong.append(
                f"{places.of(_MATCH)}: match gives the word {word!r}, which templates know without it; take another one"
            )
        elif given.count(word) > 1:
            wrong.append(f"{places.of(_MATCH)}: match gives the word {word!r} twice; take another one")
    if kinds and not about:
        asked = ", ".join(each.name for each in criteria)
        wrong.append(f"{places.of(_MATCH)}: no kind of dataset has all of {asked}; {_of_kinds(kinds)}")
    return about, tuple(criteria)


def _kinds(value: object, places: RulePlaces, wrong: list[str]) -> Iterator[DatasetKind]:
    known = [each.value for each in DatasetKind]
    asked = value if isinstance(value, list) else known if value is None else [value]
    for each in asked:
        if each in known:
            yield DatasetKind(each)
        else:
            meant = did_you_mean(each, known) if isinstance(each, str) else ""
            wrong.append(f"{places.of(f'{_MATCH}.{_KIND}')}: {each!r} is no kind; there are {', '.join(known)}{meant}")


def _of_kinds(kinds: tuple[DatasetKind, ...]) -> str:
    return "; ".join(f"{kind.value}: {', '.join(FIELDS[kind])}" for kind in kinds)


def _problems(field: str, globs: tuple[object, ...]) -> Iterator[str]:
    """Return the problems of the globs of a criterion."""
    if not globs or len(globs) > MAX_GLOBS:
        yield f"match.{field} has {len(globs)} globs; write 1 to {MAX_GLOBS}"
    for each in globs:
        if not isinstance(each, str):
            yield f"match.{field} = {each!r} is no text; write it in quotes"
        elif not each and field != "path":
            yield f"match.{field} is empty; write what it is, or leave the line out"
        elif mask_text(each) != each:
            yield f"{mask_text(each)!r} {EXPOSED}"
        elif reason := problem_of_glob(field, each):
            yield f"match.{field} = {each!r} {reason}"
        elif isinstance(globs[0], str) and set(words(each)) != set(words(globs[0])):
            yield f"match.{field} = {each!r} gives other words than {globs[0]!r}; give the same, or write two rules"


def problem_of_glob(field: str, glob: str) -> str | None:
    """Return the problem of a glob of a field, worded to follow the glob; None if it is valid."""
    return problem(glob, has_parts=field == "path")


def _template(
    texts: Mapping[str, str], key: str, fields: tuple[str, ...], places: RulePlaces, wrong: list[str]
) -> Template | None:
    if key not in texts:
        return None
    try:
        return template(texts[key], fields)
    except ValueError as error:
        wrong.append(f"{places.of(key)}: {key} = {texts[key]!r} {error}")
        return None
