"""Type definitions of Purview: built-in ones, and custom ones, which `sac-kafka types apply` creates in an account.

Each family is a file `typedefs/*.json`. A description with "Known" is based on documentation or on definitions published
by Microsoft, one with "Assumed" is not. Built-in types are defined as far as messages use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sac_kafka.atlas.types.comparison import Difference, Fix, differences
from sac_kafka.atlas.types.definitions import KINDS, files, types_def
from sac_kafka.atlas.types.sent import SENT

OWN = "own"
"""Family of the custom types used with `atlas.hook.spark.purview.process.types = own`."""
SPARK = "spark"
"""Family of Atlas' Spark model, which the Spark Atlas Connector uses and Microsoft's documentation asks to register."""
BUILT_IN = "built-in"
"""Name that denotes all families built into every account."""

_PACKAGE = "sac_kafka.purview"
_SUPERTYPES = ("Asset", "DataSet", "Process")
_OF_ATLAS = ("base", "fs", "hive", "hbase", "avro", "kafka", "rdbms", "aws")
"""Families of Atlas' own model, which every account has as Purview is based on Atlas."""


def built_in() -> tuple[str, ...]:
    """Return the families that every account has, in the order of their dependencies."""
    return (*_OF_ATLAS, *(name for name in files(_PACKAGE) if name not in creatable()))


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
        is_of_atlas = family in _OF_ATLAS or family == SPARK
        for kind, found in (types_def([family]) if is_of_atlas else types_def([family], _PACKAGE)).items():
            result[kind] += found
    return result


def account_differences(families: Iterable[str], theirs: Mapping[str, list[dict[str, Any]]]) -> tuple[Difference, ...]:
    """Return what is missing in an account, in the order of the families; differences of built-in types have no fix.

    Built-in types are defined only partly and partly by assumption, so only missing parts count as differences. Purview may
    contain another release of Atlas' own model, of which only missing types count.
    """
    found: list[Difference] = []
    for family in families:
        of_family = differences(definitions([family]), theirs)
        if family in creatable():
            found += of_family
        else:
            found += (replace(each, fix=Fix.NONE) for each in of_family if _counts(each, family))
    return tuple(found)


def _counts(difference: Difference, family: str) -> bool:
    if family in _OF_ATLAS:
        return difference.fix is Fix.CREATE and difference.type_name in (*SENT, *_SUPERTYPES)
    return difference.fix is not Fix.NONE
