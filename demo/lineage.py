"""Lineage that a consumer of ATLAS_HOOK gets from the messages, for the comparison with the expected one.

An independent reader: it knows the messages' form only, and shares no code with the hook.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Flow:
    """A process: the names of its datasets, and of its columns (output column → input columns)."""

    inputs: list[str]
    outputs: list[str]
    columns: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Lineage:
    """Content of messages: processes by name, messages by type, entities by type."""

    flows: dict[str, Flow] = field(default_factory=dict)
    messages: Counter[str] = field(default_factory=Counter)
    entities: dict[str, set[str]] = field(default_factory=dict)


def read(values: Iterable[bytes]) -> Lineage:
    """Read the messages of a topic, in their order."""
    lineage = Lineage()
    columns: list[tuple[str, str, list[str]]] = []
    for value in values:
        message = json.loads(value)["message"]
        lineage.messages[message["type"]] += 1
        for entity in message["entities"]["entities"]:
            name = entity["attributes"]["qualifiedName"]
            lineage.entities.setdefault(entity["typeName"], set()).add(name)
            related = entity.get("relationshipAttributes", {})
            if entity["typeName"] == "spark_process":
                lineage.flows.setdefault(name, Flow(_names(related, "inputs"), _names(related, "outputs")))
            elif entity["typeName"] == "spark_column_lineage" and ":influence-" not in name:
                process = related["process"]["uniqueAttributes"]["qualifiedName"]
                columns.append((process, _names(related, "outputs")[0], _names(related, "inputs")))
    for process, output, inputs in columns:
        lineage.flows[process].columns[output] = inputs
    return lineage


def _names(related: Mapping[str, Any], role: str) -> list[str]:
    return sorted(reference["uniqueAttributes"]["qualifiedName"] for reference in related.get(role, ()))
