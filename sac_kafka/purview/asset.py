"""Define assets: the counterparts of datasets in Purview."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN_TYPE = "DataSet"
"""Type of assets that no scan creates and no rule names; built into every server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """Counterpart of a dataset in Purview.

    Attributes:
        type_name: Type, as assigned by the scan of the source; with `qualified_name` the identity.
        qualified_name: Qualified name, as assigned by the scan.
        name: Display name.
        rule: Short description of the rule that named the asset ("ADLS Gen2 resource set", the title of a user's rule).
        is_known: False for a `DataSet` that no rule covers.
    """

    type_name: str
    qualified_name: str
    name: str
    rule: str
    is_known: bool = True
