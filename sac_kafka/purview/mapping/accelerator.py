"""Import mappings of the Azure Databricks accelerator (`OlToPurviewMappings`) as rules.

A mapping has conditions on tokens and a name composed of tokens. A token denotes a part of OpenLineage's namespace and name of a
dataset; `_FAMILIES` has the fields of rules for the tokens of each system.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from sac_kafka.errors import WrongRulesError
from sac_kafka.masking import mask_text
from sac_kafka.purview.mapping.dataset_fields import canonical_scheme
from sac_kafka.purview.mapping.globs import is_plain
from sac_kafka.purview.mapping.reading import read_rules
from sac_kafka.settings.declarations.values import EXPOSED, did_you_mean

SHIPPED, NOT_NEEDED, UNSUPPORTED, INVALID = "shipped", "not needed", "unsupported", "invalid"
CONDITIONS, NEEDS_NONE = "parserConditions", "the hook names this itself"
_PREFIX, _HOST, _BODY, _GROUPS = "prefix", "nameSpcConParts", "nameSpcBodyParts", "nameGroups"
_VALUES, _BODY_FROM, _WORKSPACE = "nameSpcNameVals", "nameSpaceBodyJoinedBySlashFrom", "AdbWorkspaceUrl"
_COMPARISONS = ("=", "!=", "contains", ">", "<")
_TOKEN = re.compile(
    r"(prefix|AdbWorkspaceUrl|nameSpcNameVals(?=\[')|nameSpcConParts|nameSpcBodyParts|nameSpaceBodyJoinedBySlashFrom(?=\[)|nameGroups)"
    r"(?:\[(?:([0-9]{1,2})|'([^'\]]*)')\])?(\.parts?(?:\[([0-9]{1,2})\])?)?"
)
_PIECE = re.compile(r"(?P<text>[^{}]+)|\{(?P<token>[^{}]*)\}|(?P<brace>[{}])")
_FIELD = re.compile(r"/?\{([a-z]+)\}")
_DRIVERS = {"postgres": "postgresql", "mssql": "sqlserver"}
_SHIPPED = (
    "02e480b0 0434240c 047957bd 077bb10b 0b2fea4b 0f5b223d 100543bd 122f54e1 15dfc64e 16e8dcd0 17801374 1dd96588 2234a2cd "
    "251fac59 3158439d 32ba952a 3399763e 372c4f24 4d1b1135 4d88bf62 549f7651 5593447f 56d96110 57945c66 5881ad13 591612b2 "
    "612652ad 6440ee01 65f14599 6ae56e66 719b83e4 78ecde38 844dfc48 8ac3dd54 8cc47a63 94cedbe6 95d33589 a7dfc34c ab0eb5c2 "
    "ad6f57d3 b74c0455 c0a6260b c804b7b0 c921ae44 d531c4dc d648415d d982b32d d9ee66de f10bf9bf fb84ac7f"
)
"""Digests of the mappings that a version of the accelerator ships; the built-in rules cover their datasets."""


class ImportedMapping(NamedTuple):
    """A mapping with its rule in `toml`, or else a `note` that states why it has none, and the `reason`, such as SHIPPED."""

    title: str
    label: str
    toml: str = ""
    reason: str = ""
    note: str = ""


class _NoRuleError(Exception):
    """A mapping that becomes no rule: (reason, note)."""


class _Token(NamedTuple):
    """A token; `number` is an index, -1 for a whole list; `part` that of a part of a group, None without `.parts`."""

    text: str
    name: str
    number: int
    part: int | None

    @property
    def is_list(self) -> bool:
        return self.part == -1 or (self.number < 0 and self.name in (_HOST, _BODY, _GROUPS))


class _Family(NamedTuple):
    """Conditions `match` that select a system, and the fields for the parts of its namespace (`body`) and of its name."""

    match: Mapping[str, str]
    body: tuple[str, ...]
    name: str
    parts: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    is_database: bool = False

    def template(self, token: _Token) -> str | None:
        """Return the template of a token; "" if no dataset has it, None if rules cannot express it."""
        chosen = {_BODY: self.body, _GROUPS: self.groups or (self.name,)}.get(token.name, ())
        if token.name in (_BODY, _GROUPS) and token.part is None:
            return chosen[token.number] if token.number < len(chosen) else ""
        is_part = token.name == _GROUPS and token.number == 0 and (token.part or 0) < len(self.parts)
        return {
            _PREFIX: "{scheme}" if "scheme" in self.match else None,
            _WORKSPACE: "{workspace}",
            _BODY_FROM: "/".join(self.body[token.number :]),
            _HOST: f"{{host.{token.number + 1}}}" if "{host}" in self.body else None,
            _VALUES: "{database}" if self.is_database and re.search("'database(name)?'", token.text, re.I) else None,
            _GROUPS: self.parts[token.part or 0] if is_part else None,
        }[token.name]


_DATABASES = ("postgresql", "mysql", "mariadb", "oracle", "db2", "teradata", "redshift")
_TABLE = _Family({}, ("{host}", "{port}"), "{table}", ("{table}",), is_database=True)
_SCHEMA = ("{schema}", "{table}")
_SNOWFLAKE = ("{database | upper}", "{schema}", "{table}")
_FAMILIES: Mapping[str, _Family] = {
    **{scheme: _Family({"scheme": scheme}, ("{container}", "{host}"), "{path}") for scheme in ("abfss", "wasbs")},
    **{scheme: _Family({"scheme": scheme}, ("{container}",), "{path}") for scheme in ("s3", "gs")},
    "adl": _Family({"scheme": "adl"}, ("{host}",), "/{path}"),
    "hdfs": _Family({"scheme": "hdfs"}, ("{host}", "{port}"), "/{path}"),
    **{scheme: _Family({"scheme": scheme}, (), "/{path}") for scheme in ("dbfs", "file")},
    "sqlserver": _TABLE._replace(match={"scheme": "sqlserver"}),
    **{each: _TABLE._replace(match={"scheme": each}, body=("{host}", "{port}", "{database}")) for each in _DATABASES},
    "snowflake": _Family({"scheme": "snowflake"}, ("{host}", "{port}"), ".".join(_SNOWFLAKE), _SNOWFLAKE),
    "azurekusto": _Family({"connector": "kusto"}, ("{host}", "{path.1}"), "{path.2}", ("{path.2}",)),
    "azurecosmos": _Family({"connector": "cosmos"}, ("{host}", "dbs", "{path.1}"), "colls/{path.2}"),
    "kafka": _Family({"kind": "topic"}, ("{host}", "{port}"), "{topic}"),
}


def convert(mappings: Sequence[object], place: str) -> Iterator[ImportedMapping]:
    """Yield the mappings of a file, in order, with their rules; `place` names the file."""
    for number, value in enumerate(mappings, 1):
        texts = {key: each for key, each in (value if isinstance(value, dict) else {}).items() if isinstance(each, str)}
        title, where = mask_text(texts.get("name", "")).strip(), f"{place}, mapping {number}"
        found = ImportedMapping(title, f"{title} ({where})" if title else where)
        try:
            yield found._replace(toml=_rule(value, texts, found))
        except _NoRuleError as why:
            yield found._replace(reason=why.args[0], note=why.args[1])
        except WrongRulesError as why:
            yield found._replace(reason=UNSUPPORTED, note=str(why))


def as_toml(mappings: Iterable[ImportedMapping], place: str) -> str:
    """Return the text of a rule file, with a comment for each mapping without a rule."""
    written = [f"# Converted from {_line(place)} by sac-kafka map import."]
    known: dict[str, str] = {}
    for mapping in mappings:
        if not mapping.toml:
            failed = "Not converted: " if mapping.reason in (UNSUPPORTED, INVALID) else ""
            written.append(f"# {failed}{_line(mapping.label)}: {_line(mapping.note)}")
        elif (before := known.setdefault(mapping.toml, mapping.label)) != mapping.label:
            written.append(f"# {_line(mapping.label)} is identical to {_line(before)}.")
        else:
            title = f"title = {_quote(mapping.title)}\n" if mapping.title else ""
            written.append(f"# {_line(mapping.label)}\n[[rule]]\n{title}{mapping.toml}".rstrip())
    return "\n\n".join(written) + "\n"


def _rule(value: Any, texts: Mapping[str, str], mapping: ImportedMapping) -> str:  # noqa: ANN401 any JSON
    """Return the rule of a mapping, without `[[rule]]` and its title."""
    if any(mask_text(text) != text for text in texts.values()):
        raise _NoRuleError(INVALID, f"a value {EXPOSED}")
    stated = value.get(CONDITIONS) if isinstance(value, dict) else None
    if not isinstance(stated, list) or not stated or not texts.get("qualifiedName", "").strip():
        raise _NoRuleError(INVALID, f"has no {CONDITIONS} or no qualifiedName; add them")
    conditions, pieces = [_condition(each) for each in stated], tuple(_pieces(texts["qualifiedName"].strip()))
    type_name = texts.get("purviewDataType", "")
    if not re.fullmatch(r"[A-Za-z]\w{0,254}", type_name):
        raise _NoRuleError(INVALID, f"purviewDataType = {type_name!r} is not a valid type name")
    name = "".join(piece if isinstance(piece, str) else f"{{{piece.text}}}" for piece in pieces)
    own = (
        mapping.title,
        type_name,
        name,
        *sorted(f"{each.text} {compare} {value}" for each, compare, value in conditions),
    )
    if hashlib.sha256("\n".join(own).encode()).hexdigest()[:8] in _SHIPPED:
        raise _NoRuleError(SHIPPED, f"{NEEDS_NONE}, so it needs no rule.")
    prefixes = [value for token, compare, value in conditions if (token.name, compare) == (_PREFIX, "=")]
    if len(prefixes) != 1:
        raise _NoRuleError(UNSUPPORTED, "it needs exactly one condition prefix = VALUE")
    system = prefixes[0].strip().lower().removeprefix("jdbc:").partition(":")[0]
    family = _FAMILIES.get(_DRIVERS.get(system, canonical_scheme(system)))
    if family is None:
        raise _NoRuleError(UNSUPPORTED, f"unknown prefix {prefixes[0]!r}")
    if family.is_database and any(t.name == _GROUPS and (c, v) == (">", "1") for t, c, v in conditions):
        family = family._replace(name="{schema}.{table}", parts=_SCHEMA, groups=_SCHEMA)
    collected = _RuleConditions(family)
    for condition in conditions:
        collected.add(*condition)
    lines = [f"match.{field} = {_quote(*globs)}" for field, globs in collected.globs.items()]
    filled = [piece if isinstance(piece, str) else family.template(piece) or "" for piece in pieces]
    if not all(filled):
        raise _NoRuleError(UNSUPPORTED, f"templates have no field for {pieces[filled.index('')][0]}")
    # A fixed default schema before the table becomes an optional field.
    default = r"\g<0>" if family.groups else r"/{schema | default \1}/{table}"
    template = _quote(re.sub(r"/(dbo|public)/\{table\}", default, "".join(filled)))
    rule = "\n".join((*lines, f"type = {_quote(type_name)}", f"qualifiedName = {template}", ""))
    read_rules(f"[[rule]]\n{rule}", mapping.label)
    return rule


def _token(text: str) -> _Token:
    found = _TOKEN.fullmatch(text.strip())
    if found is None or (found[4] and found[1] != _GROUPS):
        known = (_PREFIX, _HOST, _BODY, _VALUES, _GROUPS, _BODY_FROM, _WORKSPACE)
        hint = did_you_mean(text.strip().partition("[")[0], known)
        raise _NoRuleError(INVALID, f"{text!r} is not a token; available: {', '.join(known)}{hint}")
    name, number, key, parts, part = found.groups()
    at = int(number) if number else 0 if parts else -1
    index = f"['{key}']" if key is not None else f"[{at}]" if at >= 0 else ""
    text = f"{name}{index}{re.sub('parts?', 'parts', parts or '')}"
    return _Token(text, name, at, None if not parts else int(part) if part else -1)


def _condition(value: Any) -> tuple[_Token, str, str]:  # noqa: ANN401 any JSON
    op1, compare, op2 = (value.get(key) if isinstance(value, dict) else None for key in ("op1", "compare", "op2"))
    if not isinstance(op1, str) or not isinstance(op2, (str, int)) or compare not in _COMPARISONS:
        raise _NoRuleError(INVALID, f"a condition must have op1, op2, and compare: one of {', '.join(_COMPARISONS)}")
    token, is_count = _token(op1), compare in (">", "<")
    if token.is_list is not is_count or (is_count and not re.fullmatch("[0-9]{1,3}", str(op2))):
        raise _NoRuleError(INVALID, f"{op1} {compare} {op2}: > and < take a list, such as {_GROUPS}, and a number")
    return token, compare, str(op2)


def _pieces(name: str) -> Iterator[str | _Token]:
    for found in _PIECE.finditer(name):
        token = None if found["token"] is None else _token(found["token"])
        if found["brace"] or (token and token.is_list):
            raise _NoRuleError(INVALID, f"qualifiedName: unbalanced brace, or a list without index: {name!r}")
        yield token or found["text"]


class _RuleConditions:
    """The conditions of a rule, collected from those of a mapping: globs by field, and labels of the host by number."""

    def __init__(self, family: _Family) -> None:
        self._family = family
        self._globs = {field: [glob] for field, glob in family.match.items()}
        self._labels: dict[int, str] = {}
        self._min_labels = 0

    def add(self, token: _Token, compare: str, value: str) -> None:
        """Add a condition."""
        handle = self._HANDLERS.get((token.name, compare), type(self)._compare_field)
        if not handle(self, token, compare, value):
            raise _NoRuleError(UNSUPPORTED, f"rules do not support the condition {token.text} {compare} {value!r}")

    @property
    def globs(self) -> Mapping[str, list[str]]:
        """The globs of the rule by field."""
        if not self._labels and not self._min_labels:
            return self._globs
        count = max([self._min_labels, *(number + 1 for number in self._labels)])
        glob = ".".join(self._labels.get(number, "*") for number in range(count))
        # A star also matches dots, so a trailing star allows more labels; a trailing label needs a second glob for them.
        return {**self._globs, "host": [glob] if count - 1 not in self._labels else [glob, f"{glob}.*"]}

    # Handlers return whether rules support the condition.

    def _count_labels(self, _: _Token, __: str, value: str) -> bool:
        self._min_labels = int(value) + 1
        return True

    def _count_body(self, _: _Token, compare: str, value: str) -> bool:
        count = len(self._family.body)
        if not (count > int(value) if compare == ">" else count < int(value)):
            raise _NoRuleError(NOT_NEEDED, "a mount's own folders are part of the path here, so it needs no rule.")
        return True

    def _compare_label(self, token: _Token, _: str, value: str) -> bool:
        if not self._family.template(token) or not is_plain(value):
            return False
        self._labels[token.number] = value
        return True

    def _compare_field(self, token: _Token, compare: str, value: str) -> bool:
        template = None if token.is_list else self._family.template(token)
        if template == "":
            if compare != "=" or value:
                raise _NoRuleError(NOT_NEEDED, f"no dataset has {token.text} here, so it needs no rule.")
            return True
        field = _FIELD.fullmatch(template or "")
        if compare not in ("=", "contains") or not field or token.name == _WORKSPACE or not is_plain(value):
            return False
        glob = value.strip("/") if field[1] == "path" else value if compare == "=" else f"*{value}*"
        if self._globs.setdefault(field[1], [glob]) != [glob] or (field[1], compare) == ("path", "contains"):
            raise _NoRuleError(UNSUPPORTED, f"two conditions on {field[1]}, or one on a part of a path")
        return True

    _HANDLERS: ClassVar[Mapping[tuple[str, str], Callable[[_RuleConditions, _Token, str, str], bool]]] = {
        (_PREFIX, "="): lambda *_: True,  # the family has its conditions
        (_GROUPS, ">"): lambda conditions, *_: bool(conditions._family.groups),
        (_HOST, ">"): _count_labels,
        (_HOST, "="): _compare_label,
        (_BODY, ">"): _count_body,
        (_BODY, "<"): _count_body,
    }
    """By token and comparison; all others compare a field."""


def _quote(*texts: str) -> str:
    quoted = [json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f") for text in texts]
    return quoted[0] if len(quoted) == 1 else f"[{', '.join(quoted)}]"


def _line(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)
