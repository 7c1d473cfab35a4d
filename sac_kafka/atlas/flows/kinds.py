"""Write and read the kind of a column lineage, which begins its description, because the type has no attribute for it.

Examples: `aggregation: sum(amount)`, `identity: crm.orders.id`,
`condition (influences the value, does not flow into it): CASE WHEN (amount > 100) THEN …`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sac_kafka.atlas.limits import COMMENT_LIMIT, truncate
from sac_kafka.model import Dependency

KINDS: Mapping[Dependency, str] = MappingProxyType(
    {
        Dependency.AGGREGATION: "aggregation",
        Dependency.TRANSFORMATION: "transformation",
        Dependency.IDENTITY: "identity",
        Dependency.CONDITIONAL: "condition",
        Dependency.WINDOW: "window",
        # As dependencies of a column, these are conditions on the rows of a subquery.
        Dependency.JOIN: "condition",
        Dependency.FILTER: "condition",
        Dependency.GROUP_BY: "condition",
        Dependency.SORT: "condition",
    }
)
"""Words for the use of a column, most specific first."""

_INFLUENCE = " (influences the value, does not flow into it)"
_COPY = KINDS[Dependency.IDENTITY]


def description(used_as: Iterable[Dependency], made: str) -> str:
    """Return the description of a column lineage; `made` is its expression, or the copied columns if there is none."""
    used = set(used_as)
    kinds = ", ".join(dict.fromkeys(word for dependency, word in KINDS.items() if dependency in used))
    is_influence = not any(use.is_direct for use in used)
    return truncate(f"{kinds}{_INFLUENCE if is_influence else ''}: {made}", COMMENT_LIMIT)


def read_description(text: str) -> tuple[bool, str]:
    """Return from a description whether the column lineage is an influence, and the expression, "" for a copy.

    >>> read_description("aggregation: sum(amount)"), read_description("identity: crm.orders.id")
    ((False, 'sum(amount)'), (False, ''))
    >>> read_description("window (influences the value, does not flow into it): row_number() OVER (ORDER BY id)")
    (True, 'row_number() OVER (ORDER BY id)')
    """
    kinds, _, made = text.partition(": ")
    return kinds.endswith(_INFLUENCE), "" if kinds == _COPY else made
