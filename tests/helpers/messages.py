"""Reads messages that a test produced: each must keep the rules of a sender, and be good for Atlas' own classes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.helpers.judge.judging import assert_good
from tests.helpers.schemas import validate_message


def validated(values: Iterable[bytes | str]) -> list[dict[str, Any]]:
    """Return the messages as JSON, in order; raise AssertionError for an invalid one."""
    texts = [value.decode("ascii") if isinstance(value, bytes) else value for value in values]
    for text in texts:
        validate_message(text)
    assert_good(texts)
    return [json.loads(text) for text in texts]


def messages_in(file: Path) -> list[dict[str, Any]]:
    """Return the messages of a file, one per line."""
    return validated(file.read_text().splitlines()) if file.exists() else []


def entities(messages: Iterable[dict[str, Any]], type_name: str | None = None) -> list[dict[str, Any]]:
    """Return the entities of some messages, of one type."""
    found = (e for m in messages for e in m["message"]["entities"]["entities"])
    return [e for e in found if type_name in (None, e["typeName"])]


def names(messages: Iterable[dict[str, Any]], type_name: str) -> set[str]:
    """Return the qualifiedNames of the entities of a type."""
    return {e["attributes"]["qualifiedName"] for e in entities(messages, type_name)}


OF_A_RUN = frozenset(
    (
        "application_id",
        "started",
        "ended",
        "executionId",
        "execution_id",
        "job_ids",
        "msgCreationTime",
        "duration_seconds",
        "details",
    )
)
"""The attributes that differ between two runs of one job; `details` repeats facts of the run."""


def without_run(message: Any) -> Any:
    """Return a message, or a part of one, without what differs from run to run."""
    if isinstance(message, dict):
        of_a_run = OF_A_RUN | (
            {"description"} if "currentUser" in message else set()
        )  # an application's describes its run
        return {key: without_run(value) for key, value in message.items() if key not in of_a_run}
    return [without_run(each) for each in message] if isinstance(message, list) else message
