"""The JSON Schemas of OpenLineage, which are in no package: `OPENLINEAGE_SPEC` names the folder `spec` of its repository."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from sac_kafka.openlineage.own_facets import ALL

VARIABLE = "OPENLINEAGE_SPEC"
needs_spec = pytest.mark.skipif(
    VARIABLE not in os.environ, reason=f"set {VARIABLE} to the folder spec of OpenLineage's repository"
)
_SIDES = {"inputs": "inputFacets", "outputs": "outputFacets"}


def check_event(event: Mapping[str, Any]) -> None:
    """Raise an error unless an event, and each of its facets that the specification defines, are valid."""
    _validator(event["schemaURL"]).validate(event)
    found = {**event["run"]["facets"], **event["job"]["facets"]}
    of_datasets = [
        facets
        for side, of_use in _SIDES.items()
        for dataset in event[side]
        for facets in (dataset["facets"], dataset.get(of_use, {}))
    ]
    for facets in (found, *of_datasets):
        for name, facet in facets.items():
            if name not in ALL:
                assert facet["_schemaURL"].partition("#")[0] in _schemas(), f"{name}: {facet['_schemaURL']}"
                _validator(facet["_schemaURL"]).validate(facet)


@cache
def _schemas() -> dict[str, Any]:
    folder = Path(os.environ[VARIABLE])
    found = [
        json.loads(path.read_text("utf-8")) for path in (folder / "OpenLineage.json", *folder.glob("facets/*.json"))
    ]
    return {each["$id"]: each for each in found}


@cache
def _validator(address: str) -> Any:
    registry = jsonschema_rs.Registry([*_schemas().items()])
    return jsonschema_rs.Draft202012Validator({"$ref": address}, registry=registry, validate_formats=True)
