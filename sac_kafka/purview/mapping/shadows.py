"""Find rules that can never match because an earlier rule always matches first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sac_kafka.purview.mapping.dataset_fields import GUARANTEED_FIELDS
from sac_kafka.purview.mapping.globs import is_plain
from sac_kafka.purview.mapping.rules import Criterion, LocationRule, MappingRule


def shadowed(rules: Sequence[MappingRule], locations: Sequence[LocationRule]) -> Iterator[str]:
    """Yield a sentence for each shadowed rule and location, as far as it is known without a dataset."""
    about: dict[tuple[str, str], list[MappingRule]] = {}
    others: list[MappingRule] = []  # those whose first criterion has stars, or which have none
    for rule in rules:
        before = next((each for each in _asked(rule, about, others) if _holds_wherever(each, rule)), None)
        if before is not None:
            title, other = rule.description, before.description
            yield f"{title}: never matches, because {other} always matches first; move it before that one"
        first = rule.criteria[0] if rule.criteria else None
        if first is None or first.plain is None:
            others.append(rule)
        else:
            for text in first.plain:
                about.setdefault((first.name, text), []).append(rule)
    for number, each in enumerate(locations):
        covering = next((other for other in locations[:number] if _covers(other.criteria, each.criteria)), None)
        if covering is not None:
            yield f"{each.place}: never matches, because {covering.place} always matches first; move it before that one"


def _asked(
    rule: MappingRule, about: Mapping[tuple[str, str], Sequence[MappingRule]], others: Iterable[MappingRule]
) -> Iterator[MappingRule]:
    """Rules before this one that may hold wherever it does: of a thousand about a name each, hardly one."""
    for criterion in rule.criteria:
        for text in criterion.plain or ():
            yield from about.get((criterion.name, text), ())
    yield from others


def _holds_wherever(first: MappingRule, second: MappingRule) -> bool:
    if (
        len(first.criteria) > len(second.criteria)
        or not second.kinds <= first.kinds
        or not _covers(first.criteria, second.criteria)
    ):
        return False
    asked = {word for each in first.criteria for word in (each.name, *each.given)}
    needed = first.qualified_name.needs | first.name.needs
    there = second.qualified_name.needs | second.name.needs | {(name, 0) for name in asked}
    return all(needed <= there | {(name, 0) for name in GUARANTEED_FIELDS[kind]} for kind in second.kinds)


def _covers(first: Sequence[Criterion], second: Sequence[Criterion]) -> bool:
    """Return True if the first rule matches whatever the second one matches, field by field."""
    return all(any(own.name == each.name and _is_within(own, each) for own in second) for each in first)


def _is_within(inner: Criterion, outer: Criterion) -> bool:
    everything = "**" if outer.name == "path" else "*"
    if everything in outer.globs or inner.globs == outer.globs:
        return True
    if outer.plain is not None and inner.plain is not None:  # most are, and there may be many
        return inner.plain <= outer.plain
    return all(glob in outer.globs or (is_plain(glob) and outer.match(glob) is not None) for glob in inner.globs)
