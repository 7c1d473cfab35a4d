"""The type definitions, read from `typedefs/*.json`: a file a family of types that belong together.

A server loads the files of a folder by name, so their names have numbers: what is used comes first.
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
"""The keys of AtlasTypesDef that we use, in the order in which types are made."""


def families() -> tuple[str, ...]:
    """The names of all families, in the order in which a server has to be given them."""
    return tuple(_files())


def types_def(names: Iterable[str] | None = None) -> dict[str, list[dict[str, Any]]]:
    """AtlasTypesDef: the definitions of all types of the families, of all if none are named.

    Raises:
        KeyError: there is no such family.
    """
    result: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for name in families() if names is None else names:
        for kind, definitions in json.loads(_files()[name].read_text("utf-8")).items():
            result[kind] += definitions
    return result


def by_name(kind: str) -> Mapping[str, TypeDefinition]:
    """All definitions of a kind."""
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
