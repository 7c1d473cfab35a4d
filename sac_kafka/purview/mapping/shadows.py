"""Find rules that can never match because an earlier rule always matches first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sac_kafka.purview.mapping.dataset_fields import GUARANTEED_FIELDS
from sac_kafka.purview.mapping.globs import is_plain
from sac_kafka.purview.mapping.rules import Criterion, LocationRule, MappingRule


def find_shadows(rules: Sequence[MappingRule], locations: Sequence[LocationRule]) -> Iterator[str]:
    """Yield a sentence for each rule and location that is certain to be shadowed."""
    by_value: dict[tuple[str, str], list[MappingRule]] = {}
    others: list[MappingRule] = []  # rules without criteria, or whose first criterion has wildcards
    for rule in rules:
        before = next(
            (candidate for candidate in _candidates(rule, by_value, others) if _matches_all_of(candidate, rule)), None
        )
        if before is not None:
            title, other = rule.description, before.description
            yield f"{title}: never matches, because {other} always matches first; move it before that one"
        first = rule.criteria[0] if rule.criteria else None
        if first is None or first.plain is None:
            others.append(rule)
        else:
            for text in first.plain:
                by_value.setdefault((first.name, text), []).append(rule)
    for number, each in enumerate(locations):
        covering = next((other for other in locations[:number] if _covers(other.criteria, each.criteria)), None)
        if covering is not None:
            yield f"{each.place}: never matches, because {covering.place} always matches first; move it before that one"


def _candidates(
    rule: MappingRule, by_value: Mapping[tuple[str, str], Sequence[MappingRule]], others: Iterable[MappingRule]
) -> Iterator[MappingRule]:
    """Yield the earlier rules that could shadow a rule; the index by value avoids comparing every pair of rules."""
    for criterion in rule.criteria:
        for text in criterion.plain or ():
            yield from by_value.get((criterion.name, text), ())
    yield from others


def _matches_all_of(first: MappingRule, second: MappingRule) -> bool:
    """Return True if the first rule matches, and can fill its templates, for all datasets that the second one matches."""
    if (
        len(first.criteria) > len(second.criteria)
        or not second.kinds <= first.kinds
        or not _covers(first.criteria, second.criteria)
    ):
        return False
    matched = {word for each in first.criteria for word in (each.name, *each.captures)}
    needed = first.qualified_name.needs | first.name.needs
    available = second.qualified_name.needs | second.name.needs | {(name, 0) for name in matched}
    return all(needed <= available | {(name, 0) for name in GUARANTEED_FIELDS[kind]} for kind in second.kinds)


def _covers(first: Sequence[Criterion], second: Sequence[Criterion]) -> bool:
    """Return True if each criterion of the first rule contains one of the second rule for the same field."""
    return all(any(own.name == each.name and _is_within(own, each) for own in second) for each in first)


def _is_within(inner: Criterion, outer: Criterion) -> bool:
    """Return True if all values that match the inner criterion are certain to match the outer one."""
    everything = "**" if outer.name == "path" else "*"
    if everything in outer.globs or inner.globs == outer.globs:
        return True
    if outer.plain is not None and inner.plain is not None:  # the common case, by a set operation
        return inner.plain <= outer.plain
    return all(glob in outer.globs or (is_plain(glob) and outer.match(glob) is not None) for glob in inner.globs)
