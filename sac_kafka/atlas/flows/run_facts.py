"""Encode the facts of a run by their types, twice: as custom attributes, and as JSON in the stock attribute `details`.

Custom attributes are displayed well. But a server that consumes in parallel keeps only attributes,
relationshipAttributes and classifications of an entity, and the V1 form has nothing else.

Source: `org.apache.atlas.notification.NotificationPreProcessor` (Atlas 2.6).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.limits import COMMENT_LIMIT, DETAILS_LIMIT, fitting, list_names, truncate
from sac_kafka.model import Process
from sac_kafka.model.facts import APPLICATION_FACTS, ApplicationRun, Fact, FactType
from sac_kafka.settings.content import CUSTOM_VALUE_LIMIT
from sac_kafka.stats import OTHERS

FactValue = str | int | float | Mapping[str, str] | tuple[str, ...] | None
"""A text, a number, or several texts; None if unknown."""

Facts = Mapping[str, FactValue]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_OMITTED = "omitted"
_ROOM_FOR_OMITTED = 40
_LIST_LIMIT = 1_000
_TEXT_LIMIT = COMMENT_LIMIT // 10


def of_process(
    process: Process,
    facts: Iterable[Fact[Process]],
    datasets: Mapping[str, DatasetEntities],
    decided_by: tuple[str, ...] = (),
) -> Facts:
    """Return facts of a process; `datasets` are the entities of inputs by key, `decided_by` the names of DATASETS."""
    result: dict[str, FactValue] = {}
    for fact in facts:
        value: Any = fact.value(process)
        match fact.type:
            case FactType.INPUTS:
                texts = ((datasets[key], truncate(text, _TEXT_LIMIT)) for key, text in value if key in datasets)
                result[fact.name] = tuple(f"{each.stem}: {text}" for each, text in texts)
            case FactType.DATASETS:
                result[fact.name] = decided_by
            case FactType.COLUMNS:
                columns: dict[str, list[str]] = {}
                for source in value:
                    if dataset := datasets.get(source.dataset):
                        name = f"{fact.name}{source.dependency.value}"
                        columns.setdefault(name, []).append(dataset.column_stem(source.column))
                result |= {name: tuple(found) for name, found in columns.items()}
            case _:
                result |= encode(fact, value)
    return result


def of_application(run: ApplicationRun) -> Facts:
    """Return the facts that identify the last run of an application, and at its end those of its writes."""
    return {name: value for fact in APPLICATION_FACTS for name, value in encode(fact, fact.value(run)).items()}


def encode(fact: Fact[Any], value: Any) -> Facts:  # noqa: ANN401 as the fact's type says
    """Return a fact whose value names no dataset."""
    match fact.type:
        case FactType.TIME:
            return {fact.name: timestamp(value)}
        case FactType.COUNTS:
            return {fact.name: _counts(value) if value else None}
        case FactType.FACTS:
            return dict(value)
        case _:
            return {fact.name: value}


def _counts(numbers: Mapping[str, int]) -> str:
    """Return numbers by text as JSON that fits into a custom attribute."""
    shown = dict(sorted(numbers.items(), key=lambda each: (-each[1], each[0])))
    left = 0
    while len(text := json.dumps({**shown, **({OTHERS: left} if left else {})})) > CUSTOM_VALUE_LIMIT and shown:
        left += shown.popitem()[1]
    return text


def custom_attributes(facts: Facts) -> dict[str, str]:
    """Return the facts as texts by name; a list that is too long for one attribute fills several."""
    result: dict[str, str] = {}
    for name, fact in facts.items():
        if isinstance(fact, tuple):
            result |= list_names(name, fact)
        elif isinstance(fact, Mapping):
            result |= list_names(name, (f"{key} = {value}" for key, value in fact.items()))
        elif fact not in (None, ""):
            result[name] = truncate(str(fact), CUSTOM_VALUE_LIMIT)
    return result


def details(facts: Facts) -> str:
    """Return the first facts as JSON of at most DETAILS_LIMIT UTF-16 units; `omitted` counts the others.

    >>> details({"status": "succeeded", "rows_written": 3, "read_locations": ("file:/in/day=1",), "failure": None})
    '{"status": "succeeded", "rows_written": 3, "read_locations": ["file:/in/day=1"]}'
    """
    encoded = (
        f"{json.dumps(name)}: {json.dumps(_truncate(fact), ensure_ascii=False)}"
        for name, fact in facts.items()
        if fact not in (None, "", ()) and fact != {}
    )
    shown, omitted = fitting(encoded, DETAILS_LIMIT - _ROOM_FOR_OMITTED)
    more = [f'"{_OMITTED}": {omitted}'] if omitted else []
    return f"{{{', '.join([*shown, *more])}}}"


def timestamp(epoch_ms: int | None) -> str | None:
    """Return a time in epoch milliseconds in ISO 8601 format."""
    if epoch_ms is None:
        return None
    return (_EPOCH + timedelta(milliseconds=epoch_ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _truncate(fact: FactValue) -> object:
    if isinstance(fact, str):
        return truncate(fact, CUSTOM_VALUE_LIMIT)
    if isinstance(fact, tuple):
        shown, omitted = fitting(fact, _LIST_LIMIT)
        return [*shown, f"+{omitted}"] if omitted else shown
    if isinstance(fact, Mapping):
        return {key: truncate(value, CUSTOM_VALUE_LIMIT) for key, value in fact.items()}
    return fact
