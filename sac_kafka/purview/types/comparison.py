"""What an account lacks of the types that messages are made of.

Of what every account has our files say only what messages may hold, part of it assumed: there only what is not there
counts. Of Atlas' own model, which Purview may have in another release, only the types themselves do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sac_kafka.atlas.types.comparison import Difference, Fix, differences
from sac_kafka.atlas.types.sent import SENT
from sac_kafka.purview.types.definitions import definitions, of_atlas, registered

_SUPERTYPES = ("Asset", "DataSet", "Process")


def account_differences(families: Iterable[str], theirs: Mapping[str, list[dict[str, Any]]]) -> tuple[Difference, ...]:
    """Return what an account lacks, in the order of the families; differences of built-in types have no fix."""
    found: list[Difference] = []
    for family in families:
        of_family = differences(definitions([family]), theirs)
        if family in registered():
            found += of_family
        else:
            found += (replace(each, fix=Fix.NONE) for each in of_family if _counts(each, family))
    return tuple(found)


def _counts(difference: Difference, family: str) -> bool:
    if family in of_atlas():
        return difference.fix is Fix.CREATE and difference.type_name in (*SENT, *_SUPERTYPES)
    return difference.fix is not Fix.NONE
