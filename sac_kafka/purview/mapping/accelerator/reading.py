"""Parse mappings from the accelerator's JSON, reporting all problems of a file at once, each with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sac_kafka.config.secrets import mask_text
from sac_kafka.config.values import EXPOSED, did_you_mean
from sac_kafka.errors import WrongRulesError
from sac_kafka.purview.mapping.accelerator.mappings import COMPARISONS, Condition, Mapped
from sac_kafka.purview.mapping.accelerator.tokens import MappingToken, token

LONGEST = 1_000_000
MOST = 1_000
_LIST, _CONDITIONS = "olToPurviewMappings", "parserConditions"
_SPACE = re.compile(r"[\s,]*")
_START = re.compile(r"\[")
_PIECE = re.compile(r"(?P<text>[^{}]+)|\{(?P<token>[^{}]*)\}|(?P<brace>[{}])")
_TYPE_NAME = re.compile(r"[A-Za-z]\w{0,254}")
_NUMBER = re.compile(r"[0-9]{1,3}")


def is_of_the_accelerator(text: str) -> bool:
    """Return True if a file is JSON, not TOML."""
    start = text.lstrip("\ufeff \t\r\n")[:200]
    return start.startswith("{") or re.match(r"\[\s*[{\]]", start) is not None


def read_mappings(text: str, place: str, wrong: list[str]) -> Iterator[Mapped | str]:
    """Yield the mappings of a file in order; for an invalid one its problems, which are also added to `wrong`.

    Args:
        text: The text of the file.
        place: Name of the file in messages.
        wrong: List to which problems are appended.

    Raises:
        WrongRulesError: The text is not such a file.
    """
    for where, value in _entries(text, place):
        problems: list[str] = []
        found = _mapping(value, where, problems)
        wrong += problems
        yield "; ".join(problems) if problems or found is None else found


def _entries(text: str, place: str) -> Iterator[tuple[str, Any]]:
    """Yield the entries of the list, each with its first line."""
    if len(text) > LONGEST:
        raise WrongRulesError(f"{place}: has {len(text):,} characters; it may have {LONGEST:,}")
    text = text.removeprefix("\ufeff")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        text, whole = _several(text)
        if whole is None:
            problem = (
                f"line {error.lineno}: {error.msg}"
                if isinstance(error, json.JSONDecodeError)
                else "it has too many levels"
            )
            raise WrongRulesError(f"{place}: is no JSON: {problem}") from None
    if isinstance(whole, dict) and _CONDITIONS in whole:
        text, whole = f"[{text}]", [whole]
    key = next((each for each in whole if each.lower() == _LIST.lower()), None) if isinstance(whole, dict) else None
    found = whole[key] if key else whole
    if not isinstance(found, list):
        raise WrongRulesError(f'{place}: has no list of mappings; write {{"{_LIST}": […]}}')
    if len(found) > MOST:
        raise WrongRulesError(f"{place}: {len(found):,} mappings are too many: {MOST:,} at most")
    at = text.index("[", text.index(f'"{key}"') if key else 0) + 1
    decoder, line, counted = json.JSONDecoder(), 1, 0
    for value in found:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr] # it matches nothing, too
        line, counted = line + text.count("\n", counted, at), at
        yield f"{place}, line {line}", value
        at = decoder.raw_decode(text, at)[1]


def _several(text: str) -> tuple[str, list[Any] | None]:
    """Parse mappings separated by commas without enclosing brackets; None if the text is anything else."""
    listed = f"[{text.rstrip().removesuffix(',')}]"
    try:
        found: list[Any] = json.loads(listed)
    except (ValueError, RecursionError):
        return text, None
    return listed, found if all(isinstance(each, dict) for each in found) else None


def _mapping(value: object, where: str, wrong: list[str]) -> Mapped | None:
    if not isinstance(value, dict):
        wrong.append(f"{where}: a mapping is written in {{…}}")
        return None
    texts = {key: each for key, each in value.items() if isinstance(each, str)}
    title = mask_text(texts.get("name", "")).strip()
    label = f"{where} ({title})" if title else where
    if any(mask_text(each) != each for each in texts.values()):
        wrong.append(f"{label}: a value {EXPOSED}")
        return None
    pieces = tuple(_pieces(texts.get("qualifiedName", ""), label, wrong))
    type_name = texts.get("purviewDataType", "")
    if not _TYPE_NAME.fullmatch(type_name):
        wrong.append(f"{label}: purviewDataType = {type_name!r} is no name of a type")
    asked = value.get(_CONDITIONS, [])
    if not isinstance(asked, list) or not asked:
        wrong.append(f"{label}: has no {_CONDITIONS}; say what it is about")
        return None
    conditions = [each for condition in asked if (each := _condition(condition, label, wrong)) is not None]
    return Mapped(title=title, place=where, conditions=tuple(conditions), pieces=pieces, type_name=type_name)


def _pieces(text: str, label: str, wrong: list[str]) -> Iterator[str | MappingToken]:
    if not text.strip():
        wrong.append(f"{label}: has no qualifiedName; say what the asset is called")
    for found in _PIECE.finditer(text.strip()):
        if found["text"] is not None:
            yield found["text"]
            continue
        try:
            if found["brace"]:
                raise ValueError("a brace has no other one")
            read = token(found["token"])
            if read.is_many:
                raise ValueError(f"{found[0]} stands for several texts; say which by [0], [1] …")
            yield read
        except ValueError as error:
            wrong.append(f"{label}: qualifiedName: {error}")


def _condition(value: object, label: str, wrong: list[str]) -> Condition | None:
    texts: Mapping[str, Any] = value if isinstance(value, dict) else {}
    op1, compare, op2 = (texts.get(key) for key in ("op1", "compare", "op2"))
    if not isinstance(op1, str) or not isinstance(compare, str) or not isinstance(op2, (str, int)):
        wrong.append(f"{label}: a condition has op1, compare and op2, each a text")
        return None
    if compare not in COMPARISONS:
        wrong.append(
            f"{label}: compare = {compare!r}; there are {', '.join(COMPARISONS)}{did_you_mean(compare, COMPARISONS)}"
        )
        return None
    try:
        read = token(op1)
    except ValueError as error:
        wrong.append(f"{label}: op1: {error}")
        return None
    is_count = compare in (">", "<")
    if is_count and not _NUMBER.fullmatch(str(op2)):
        wrong.append(f"{label}: op2 = {op2!r} is no number, which {compare} needs")
        return None
    if is_count is not read.is_many:
        needs = "a number of parts, as nameGroups[0].parts has" if is_count else "one text; say which by [0], [1] …"
        wrong.append(f"{label}: op1 = {op1!r}: {compare} needs {needs}")
        return None
    return Condition(read, compare, str(op2))
