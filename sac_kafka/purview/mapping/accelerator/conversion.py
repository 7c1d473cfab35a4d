"""Convert mappings of the accelerator to a rule file, with a comment for each mapping that cannot be converted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sac_kafka.errors import WrongRulesError
from sac_kafka.purview.mapping.accelerator.families import FAMILIES, WAREHOUSE, WAREHOUSE_OF_DATABASES, Family
from sac_kafka.purview.mapping.accelerator.mappings import Condition, Mapped, one_prefix
from sac_kafka.purview.mapping.accelerator.shipped import NEEDS_NONE, is_shipped
from sac_kafka.purview.mapping.accelerator.tokens import BODY, GROUPS, HOST_PARTS, PREFIX, WORKSPACE, MappingToken
from sac_kafka.purview.mapping.globs import is_plain
from sac_kafka.purview.mapping.reading import read_rules

_FIELD = re.compile(r"\{([a-z]+)\}")
_SCHEMA_BEFORE = re.compile(r"/(dbo|public)/\Z")
_WAREHOUSE_PATH = "hive/warehouse"
_PARTS_OF_A_DATABASE = 4


class _LostError(Exception):
    """A construct that rules cannot express."""


class _NeverError(Exception):
    """A mapping that never holds for what the hook says; the text says why none is needed."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A file of our rules; `lost` says of each mapping that could not be carried over why."""

    text: str
    lost: tuple[str, ...]


def converted(mappings: Iterable[Mapped | str], place: str) -> Converted:
    """Write mappings as rules; a text in place of a mapping says what is wrong with it."""
    written: list[str] = [f"# Taken over from {_line(place)} by sac-kafka map import."]
    lost: list[str] = []
    known: dict[str, str] = {}
    for each in mappings:
        if isinstance(each, str):
            lost.append(each)
            written.append(f"# Not carried over: {_line(each)}")
            continue
        if is_shipped(each):
            written.append(f"# {_line(each.description)}: {NEEDS_NONE}, so it needs no rule.")
            continue
        try:
            rule = _rule(each)
            read_rules(rule, each.description)
        except _NeverError as why:
            written.append(f"# {_line(each.description)}: {why}")
        except (_LostError, WrongRulesError) as why:
            lost.append(f"{each.description}: {why}")
            written.append(
                "\n".join((f"# Not carried over: {_line(each.description)}: {_line(str(why))}", *_as_comment(each)))
            )
        else:
            before = known.setdefault(rule, each.title)
            if before is not each.title:
                written.append(f"# {_line(each.description)} says the same as {_line(before)}.")
            else:
                title = f"title = {_quoted(each.title)}\n" if each.title else ""
                written.append(f"# {_line(each.description)}\n{rule.replace(_HEAD, _HEAD + title, 1)}".rstrip())
    return Converted("\n\n".join(written) + "\n", tuple(lost))


_HEAD = "[[rule]]\n"


@dataclass(slots=True)
class _Match:
    """What a rule matches on, as it is found condition by condition."""

    family: Family
    globs: dict[str, tuple[str, ...]]
    labels: dict[int, str] = field(default_factory=dict)
    least_labels: int = 0

    def add(self, name: str, *globs: str) -> None:
        if self.globs.get(name, globs) != globs:
            raise _LostError(f"two conditions are about the {name}")
        self.globs[name] = globs


def _rule(of: Mapped) -> str:
    match = _matched(of)
    template = "".join(_template(of.pieces, match.family))
    lines = [f"match.{name} = {_globs(globs)}" for name, globs in match.globs.items()]
    return f"{_HEAD}{chr(10).join(lines)}\ntype = {_quoted(of.type_name)}\nqualifiedName = {_quoted(template)}\n"


def _matched(of: Mapped) -> _Match:
    systems = [each.value for each in of.conditions if each.token.name == PREFIX and each.compare == "="]
    if len(systems) != 1:
        raise _LostError("it has no condition that says of which one prefix it is")
    family = FAMILIES.get(one_prefix(systems[0]))
    if family is None:
        raise _LostError(f"the prefix {systems[0]!r} is of no system whose names are known here")
    family = _narrowed(family, of.conditions)
    match = _Match(family, {name: (glob,) for name, glob in family.match.items()})
    for each in of.conditions:
        _ask(each, match)
    if match.labels or match.least_labels:
        count = max([match.least_labels, *(number + 1 for number in match.labels)])
        glob = ".".join(match.labels.get(number, "*") for number in range(count))
        # A star goes on over dots: what ends with one may have more labels, what ends with a label has to be told so.
        match.add("host", *([glob] if count - 1 not in match.labels else [glob, f"{glob}.*"]))
    return match


