"""Create assets for datasets without a scan or with undocumented names: a `DataSet`."""

from __future__ import annotations

from sac_kafka.purview.asset import UNKNOWN_TYPE, Asset


def unknown(qualified_name: str, *, name: str, rule: str) -> Asset:
    """Return a `DataSet`; `rule` states the reason briefly."""
    return Asset(type_name=UNKNOWN_TYPE, qualified_name=qualified_name, name=name, rule=rule, is_known=False)
