"""Compare the types of an account with those that messages require.

Built-in types are defined only partly and partly by assumption, so only missing parts count as differences. Purview may
contain another release of Atlas' own model, of which only missing types count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sac_kafka.atlas.types.comparison import Difference, Fix, differences
from sac_kafka.atlas.types.sent import SENT
from sac_kafka.purview.types.definitions import creatable, definitions, of_atlas

_SUPERTYPES = ("Asset", "DataSet", "Process")


def account_differences(families: Iterable[str], theirs: Mapping[str, list[dict[str, Any]]]) -> tuple[Difference, ...]:
    """Return what is missing in an account, in the order of the families; differences of built-in types have no fix."""
    found: list[Difference] = []
    for family in families:
        of_family = differences(definitions([family]), theirs)
        if family in creatable():
            found += of_family
        else:
            found += (replace(each, fix=Fix.NONE) for each in of_family if _counts(each, family))
    return tuple(found)


def _counts(difference: Difference, family: str) -> bool:
    if family in of_atlas():
        return difference.fix is Fix.CREATE and difference.type_name in (*SENT, *_SUPERTYPES)
    return difference.fix is not Fix.NONE
