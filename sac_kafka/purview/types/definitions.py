"""Load the families of Purview's type definitions: from `../typedefs/*.json`, or those of Atlas where Purview shares them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sac_kafka.atlas.types.definitions import KINDS, types_def

if TYPE_CHECKING:
    from importlib.abc import Traversable

OWN = "own"
"""Family of the custom types used with `atlas.hook.spark.purview.process.types = own`."""
SPARK = "spark"
"""Family of Atlas' Spark model, which the Spark Atlas Connector uses and Microsoft's documentation asks to register."""
BUILT_IN = "built-in"
"""Name that denotes all families built into every account."""

_OF_ATLAS = ("base", "fs", "hive", "hbase", "avro", "kafka", "rdbms", "aws")
"""Families of Atlas' own model, which every account has as Purview is based on Atlas."""


def built_in() -> tuple[str, ...]:
    """Return the families that every account has, in the order of their dependencies."""
    return (*_OF_ATLAS, *(name for name in _files() if name not in creatable()))


def of_atlas() -> tuple[str, ...]:
    """Return the built-in families of Atlas' own model."""
    return _OF_ATLAS


def families() -> tuple[str, ...]:
    """Return all families, in the order of creation on an empty server."""
    return (*built_in(), *creatable())


def creatable() -> tuple[str, ...]:
    """Return the families that can be created in an account."""
    return (SPARK, OWN)


def definitions(names: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the AtlasTypesDef of the families, in order; `built-in` denotes all built-in families.

    Raises:
        KeyError: A family does not exist.
    """
    result: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    wanted = [each for name in names for each in (built_in() if name == BUILT_IN else (name,))]
    for family in dict.fromkeys(wanted):
        for kind, found in _family(family).items():
            result[kind] += found
    return result


def _family(name: str) -> Mapping[str, list[dict[str, Any]]]:
    if name in _OF_ATLAS or name == SPARK:
        return types_def([name])
    found: Mapping[str, list[dict[str, Any]]] = json.loads(_files()[name].read_text("utf-8"))
    return found


@cache
def _files() -> Mapping[str, Traversable]:
    folder = resources.files("sac_kafka.purview") / "typedefs"
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".json")), key=lambda each: each.name)
    return MappingProxyType({each.name.partition("-")[2].removesuffix(".json"): each for each in found})
