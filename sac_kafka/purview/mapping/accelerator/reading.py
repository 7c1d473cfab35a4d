"""Parse mappings from the accelerator's JSON, reporting all problems of a file at once, each with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sac_kafka.errors import WrongRulesError
from sac_kafka.masking import mask_text
from sac_kafka.purview.mapping.accelerator.mappings import COMPARISONS, AcceleratorMapping, Condition
from sac_kafka.purview.mapping.accelerator.tokens import MappingToken, token
from sac_kafka.settings.declarations.values import EXPOSED, did_you_mean

MAX_FILE_CHARACTERS = 1_000_000
MAX_MAPPINGS = 1_000
_LIST, _CONDITIONS = "olToPurviewMappings", "parserConditions"
_SPACE = re.compile(r"[\s,]*")
_START = re.compile(r"\[")
_PIECE = re.compile(r"(?P<text>[^{}]+)|\{(?P<token>[^{}]*)\}|(?P<brace>[{}])")
_TYPE_NAME = re.compile(r"[A-Za-z]\w{0,254}")
_NUMBER = re.compile(r"[0-9]{1,3}")


def is_accelerator_file(text: str) -> bool:
    """Return True if a file is JSON, not TOML."""
    start = text.lstrip("\ufeff \t\r\n")[:200]
    return start.startswith("{") or re.match(r"\[\s*[{\]]", start) is not None


def read_mappings(text: str, place: str, problems: list[str]) -> Iterator[AcceleratorMapping | str]:
    """Yield the mappings of a file in order; for an invalid one its problems, which are also appended to `problems`.

    Args:
        text: The text of the file.
        place: Name of the file in messages.
        problems: List of problems, extended.

    Raises:
        WrongRulesError: The text is not JSON, too long, or has no list of mappings.
    """
    for where, value in _entries(text, place):
        own_problems: list[str] = []
        found = _mapping(value, where, own_problems)
        problems += own_problems
        yield "; ".join(own_problems) if own_problems or found is None else found


def _entries(text: str, place: str) -> Iterator[tuple[str, Any]]:
    """Yield the entries of the list, each with its first line."""
    if len(text) > MAX_FILE_CHARACTERS:
        raise WrongRulesError(f"{place}: has {len(text):,} characters; the maximum is {MAX_FILE_CHARACTERS:,}")
    text = text.removeprefix("\ufeff")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        text, whole = _several(text)
        if whole is None:
            reason = (
                f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            )
            raise WrongRulesError(f"{place}: is not valid JSON: {reason}") from None
    if isinstance(whole, dict) and _CONDITIONS in whole:
        text, whole = f"[{text}]", [whole]
    key = next((each for each in whole if each.lower() == _LIST.lower()), None) if isinstance(whole, dict) else None
    found = whole[key] if key else whole
    if not isinstance(found, list):
        raise WrongRulesError(f'{place}: has no list of mappings; write {{"{_LIST}": […]}}')
    if len(found) > MAX_MAPPINGS:
        raise WrongRulesError(f"{place}: has {len(found):,} mappings; the maximum is {MAX_MAPPINGS:,}")
    at = text.index("[", text.index(f'"{key}"') if key else 0) + 1
    decoder, line, counted = json.JSONDecoder(), 1, 0
    for value in found:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr] # it always matches
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


def _mapping(value: object, where: str, problems: list[str]) -> AcceleratorMapping | None:
    if not isinstance(value, dict):
        problems.append(f"{where}: a mapping must be an object {{…}}")
        return None
    texts = {key: each for key, each in value.items() if isinstance(each, str)}
    title = mask_text(texts.get("name", "")).strip()
    label = f"{where} ({title})" if title else where
    if any(mask_text(each) != each for each in texts.values()):
        problems.append(f"{label}: a value {EXPOSED}")
        return None
    pieces = tuple(_pieces(texts.get("qualifiedName", ""), label, problems))
    type_name = texts.get("purviewDataType", "")
    if not _TYPE_NAME.fullmatch(type_name):
        problems.append(f"{label}: purviewDataType = {type_name!r} is not a valid type name")
    stated = value.get(_CONDITIONS, [])
    if not isinstance(stated, list) or not stated:
        problems.append(f"{label}: has no {_CONDITIONS}; add at least one")
        return None
    conditions = [each for condition in stated if (each := _condition(condition, label, problems)) is not None]
    return AcceleratorMapping(
        title=title, place=where, conditions=tuple(conditions), pieces=pieces, type_name=type_name
    )


def _pieces(text: str, label: str, problems: list[str]) -> Iterator[str | MappingToken]:
    if not text.strip():
        problems.append(f"{label}: has no qualifiedName; state the name of the asset")
    for found in _PIECE.finditer(text.strip()):
        if found["text"] is not None:
            yield found["text"]
            continue
        try:
            if found["brace"]:
                raise ValueError("has an unbalanced brace")
            read = token(found["token"])
            if read.is_list:
                raise ValueError(f"{found[0]} has several values; select one by [0], [1] …")
            yield read
        except ValueError as error:
            problems.append(f"{label}: qualifiedName: {error}")


def _condition(value: object, label: str, problems: list[str]) -> Condition | None:
    texts: Mapping[str, Any] = value if isinstance(value, dict) else {}
    op1, compare, op2 = (texts.get(key) for key in ("op1", "compare", "op2"))
    if not isinstance(op1, str) or not isinstance(compare, str) or not isinstance(op2, (str, int)):
        problems.append(f"{label}: a condition must have op1, compare and op2, each a string")
        return None
    if compare not in COMPARISONS:
        problems.append(
            f"{label}: unknown compare = {compare!r}; available: {', '.join(COMPARISONS)}{did_you_mean(compare, COMPARISONS)}"
        )
        return None
    try:
        read = token(op1)
    except ValueError as error:
        problems.append(f"{label}: op1: {error}")
        return None
    is_count = compare in (">", "<")
    if is_count and not _NUMBER.fullmatch(str(op2)):
        problems.append(f"{label}: op2 = {op2!r} must be a number for the comparison {compare}")
        return None
    if is_count is not read.is_list:
        needs = "a list, such as nameGroups[0].parts" if is_count else "a single value; select one by [0], [1] …"
        problems.append(f"{label}: op1 = {op1!r}: {compare} requires {needs}")
        return None
    return Condition(read, compare, str(op2))
