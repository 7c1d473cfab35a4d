"""Convert mappings of the accelerator to a rule file, with a comment for each mapping that cannot be converted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sac_kafka.errors import WrongRulesError
from sac_kafka.purview.mapping.accelerator.families import FAMILIES, WAREHOUSE, WAREHOUSE_OF_DATABASES, Family
from sac_kafka.purview.mapping.accelerator.mappings import AcceleratorMapping, Condition, canonical_prefix
from sac_kafka.purview.mapping.accelerator.shipped import NEEDS_NONE, is_shipped
from sac_kafka.purview.mapping.accelerator.tokens import BODY, GROUPS, HOST_PARTS, PREFIX, WORKSPACE, MappingToken
from sac_kafka.purview.mapping.globs import is_plain
from sac_kafka.purview.mapping.reading import read_rules

_FIELD = re.compile(r"\{([a-z]+)\}")
_SCHEMA_BEFORE = re.compile(r"/(dbo|public)/\Z")
_WAREHOUSE_PATH = "hive/warehouse"
_PARTS_OF_A_DATABASE = 4
_HEAD = "[[rule]]\n"


class _UnsupportedError(Exception):
    """A construct that rules cannot express."""


class _NotNeededError(Exception):
    """A mapping that can match no dataset of the hook; the message states why it needs no rule."""


@dataclass(frozen=True, slots=True)
class ConvertedRules:
    """Text of a rule file; `unconverted` states for each mapping without a rule the reason."""

    text: str
    unconverted: tuple[str, ...]


def convert(mappings: Iterable[AcceleratorMapping | str], place: str) -> ConvertedRules:
    """Convert mappings to rules; a string in place of a mapping states the problems of an invalid one."""
    written: list[str] = [f"# Converted from {_line(place)} by sac-kafka map import."]
    unconverted: list[str] = []
    known: dict[str, str] = {}
    for each in mappings:
        if isinstance(each, str):
            unconverted.append(each)
            written.append(f"# Not converted: {_line(each)}")
            continue
        if is_shipped(each):
            written.append(f"# {_line(each.description)}: {NEEDS_NONE}, so it needs no rule.")
            continue
        try:
            rule = _rule(each)
            read_rules(rule, each.description)
        except _NotNeededError as why:
            written.append(f"# {_line(each.description)}: {why}")
        except (_UnsupportedError, WrongRulesError) as why:
            unconverted.append(f"{each.description}: {why}")
            written.append(
                "\n".join((f"# Not converted: {_line(each.description)}: {_line(str(why))}", *_as_comment(each)))
            )
        else:
            before = known.setdefault(rule, each.title)
            if before is not each.title:
                written.append(f"# {_line(each.description)} is identical to {_line(before)}.")
            else:
                title = f"title = {_quoted(each.title)}\n" if each.title else ""
                written.append(f"# {_line(each.description)}\n{rule.replace(_HEAD, _HEAD + title, 1)}".rstrip())
    return ConvertedRules("\n\n".join(written) + "\n", tuple(unconverted))


@dataclass(slots=True)
class _Match:
    """Conditions of the rule under construction."""

    family: Family
    globs: dict[str, tuple[str, ...]]
    labels: dict[int, str] = field(default_factory=dict)
    min_labels: int = 0

    def add(self, name: str, *globs: str) -> None:
        if self.globs.get(name, globs) != globs:
            raise _UnsupportedError(f"two conditions on the field {name}")
        self.globs[name] = globs


def _rule(mapping: AcceleratorMapping) -> str:
    match = _matched(mapping)
    template = "".join(_template(mapping.pieces, match.family))
    lines = [f"match.{name} = {_globs(globs)}" for name, globs in match.globs.items()]
    return f"{_HEAD}{chr(10).join(lines)}\ntype = {_quoted(mapping.type_name)}\nqualifiedName = {_quoted(template)}\n"


def _matched(mapping: AcceleratorMapping) -> _Match:
    systems = [each.value for each in mapping.conditions if each.token.name == PREFIX and each.compare == "="]
    if len(systems) != 1:
        raise _UnsupportedError("it needs exactly one condition prefix = VALUE")
    family = FAMILIES.get(canonical_prefix(systems[0]))
    if family is None:
        raise _UnsupportedError(f"unknown prefix {systems[0]!r}")
    family = _narrowed(family, mapping.conditions)
    match = _Match(family, {name: (glob,) for name, glob in family.match.items()})
    for each in mapping.conditions:
        _add_condition(each, match)
    if match.labels or match.min_labels:
        count = max([match.min_labels, *(number + 1 for number in match.labels)])
        glob = ".".join(match.labels.get(number, "*") for number in range(count))
        # A star also matches dots, so a trailing star allows more labels; a trailing label needs a second glob for them.
        match.add("host", *([glob] if count - 1 not in match.labels else [glob, f"{glob}.*"]))
    return match


def _narrowed(family: Family, conditions: Iterable[Condition]) -> Family:
    """Return the family restricted to tables of the warehouse or to tables with a schema, if the conditions require it."""
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


def _add_condition(condition: Condition, match: _Match) -> None:
    """Add a condition of a mapping to the rule, unless its family implies it."""
    token, compare, value = condition.token, condition.compare, condition.value
    if token.name == PREFIX and compare == "=":
        return
    if compare in (">", "<"):
        _add_count(token, compare, int(value), match)
        return
    template = match.family.template(token)
    if template == "":
        if compare == "=" and value == "":
            return
        raise _NotNeededError(f"no dataset has {token.name}[{token.number}] here, so it needs no rule.")
    if compare == "!=" or template is None or token.name == WORKSPACE:
        raise _UnsupportedError(f"rules do not support the condition {compare} on {token.name}")
    if not is_plain(value):
        raise _UnsupportedError(f"{value!r} contains a glob character (one of * ? {{ }})")
    if token.name == HOST_PARTS and compare == "=":
        match.labels[token.number] = value
    elif match.family.match.get("path") is not None and token == MappingToken(GROUPS, 0):
        return  # already covered by the restricted family
    elif found := _FIELD.fullmatch(template.removeprefix("/")):
        name = found[1]
        if name == "path" and compare == "contains":
            raise _UnsupportedError("rules match paths by segment and do not support contains")
        match.add(name, value.strip("/") if name == "path" else f"*{value}*" if compare == "contains" else value)
    else:
        raise _UnsupportedError(f"rules cannot match {template}, which is not a single field")


def _add_count(token: MappingToken, compare: str, value: int, match: _Match) -> None:
    """Add a condition on the number of parts, if it can be expressed."""
    if token.name == HOST_PARTS and compare == ">":
        match.min_labels = value + 1
    elif token.name == BODY:
        count = len(match.family.body)
        if not (count > value if compare == ">" else count < value):
            raise _NotNeededError("a mount's own folders are part of the path here, so it needs no rule.")
    elif token.name == GROUPS and match.family.groups and compare == ">" and value == 1:
        return  # a table with a schema, which its template requires
    elif not (token.name == GROUPS and "path" in match.family.match and compare == ">"):
        raise _UnsupportedError(f"rules do not support the condition {compare} on the number of {token.name}")


def _template(pieces: Iterable[str | MappingToken], family: Family) -> Iterator[str]:
    """Yield the pieces of a template; a fixed default schema before the table becomes an optional field."""
    before = ""
    for each in pieces:
        if isinstance(each, str):
            yield before
            before = each
            continue
        text = family.template(each)
        if text is None:
            raise _UnsupportedError(f"templates have no field for {each.name}")
        if text == "":
            raise _NotNeededError(f"no dataset has {each.name}[{each.number}] here, so it needs no rule.")
        if family.has_schema and text == "{table}":
            before = _SCHEMA_BEFORE.sub(r"/{schema | default \1}/", before)
        yield before
        yield text
        before = ""
    yield before


def _as_comment(mapping: AcceleratorMapping) -> Iterator[str]:
    for each in mapping.conditions:
        yield f"#   {_line(each.token.text)} {each.compare} {_quoted(each.value)}"
    name = "".join(each if isinstance(each, str) else f"{{{each.text}}}" for each in mapping.pieces)
    yield f"#   {_line(mapping.type_name)}: {_line(name)}"


def _globs(globs: tuple[str, ...]) -> str:
    return _quoted(globs[0]) if len(globs) == 1 else f"[{', '.join(map(_quoted, globs))}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _line(text: str) -> str:
    """Return a text for a comment, without line breaks and invisible characters."""
    return "".join(each if each.isprintable() else " " for each in text)
