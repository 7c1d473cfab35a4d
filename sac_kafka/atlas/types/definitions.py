"""Read the type definitions from `../typedefs/*.json`, one file per family of related types, and our own from `typedefs/`.

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
_PACKAGE = "sac_kafka.atlas"
_OWN_PACKAGE = "sac_kafka.atlas.types"

BRIDGE = "bridge"
"""Family of our own types, which Atlas does not ship: used with `atlas.bridge.process.types = own`."""

KINDS = ("enumDefs", "structDefs", "classificationDefs", "entityDefs", "relationshipDefs")
"""Used keys of AtlasTypesDef, in the order of creation."""


def families() -> tuple[str, ...]:
    """Return the names of the families that Atlas ships, in the order of creation on a server."""
    return tuple(files())


def types_def(names: Iterable[str] | None = None, package: str = _PACKAGE) -> dict[str, list[dict[str, Any]]]:
    """Return the AtlasTypesDef of the families of a package, or of all but BRIDGE if none are named.

    Raises:
        KeyError: The family does not exist.
    """
    result: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for name in files(package) if names is None else names:
        file = files(_OWN_PACKAGE if (package, name) == (_PACKAGE, BRIDGE) else package)[name]
        for kind, definitions in json.loads(file.read_text("utf-8")).items():
            result[kind] += definitions
    return result


def by_name(kind: str) -> Mapping[str, TypeDefinition]:
    """Return all definitions of a kind."""
    return _all()[kind]


@cache
def _all() -> Mapping[str, Mapping[str, TypeDefinition]]:
    return {
        kind: MappingProxyType({definition["name"]: definition for definition in definitions})
        for kind, definitions in types_def((*families(), BRIDGE)).items()
    }


@cache
def files(package: str = _PACKAGE) -> Mapping[str, Traversable]:
    """Return the files of the families of a package by name, in the order of creation on a server."""
    folder = resources.files(package) / "typedefs"
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".json")), key=lambda each: each.name)
    return MappingProxyType({each.name.partition("-")[2].removesuffix(".json"): each for each in found})
