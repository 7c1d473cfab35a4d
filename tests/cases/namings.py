"""Ways to call things, as a test needs them."""

from __future__ import annotations

from typing import Any

from sac_kafka.atlas.naming import Naming
from sac_kafka.settings.declarations.choices import Compat, PathTypes
from sac_kafka.settings.names import Names


def naming_of(
    namespace: str = "prod",
    *,
    compat: Compat = Compat.ATLAS,
    path_types: PathTypes = PathTypes.NATIVE,
    **facts: Any,
) -> Naming:
    """Return a naming; `facts` are fields of it that are not set by names."""
    return Naming(names=Names(namespace=namespace, compat=compat, path_types=path_types), **facts)
