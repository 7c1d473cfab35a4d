"""Find mapping rules that are valid, but look wrong."""

from __future__ import annotations

from collections.abc import Iterator

from sac_kafka.purview.mapping.dataset_fields import canonical_scheme
from sac_kafka.purview.mapping.rules import MappingRules, whole_schemes
from sac_kafka.purview.names.databases import DOCUMENTED
from sac_kafka.purview.names.stores import STORES
from sac_kafka.purview.types import BUILT_IN, definitions
from sac_kafka.settings.declarations.values import nearest

_NEAR = 0.9
_SCHEMES_KNOWN = DOCUMENTED | frozenset(map(canonical_scheme, STORES)) - {"http", "https"}
"""Storage and database systems with built-in naming rules that match Purview's scans."""


def warnings_of(rules: MappingRules) -> Iterator[str]:
    """Yield a warning for each rule with a misspelt type, and for each one that overrides rules for a whole system."""
    yield from _misspelt(rules)
    yield from _needless(rules)


def _misspelt(rules: MappingRules) -> Iterator[str]:
    """Yield a warning for each type that is almost a built-in one: Purview drops messages of unknown types."""
    known = [each["name"] for each in definitions([BUILT_IN])["entityDefs"]]
    for rule in rules.rules:
        meant = nearest(rule.type_name, known, _NEAR) if rule.type_name not in known else None
        if meant is not None:
            yield f"{rule.description}: {rule.type_name} is not a built-in type of Purview (did you mean {meant}?)"


def _needless(rules: MappingRules) -> Iterator[str]:
    """Yield a warning for each rule that overrides the built-in, more specific rules for a whole system."""
    for rule in rules.rules:
        schemes = whole_schemes(rule)
        known = sorted(scheme for scheme in schemes if scheme in _SCHEMES_KNOWN)
        if known:
            yield (
                f"{rule.description}: overrides the built-in rules for all of {', '.join(known)}, which support resource sets "
                "and all kinds of server; restrict it to hosts or paths, or remove it"
            )
