"""Reads messages that a test produced: each must fit `schemas/`, and be good for Atlas' own classes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from schemas import validate_message
from tests.judge.judging import assert_good


def validated(values: Iterable[bytes | str]) -> list[dict[str, Any]]:
    """The messages as JSON, in order; an invalid one is an AssertionError or a ValidationError."""
    texts = [value.decode("ascii") if isinstance(value, bytes) else value for value in values]
    for text in texts:
        validate_message(text)
    assert_good(texts)
    return [json.loads(text) for text in texts]


def messages_in(file: Path) -> list[dict[str, Any]]:
    """The messages in a file of one a line."""
    return validated(file.read_text().splitlines()) if file.exists() else []


def entities(messages: Iterable[dict[str, Any]], type_name: str | None = None) -> list[dict[str, Any]]:
    """The entities of some messages, of one type."""
    found = (e for m in messages for e in m["message"]["entities"]["entities"])
    return [e for e in found if type_name in (None, e["typeName"])]


def names(messages: Iterable[dict[str, Any]], type_name: str) -> set[str]:
    """The qualifiedNames of the entities of a type."""
    return {e["attributes"]["qualifiedName"] for e in entities(messages, type_name)}
