"""Rules that never get a turn: those before them hold wherever they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sac_kafka.purview.mapping.globs import is_plain
from sac_kafka.purview.mapping.rules import Criterion, Location, Rule
from sac_kafka.purview.mapping.seen import ALWAYS


def shadowed(rules: Sequence[Rule], locations: Sequence[Location]) -> Iterator[str]:
    """A sentence for each rule and location that never gets a turn, as far as that can be told without a dataset."""
    for number, rule in enumerate(rules):
        before = next((each for each in rules[:number] if _holds_wherever(each, rule)), None)
        if before is not None:
            yield f"{rule.told}: never gets a turn, because {before.told} holds wherever it does; put it before that one"
    for number, each in enumerate(locations):
        first = next((other for other in locations[:number] if _covers(other.criteria, each.criteria)), None)
        if first is not None:
            yield f"{each.place}: never gets a turn, because {first.place} holds wherever it does; put it before that one"


def _holds_wherever(first: Rule, second: Rule) -> bool:
    if not second.kinds <= first.kinds or not _covers(first.criteria, second.criteria):
        return False
    asked = {word for each in first.criteria for word in (each.name, *each.given)}
    needed = first.qualified_name.needs | first.name.needs
    there = second.qualified_name.needs | second.name.needs | {(name, 0) for name in asked}
    return all(needed <= there | {(name, 0) for name in ALWAYS[kind]} for kind in second.kinds)


def _covers(first: Sequence[Criterion], second: Sequence[Criterion]) -> bool:
    """Whether what holds by the second holds by the first, field by field."""
    by_field = {each.name: each for each in second}
    return all(each.name in by_field and _is_within(by_field[each.name], each) for each in first)


def _is_within(inner: Criterion, outer: Criterion) -> bool:
    everything = "**" if outer.name == "path" else "*"
    return everything in outer.globs or all(
        glob in outer.globs or (is_plain(glob) and outer.match(glob) is not None) for glob in inner.globs
    )