def _narrowed(family: Family, conditions: Iterable[Condition]) -> Family:
    """Return the family, if the conditions determine it."""
    counts = {(each.token.name, each.token.is_parts): int(each.value) for each in conditions if each.compare == ">"}
    in_warehouse = any(
        each.token == MappingToken(GROUPS, 0) and each.compare == "contains" and each.value == _WAREHOUSE_PATH
        for each in conditions
    )
    if family is FAMILIES["dbfs"] and in_warehouse:
        has_database = counts.get((GROUPS, True), 0) >= _PARTS_OF_A_DATABASE
        return WAREHOUSE_OF_DATABASES if has_database else WAREHOUSE
    if family.has_schema and 1 in (counts.get((GROUPS, False)), counts.get((GROUPS, True))):
        return family.with_schema()
    return family


def _ask(condition: Condition, match: _Match) -> None:
    """Add what a condition asks to what a rule matches on."""
    token, compare, value = condition.token, condition.compare, condition.value
    if token.name == PREFIX and compare == "=":
        return
    if compare in (">", "<"):
        _ask_count(token, compare, int(value), match)
        return
    asked = match.family.template(token)
    if asked == "":
        if compare == "=" and value == "":
            return
        raise _NeverError(f"no dataset has {token.name}[{token.number}] here, so it needs no rule.")
    if compare == "!=" or asked is None or token.name == WORKSPACE:
        raise _LostError(f"rules have no condition {compare} on {token.name}")
    if not is_plain(value):
        raise _LostError(f"{value!r} has a character that is a star or a brace of globs")
    if token.name == HOST_PARTS and compare == "=":
        match.labels[token.number] = value
    elif match.family.match.get("path") is not None and token == MappingToken(GROUPS, 0):
        return  # it is what the family is narrowed by
    elif found := _FIELD.fullmatch(asked.removeprefix("/")):
        name = found[1]
        if name == "path" and compare == "contains":
            raise _LostError("rules compare paths part by part, and have no contains for them")
        match.add(name, value.strip("/") if name == "path" else f"*{value}*" if compare == "contains" else value)
    else:
        raise _LostError(f"{asked} is no one field that a rule could match on")


def _ask_count(token: MappingToken, compare: str, value: int, match: _Match) -> None:
    """Add a condition on the number of parts, if it can be expressed."""
    if token.name == HOST_PARTS and compare == ">":
        match.least_labels = value + 1
    elif token.name == BODY:
        count = len(match.family.body)
        if not (count > value if compare == ">" else count < value):
            raise _NeverError("a mount's own folders are part of the path here, so it needs no rule.")
    elif token.name == GROUPS and match.family.groups and compare == ">" and value == 1:
        return  # a table with a schema: its template needs one
    elif not (token.name == GROUPS and "path" in match.family.match and compare == ">"):
        raise _LostError(f"rules have no condition {compare} on the number of {token.name}")


def _template(pieces: Iterable[str | MappingToken], family: Family) -> Iterator[str]:
    before = ""
    for each in pieces:
        if isinstance(each, str):
            yield before
            before = each
            continue
        text = family.template(each)
        if text is None:
            raise _LostError(f"templates have nothing for {each.name} in its place")
        if text == "":
            raise _NeverError(f"no dataset has {each.name}[{each.number}] here, so it needs no rule.")
        if family.has_schema and text == "{table}":
            before = _SCHEMA_BEFORE.sub(r"/{schema | default \1}/", before)
        yield before
        yield text
        before = ""
    yield before


def _as_comment(of: Mapped) -> Iterator[str]:
    for each in of.conditions:
        yield f"#   {_line(each.token.text)} {each.compare} {_quoted(each.value)}"
    name = "".join(each if isinstance(each, str) else f"{{{each.text}}}" for each in of.pieces)
    yield f"#   {_line(of.type_name)}: {_line(name)}"


def _globs(globs: tuple[str, ...]) -> str:
    return _quoted(globs[0]) if len(globs) == 1 else f"[{', '.join(map(_quoted, globs))}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _line(text: str) -> str:
    """Return a text for a comment, without line breaks and invisible characters."""
    return "".join(each if each.isprintable() else " " for each in text)
