"""An asset of Purview: what a dataset is there."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN_TYPE = "DataSet"
"""The type of what no scan makes and no rule names: every server has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """What a dataset is in Purview.

    `type_name` and `qualified_name` are its identity, as the scan of its source gives them; `name` is what a person calls it.
    `rule` says in a few words which rule has named it ("ADLS Gen2 resource set", a user's rule by its name). `is_known` is
    False for what no rule knows, a `DataSet`.
    """

    type_name: str
    qualified_name: str
    name: str
    rule: str
    is_known: bool = True
