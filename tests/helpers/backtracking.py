"""Count the steps of a regular expression, and find one whose steps grow faster than its text.

`Steps` interprets the parse tree of a pattern by backtracking, as `re` does, and counts the characters that it examines.
`growth` tries it on texts of some dozen characters that are made for the pattern: what its beginning matches, then again
and again what one of its repeats matches, and an end that does not match.

Bounded repeats are made short first (`{32}` becomes `{2}`, `{1,300}` becomes `{1,3}`): they multiply work by a constant.
"""

from __future__ import annotations

import itertools
import re
import string
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

if sys.version_info >= (3, 11):
    from re import _compiler, _parser
else:
    import sre_compile as _compiler
    import sre_parse as _parser

Test = Callable[[str], bool]
"""Tells whether a part of a pattern matches a character."""
Item = tuple[str, Any, Any, "Test | None"]

MOST = 1_000
"""A repeat with a higher bound is one without."""
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_CHARACTERS = ("LITERAL", "NOT_LITERAL", "ANY", "IN")
_CANDIDATES = "a 0AZz9_-.=:/@,;" + string.printable + "\0é\u2028\ud800"
_FILLERS = ("a ", "a.", "a-", "a=", "a: ", "0 ", "0.", "//a:", "''", '""', "()", "{}", "\\a")
"""Tried with every pattern."""
_BOUNDARIES = {"AT_BOUNDARY": "a", "AT_NON_BOUNDARY": " "}
_COUNTS = {False: 8, True: 6}
"""How often a unit is repeated at first, by whether it is long: even, as a pattern may read two of them at a time."""
_LONG = 10
_NOISE = 12
"""What the increase of steps may increase by: what happens once, at the end of a text."""
_BUDGET = 100_000
_DEPTH = 20_000


class BudgetError(Exception):
    """A text takes too many steps."""


