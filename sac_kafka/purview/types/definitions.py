"""The families of Purview's type definitions, read from `../typedefs/*.json` and, where Purview has Atlas' own, from there."""

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
"""The family of our own types: what messages hold with `atlas.hook.spark.purview.process.types = own`."""
SPARK = "spark"
"""Atlas' model of Spark, which the Spark Atlas Connector's messages are of, and Microsoft's page tells to register."""
BUILT_IN = "built-in"
"""What stands for all families that every account has."""

_OF_ATLAS = ("base", "fs", "hive", "hbase", "avro", "kafka", "rdbms", "aws")
"""Of Atlas' model what every account has, as Purview was made of Atlas."""


def built_in() -> tuple[str, ...]:
    """The families that every account has, what is used before what uses it."""
    return (*_OF_ATLAS, *(name for name in _files() if name not in registered()))


def of_atlas() -> tuple[str, ...]:
    """Of the built-in families those of Atlas' own model."""
    return _OF_ATLAS


def families() -> tuple[str, ...]:
    """All families, in the order in which a server that has none of them has to be given them."""
    return (*built_in(), *registered())


def registered() -> tuple[str, ...]:
    """The families that an account can be given."""
    return (SPARK, OWN)


def definitions(names: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """AtlasTypesDef: the definitions of all types of the families, in their order; `built-in` stands for all of these.

    Raises:
        KeyError: There is no such family.
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
