"""Fit events into the size limit of messages: parts are omitted, the least important first, and the event states which."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from sac_kafka.openlineage.own_facets import COMPLETENESS, FLOW, RUN
from sac_kafka.openlineage.writing.facets import JsonObject, facet


def encode(event: JsonObject, max_bytes: int) -> str:
    """Return an event as ASCII JSON of at most this many bytes if omitting parts is enough; the event is changed."""
    text = json.dumps(event, separators=(",", ":"))
    omitted: list[str] = []
    for name, omit in _PARTS:
        if len(text) <= max_bytes or "run" not in event:
            break
        if not omit(event):
            continue
        omitted.append(name)
        facets = event["run"]["facets"]
        kept = {key: value for key, value in facets.get(COMPLETENESS, {}).items() if not key.startswith("_")}
        facet(facets, COMPLETENESS, **{**kept, "lineage": "partial", "omitted": omitted})
        text = json.dumps(event, separators=(",", ":"))
    return text


def _facets(event: JsonObject, *sides: str) -> Iterator[JsonObject]:
    return (dataset["facets"] for side in sides for dataset in event[side])


def _uses(event: JsonObject) -> Iterator[list[JsonObject]]:
    """Yield the lists of source columns: of each column, and of the rows."""
    for facets in _facets(event, "outputs"):
        lineage = facets.get("columnLineage", {})
        yield from (field["inputFields"] for field in lineage.get("fields", {}).values())
        yield lineage.get("dataset", [])


def _omit_descriptions(event: JsonObject) -> bool:
    """Omit expressions, the texts of clauses, and comments of columns."""
    found = [
        used.pop("description")
        for uses in _uses(event)
        for source in uses
        for used in source["transformations"]
        if "description" in used
    ]
    for facets in _facets(event, "inputs", "outputs"):
        fields = facets.get("schema", {}).get("fields", [])
        found += [field.pop("description") for field in fields if "description" in field]
        found += filter(None, (facets.get(FLOW, {}).pop(key, None) for key in ("expressions", "clauses")))
    return _is_any(found)


def _omit_rows(event: JsonObject) -> bool:
    return _is_any(facets["columnLineage"].pop("dataset", None) for facets in _with_columns(event))


def _omit_columns(event: JsonObject) -> bool:
    return _is_any(facets.pop("columnLineage") for facets in [*_with_columns(event)])


def _with_columns(event: JsonObject) -> Iterator[JsonObject]:
    return (facets for facets in _facets(event, "outputs") if "columnLineage" in facets)


def _omit_schemas(side: str) -> Callable[[JsonObject], bool]:
    return lambda event: _is_any(facets.pop("schema", None) for facets in _facets(event, side))


def _omit_texts(event: JsonObject) -> bool:
    facets = (event["job"]["facets"].pop("sql", None), event["run"]["facets"].get(RUN, {}).pop("facts", None))
    return _is_any(facets)


def _is_any(removed: Iterable[object]) -> bool:
    """Return whether anything was removed; unlike `any`, this removes all."""
    return bool([*filter(None, removed)])


_PARTS: tuple[tuple[str, Callable[[JsonObject], bool]], ...] = (
    ("descriptions", _omit_descriptions),
    ("columns that decide rows", _omit_rows),
    ("schemas of inputs", _omit_schemas("inputs")),
    ("column lineage", _omit_columns),
    ("schemas of outputs", _omit_schemas("outputs")),
    ("SQL text and facts of the run", _omit_texts),
)
"""Each part, and what removes it and returns whether there was any. All are removed before the next text is made."""