class Steps:
    """A pattern as a method uses it: `matches` finds the same as `re` does, and `count` are the steps since."""

    def __init__(self, pattern: re.Pattern[str], method: str) -> None:
        self.tree = _short(_parser.parse(pattern.pattern, pattern.flags))
        self.count = 0
        self._flags = pattern.flags
        self._text = ""
        self._groups: dict[int, tuple[int, int] | None] = {}
        self._items: dict[tuple[int, int], list[Item]] = {}
        self._is_whole = method == "fullmatch"
        self._is_anchored = method in ("match", "fullmatch")
        self._is_repeated = not self._is_anchored and method != "search"

    def matches(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each match.

        Raises:
            BudgetError: It takes too many steps.
        """
        self._text, self.count = text, 0
        found, start = [], 0
        while start <= len(text):
            self._groups.clear()
            ends = self._sequence(self.tree, self._flags, start)
            end = next((each for each in ends if not self._is_whole or each == len(text)), None)
            if end is not None:
                found.append((start, end))
            if self._is_anchored or (found and not self._is_repeated):
                break
            start = start + 1 if end is None or end == start else end
        return found

    def _step(self, count: int = 1) -> None:
        self.count += count
        if self.count > _BUDGET:
            raise BudgetError

    def _items_of(self, tree: Any, flags: int) -> list[Item]:
        """Return the items of a part of the tree, unchanged: the kind of each, and the test of a character."""
        if (key := (id(tree), flags)) not in self._items:
            kinds = [(str(name), name, value) for name, value in tree]
            self._items[key] = [
                (kind, name, value, _test(name, value, flags) if kind in _CHARACTERS else None)
                for kind, name, value in kinds
            ]
        return self._items[key]

    def _sequence(self, tree: Any, flags: int, at: int, first: int = 0) -> Iterator[int]:
        """Yield where items may end that begin at a position, in the order in which `re` tries it."""
        items = self._items_of(tree, flags)
        for number in range(first, len(items)):
            kind, name, value, test = items[number]
            if test is None:
                for end in self._node(kind, name, value, flags, at):
                    yield from self._sequence(tree, flags, end, number + 1)
                return
            self._step()
            if at == len(self._text) or not test(self._text[at]):
                return
            at += 1
        yield at

    def _node(self, kind: str, name: Any, value: Any, flags: int, at: int) -> Iterator[int]:
        match kind:
            case "AT":
                self._step()
                if _place(name, value, flags)(self._text, at):
                    yield at
            case "SUBPATTERN":
                group, added, removed, inner = value
                before = self._groups.get(group)
                for end in self._sequence(inner, (flags | added) & ~removed, at):
                    self._groups[group] = at, end
                    yield end
                    self._groups[group] = before
            case "BRANCH":
                for each in value[1]:
                    yield from self._sequence(each, flags, at)
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, item = value
                repeat = self._run if _is_character(item) else self._loop
                yield from repeat(item, flags, least, most, at, is_greedy=kind == "MAX_REPEAT")
            case "POSSESSIVE_REPEAT":
                yield from itertools.islice(self._node("MAX_REPEAT", name, value, flags, at), 1)
            case "ATOMIC_GROUP":
                yield from itertools.islice(self._sequence(value, flags, at), 1)
            case "ASSERT" | "ASSERT_NOT":
                start = at - (value[1].getwidth()[0] if value[0] < 0 else 0)
                found = start >= 0 and any(True for _ in self._sequence(value[1], flags, start))
                if found is (kind == "ASSERT"):
                    yield at
            case "GROUPREF":
                if own := self._groups.get(value):
                    part = self._text[slice(*own)]
                    self._step(len(part))
                    if self._text.startswith(part, at):
                        yield at + len(part)
            case "FAILURE":
                pass
            case _:
                raise NotImplementedError(kind)

    def _run(self, item: Any, flags: int, least: int, most: int, at: int, *, is_greedy: bool) -> Iterator[int]:
        """Repeat a character."""
        test, last, limit = self._items_of(item, flags)[0][3], at, min(len(self._text), at + most)
        while is_greedy and last < limit and test(self._text[last]):
            last += 1
        self._step(last - at + 1)
        if is_greedy:
            yield from range(last, at + least - 1, -1)
            self._step(last - at + 1)
        while not is_greedy:
            self._step()
            if last - at >= least:
                yield last
            if last == limit or not test(self._text[last]):
                return
            last += 1

    def _loop(
        self, item: Any, flags: int, least: int, most: int, at: int, last: int = -1, *, is_greedy: bool
    ) -> Iterator[int]:
        """Repeat a group, whose last repetition began at `last`."""
        self._step()
        if least <= 0 and not is_greedy:
            yield at
        if least > 0 or (most > 0 and at != last):
            for end in self._sequence(item, flags, at):
                yield from self._loop(item, flags, least - 1, most - 1, end, at, is_greedy=is_greedy)
        if least <= 0 and is_greedy:
            yield at


def growth(pattern: re.Pattern[str], method: str) -> str | None:
    """Return how the steps of a pattern grow faster than a text, or None if they do not."""
    counted = Steps(pattern, method)
    if not any(True for _ in _repeats(counted.tree, pattern.flags, "", 0)):
        return None
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEPTH))
    try:
        found = (_growth(counted, *each) for each in dict.fromkeys(_texts(counted.tree, pattern.flags)))
        return next((f"{method} of {pattern.pattern!r}: {each}" for each in found if each), None)
    finally:
        sys.setrecursionlimit(limit)


def made_for(pattern: re.Pattern[str]) -> list[tuple[str, str, str]]:
    """Return the heads, units and ends of the texts that a pattern is tried with."""
    return list(dict.fromkeys(_texts(_short(_parser.parse(pattern.pattern, pattern.flags)), pattern.flags)))


def shortened(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern with short bounded repeats: what `Steps` matches."""
    return _compiler.compile(_short(_parser.parse(pattern.pattern, pattern.flags)))


def _growth(counted: Steps, head: str, unit: str, end: str) -> str | None:
    """Compare how the steps increase: with linear steps, always by the same."""
    count = _COUNTS[len(unit) > _LONG]
    text = f"{head!r} + n * {unit!r} + {end!r}"
    totals: list[int] = []
    for times in (1, 2, 3):
        try:
            counted.matches(head + unit * count * times + end)
        except BudgetError:
            return f"{text} takes {totals} steps for multiples of n = {count}, then too many"
        totals.append(counted.count)
        if len(totals) == 2 and totals[1] < totals[0] + _NOISE:
            return None
    if totals[2] - totals[1] > totals[1] - totals[0] + _NOISE:
        return f"{text} takes {totals} steps for multiples of n = {count}"
    return None


def _texts(tree: Any, flags: int) -> Iterator[tuple[str, str, str]]:
    """Yield heads, units and ends: of each repeat without a bound what is before it, what it repeats, what it does not."""
    alphabet = _alphabet(tree, flags)
    refused = dict.fromkeys(_refused(tree, flags))
    for variant in (0, 1):
        for head, item, own in _repeats(tree, flags, "", variant):
            units = [_sample(item, own, each, {}) or "a" for each in range(4)]
            others = alphabet
            if _is_character(item):
                test = _test(*item[0], own)
                units += filter(test, alphabet)
                others = tuple(each for each in alphabet if not test(each)) or alphabet
            for end in ("", f"{others[0]}!", *refused):
                yield from ((head, each, end) for each in units)
                yield from (("", head + each, end) for each in ("", *units) if head)
    for end in ("", f"{alphabet[0]}!"):
        yield from (("", each, end) for each in _FILLERS)


def _refused(items: Any, flags: int) -> Iterator[str]:
    """Yield what a pattern does not accept behind what it matches."""
    for name, value in items:
        for inner, own in _inner(name, value, flags):
            yield from _refused(inner, own)
            if str(name) == "ASSERT_NOT" and value[0] > 0:
                yield _sample(inner, own, 0, {})
        if str(name) == "AT" and str(value) in _BOUNDARIES:
            yield _BOUNDARIES[str(value)]


def _repeats(
    items: Any, flags: int, head: str, variant: int, groups: dict[int, str] | None = None
) -> Iterator[tuple[str, Any, int]]:
    """Yield what each repeat without a bound repeats, behind a sample of what is before it."""
    groups = {} if groups is None else groups
    for name, value in items:
        for inner, own in _inner(name, value, flags):
            yield from _repeats(inner, own, head, variant, groups)
        if str(name) in _REPEATS and value[1] > MOST:
            yield head, value[2], flags
        head += _sample([(name, value)], flags, variant, groups)


def _sample(items: Any, flags: int, variant: int, groups: dict[int, str]) -> str:
    """Make a text that items match, lookarounds ignored; variant 0 omits what is optional.

    `groups` keeps what is made for each group.
    """
    made = ""
    for name, value in items:
        kind, inner = str(name), _inner(name, value, flags)
        if kind in _CHARACTERS:
            test = _test(name, value, flags)
            candidates = chr(value) if kind == "LITERAL" else _CANDIDATES
            made += next(filter(test, candidates), None) or next(filter(test, map(chr, range(0x10000))), "")
        elif kind == "GROUPREF":
            made += groups.get(value, "")
        elif inner:
            part = _sample(*inner[variant % len(inner)], variant, groups)
            if kind == "SUBPATTERN" and value[0] is not None:
                groups[value[0]] = part
            if not kind.startswith("ASSERT"):
                made += part * (max(value[0], min(variant, 1)) if kind in _REPEATS else 1)
    return made


def _alphabet(tree: Any, flags: int) -> tuple[str, ...]:
    """Return of all characters that a pattern treats alike one, what the fewest parts of the pattern match first.

    Of a word only its first character counts.
    """
    tests = [_test(*each) for each in dict.fromkeys(_characters(tree, flags))]
    alike: dict[tuple[bool, ...], str] = {}
    for each in _CANDIDATES:
        alike.setdefault(tuple(test(each) for test in tests), each)
    return tuple(alike[each] for each in sorted(alike, key=sum))


def _characters(items: Any, flags: int) -> Iterator[tuple[Any, Any, int]]:
    before = ""
    for name, value in items:
        kind = str(name)
        if kind in _CHARACTERS and not kind == before == "LITERAL":
            yield name, _hashable(value), flags
        for inner, own in _inner(name, value, flags):
            yield from _characters(inner, own)
        before = kind


def _inner(name: Any, value: Any, flags: int) -> list[tuple[Any, int]]:
    """Return the patterns that a part of a pattern holds, and their flags."""
    kind = str(name)
    if kind == "BRANCH":
        return [(each, flags) for each in value[1]]
    if kind == "SUBPATTERN":
        return [(value[3], (flags | value[1]) & ~value[2])]
    if kind in _REPEATS:
        return [(value[2], flags)]
    if kind in ("ASSERT", "ASSERT_NOT"):
        return [(value[1], flags)]
    return [(value, flags)] if kind == "ATOMIC_GROUP" else []


def _short(tree: Any) -> Any:
    """Copy a parse tree with short bounded repeats."""
    return _parser.SubPattern(tree.state, [(name, _short_value(str(name), value)) for name, value in tree])


def _short_value(kind: str, value: Any) -> Any:
    if kind in _REPEATS:
        least, most, item = value
        low = min(least, 2)
        return low, most if most > MOST else low if least == most else max(low, min(most, 3)), _short(item)
    if isinstance(value, _parser.SubPattern):
        return _short(value)
    if isinstance(value, (tuple, list)) and kind != "IN":
        return type(value)(_short_value("", each) for each in value)
    return value


def _is_character(item: Any) -> bool:
    return len(item) == 1 and str(item[0][0]) in _CHARACTERS


def _test(name: Any, value: Any, flags: int) -> Test:
    return _cached_test(name, _hashable(value), flags)


@cache
def _cached_test(name: Any, value: Any, flags: int) -> Test:
    match = _compiled(name, value, flags).match
    return cache(lambda character: match(character) is not None)


@cache
def _place(name: Any, value: Any, flags: int) -> Callable[[str, int], object]:
    return _compiled(name, value, flags).match


def _compiled(name: Any, value: Any, flags: int) -> re.Pattern[str]:
    """Compile a part of a pattern by itself."""
    state = _parser.State()
    state.flags, state.str = flags, ""
    return _compiler.compile(_parser.SubPattern(state, [(name, list(value) if isinstance(value, tuple) else value)]))


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
