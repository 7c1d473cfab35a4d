"""Read the type definitions from `typedefs/*.json`, one file per family of related types.

Atlas loads the files of a folder in the order of their names, so names begin with numbers: types precede their users.
Source: `org.apache.atlas.model.typedef.AtlasTypesDef`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Traversable

TypeDefinition = Mapping[str, Any]

KINDS = ("enumDefs", "structDefs", "classificationDefs", "entityDefs", "relationshipDefs")
"""Used keys of AtlasTypesDef, in the order of creation."""


def families() -> tuple[str, ...]:
    """Return the names of all families, in the order of creation on a server."""
    return tuple(_files())


def types_def(names: Iterable[str] | None = None) -> dict[str, list[dict[str, Any]]]:
    """Return the AtlasTypesDef of the families, or of all families if none are named.

    Raises:
        KeyError: The family does not exist.
    """
    result: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for name in families() if names is None else names:
        for kind, definitions in json.loads(_files()[name].read_text("utf-8")).items():
            result[kind] += definitions
    return result


def by_name(kind: str) -> Mapping[str, TypeDefinition]:
    """Return all definitions of a kind."""
    return _all()[kind]


@cache
def _all() -> Mapping[str, Mapping[str, TypeDefinition]]:
    return {
        kind: MappingProxyType({each["name"]: each for each in definitions})
        for kind, definitions in types_def().items()
    }


@cache
def _files() -> Mapping[str, Traversable]:
    folder = resources.files("sac_kafka.atlas") / "typedefs"
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".json")), key=lambda each: each.name)
    return MappingProxyType({each.name.partition("-")[2].removesuffix(".json"): each for each in found})
