"""Name the facets of this product: what its model states and OpenLineage's facets do not. Written and read here.

`COMPLETENESS` and `RUN` are facets of runs, `FLOW` of outputs, `DATASET` of inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from sac_kafka.masking import mask_text
from sac_kafka.model import (
    Column,
    Dataset,
    HBaseDataset,
    ModelDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)

COMPLETENESS = "sacKafka_completeness"
RUN = "sacKafka_run"
FLOW = "sacKafka_flow"
DATASET = "sacKafka_dataset"
ALL = frozenset({COMPLETENESS, RUN, FLOW, DATASET})

IDENTITY: Mapping[type[Dataset], tuple[str, ...]] = MappingProxyType(
    {
        TableDataset: ("catalog", "database", "name"),
        PathDataset: ("path",),
        ModelDataset: ("path", "is_fitted", "is_directory"),
        TopicDataset: ("topic", "servers", "cluster"),
        RdbmsDataset: ("rdbms_type", "host", "port", "database", "schema", "table"),
        HBaseDataset: ("namespace", "table", "cluster"),
        OtherDataset: ("system", "parts", "host"),
    }
)
"""The fields of each class that identify a dataset."""
_CLASSES = MappingProxyType({kind.__name__: kind for kind in IDENTITY})
_TYPES: Mapping[str, type] = MappingProxyType({"port": int, "is_fitted": bool, "is_directory": bool, "parts": list})
"""The JSON types of fields that are no texts."""
_NAMES = frozenset({"name", "parts", "path", "table", "topic"})
"""Fields without which a dataset has no name."""
_MAX_TEXT = 4_000
_MAX_PARTS = 20
_OPTIONAL = frozenset({"catalog", "cluster", "port", "schema"})


def schema_of(name: str) -> str:
    """Return the URN of the schema of a facet, which is in `schemas/`."""
    return f"urn:sac-kafka:facet:{name}:1-0-0"


def identity_of(dataset: Dataset) -> dict[str, object]:
    """Return what identifies a dataset, as JSON."""
    known = {name: getattr(dataset, name) for name in IDENTITY[type(dataset)]}
    return {"kind": type(dataset).__name__, **{name: value for name, value in known.items() if value is not None}}


def dataset_of_identity(value: Mapping[str, object], columns: tuple[Column, ...]) -> Dataset | None:
    """Return the dataset that `identity_of` describes; None if the description is invalid."""
    kind = _CLASSES.get(str(value.get("kind")))
    if kind is None:
        return None
    given: dict[str, Any] = {"columns": columns, **({"format": ""} if kind is PathDataset else {})}
    for name in IDENTITY[kind]:
        found = value.get(name)
        if found is None and name in _OPTIONAL:
            continue
        if type(found) is not _TYPES.get(name, str) or (name in _NAMES and not found):
            return None
        if isinstance(found, list):
            given[name] = tuple(mask_text(str(part)[:_MAX_TEXT]) for part in found[:_MAX_PARTS])
        else:
            given[name] = mask_text(found[:_MAX_TEXT]) if isinstance(found, str) else found
    return kind(**given)


def others_of(value: Mapping[str, object]) -> Iterator[Dataset]:
    """Yield the other datasets that have the same name."""
    others = value.get("others")
    for other in others if isinstance(others, list) else ():
        found = dataset_of_identity(other, ()) if isinstance(other, dict) else None
        if found is not None:
            yield found
