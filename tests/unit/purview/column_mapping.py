"""The shape of columnMapping, as Purview's lineage reads it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

ANY = "*"


def column_mapping_problems(text: str, inputs: Collection[str], outputs: Collection[str]) -> Iterator[str]:
    """Return the reasons why a columnMapping cannot be drawn.

    Args:
        text: The attribute's value.
        inputs: The qualified names of the process' inputs.
        outputs: Those of its outputs.
    """
    try:
        pairs = json.loads(text)
    except ValueError:
        yield "columnMapping is no JSON"
        return
    if not isinstance(pairs, list) or not all(isinstance(each, dict) for each in pairs):
        yield "columnMapping is no list of objects"
        return
    seen = set()
    for pair in pairs:
        if set(pair) != {"DatasetMapping", "ColumnMapping"}:
            yield f"columnMapping has an element of {sorted(pair)}, not of DatasetMapping and ColumnMapping"
            continue
        datasets = pair["DatasetMapping"]
        if not _is_mapping(datasets):
            yield "a DatasetMapping is not of Source and Sink"
            continue
        source, sink = datasets["Source"], datasets["Sink"]
        if source != ANY and source not in inputs:
            yield f"the DatasetMapping's Source {source} is no input"
        if sink not in outputs:
            yield f"the DatasetMapping's Sink {sink} is no output"
        if (source, sink) in seen:
            yield f"{source} and {sink} have two DatasetMappings"
        seen.add((source, sink))
        if not isinstance(pair["ColumnMapping"], list) or not pair["ColumnMapping"]:
            yield f"the ColumnMapping of {sink} is empty"
        elif not all(_is_mapping(each) for each in pair["ColumnMapping"]):
            yield f"a ColumnMapping of {sink} is not of Source and Sink"
        elif len({json.dumps(each, sort_keys=True) for each in pair["ColumnMapping"]}) < len(pair["ColumnMapping"]):
            yield f"a pair of columns of {sink} stands twice"


def _is_mapping(value: Any) -> bool:
    return (
        isinstance(value, dict) and set(value) == {"Source", "Sink"} and all(isinstance(v, str) for v in value.values())
    )
