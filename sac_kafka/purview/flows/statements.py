"""Build the attributes of custom process types: the query, the row conditions, and the last run.

Built-in types have no attributes for these, except for the plan of a Databricks process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sac_kafka.atlas.flows.processes import rows_sentence, users
from sac_kafka.atlas.flows.run_facts import Facts, FactValue, encode
from sac_kafka.atlas.flows.run_facts import details as details_of
from sac_kafka.atlas.limits import PART_LIMIT, shorten
from sac_kafka.atlas.model import known
from sac_kafka.model import Process
from sac_kafka.model.facts import FACTS, OTHER_SOURCES, PURVIEW_DETAILS, THROUGH_DRIVER, Fact, FactType
from sac_kafka.purview.flows.columns import PROPERTY_BYTES

Attributes = Mapping[str, str | int]

_CUT = "…"
_ROOM_FOR_COUNT = 40
_OF_DEFINITION = (OTHER_SOURCES, THROUGH_DRIVER)


def of_definition(described: Process, *, with_expressions: bool, decided_by: Sequence[str] = ()) -> Attributes:
    """Return the attributes that stay the same from run to run as long as the query does.

    `decided_by` are the names of the assets that values of the statement were read from.
    """
    expressions = [{"column": c.column, "expression": c.expression} for c in described.columns if c.expression]
    texts = {
        "queryText": described.run.query_text,
        "plan": described.run.plan_text,
        "rowConditions": rows_sentence(described, decided_by),
        "columnInfluence": _list_entries("columnInfluence", _influences(described)),
        "columnExpressions": _list_entries("columnExpressions", expressions) if with_expressions else None,
        **{fact.purview: str(_text(fact, described)) for fact in _OF_DEFINITION},
        "jobName": described.application.job,
    }
    return {name: fitting(name, text) for name, text in texts.items() if text}


def of_plan(described: Process) -> Attributes:
    """Return the plan in the attribute of a Databricks process."""
    plan = described.run.plan_text
    return {"sparkPlan": fitting("sparkPlan", plan)} if plan else {}


def of_run(described: Process) -> Attributes:
    """Return the attributes of the last run, whose changes alone do not cause a message."""
    details: dict[str, FactValue] = {}
    attributes: dict[str, str | int | None] = {"user": shorten(users(described)[1], PART_LIMIT)}
    for fact in FACTS:
        if fact.purview == PURVIEW_DETAILS:
            details |= _encode(fact, described)
        elif fact.purview and fact not in _OF_DEFINITION:
            attributes[fact.purview] = _text(fact, described)
    attributes[PURVIEW_DETAILS] = details_of(details)
    return {
        name: value if isinstance(value, int) else fitting(name, str(value))
        for name, value in known(**attributes).items()
    }


def _encode(fact: Fact[Process], described: Process) -> Facts:
    """Return a fact by its name; datasets are named by their keys."""
    value: Any = fact.value(described)
    if fact.type is FactType.INPUTS:
        return {fact.name: tuple(f"{key}: {text}" for key, text in value)}
    return encode(fact, value)


def _text(fact: Fact[Process], described: Process) -> str | int | None:
    """Return a fact as the value of an attribute."""
    value: Any = _encode(fact, described)[fact.name]
    separator = "; " if fact.type is FactType.INPUTS else ", "
    return separator.join(value) if isinstance(value, tuple) else value


def fitting(name: str, text: str) -> str:
    """Truncate a text to the size of a property with this name: 32 KB including the name."""
    room = PROPERTY_BYTES - len(name)
    if len(text) * 4 <= room:
        return text
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= room:
        return text
    return data[: room - len(_CUT.encode())].decode("utf-8", "ignore") + _CUT


def _influences(described: Process) -> list[dict[str, object]]:
    return [
        {
            "column": column.column,
            "influencedBy": sorted({f"{source.column} ({source.dependency.value})" for source in column.influences}),
        }
        for column in described.columns
        if column.influences
    ]


def _list_entries(name: str, entries: Sequence[Mapping[str, object]]) -> str | None:
    """Return the first entries that fit into a property as JSON, and the number of omitted ones."""
    room = PROPERTY_BYTES - len(name) - _ROOM_FOR_COUNT
    shown: list[str] = []
    for entry in entries:
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        room -= len(text.encode("utf-8", "surrogatepass")) + 1
        if room < 0:
            shown.append(f'{{"more":{len(entries) - len(shown)}}}')
            break
        shown.append(text)
    return f"[{','.join(shown)}]" if shown else None
