"""Instrumented methods: results and errors of a call are unchanged."""

from __future__ import annotations

import inspect
import pickle
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import cached_property
from types import GeneratorType
from typing import Any

import pytest

from sac_kafka.guard import Guard
from sac_kafka.spark.calls.instrumentor import Instrumentor, ObservedCall
from sac_kafka.spark.calls.values import noting


class Frame:
    def first(self, number: int = 1) -> int:
        """Give a row."""
        if number < 0:
            raise ValueError(number)
        return number


def test_reports_a_call_with_its_result() -> None:
    calls: list[object] = []
    instrumentor = Instrumentor(Guard())
    instrumentor.wrap(
        Frame,
        "first",
        lambda call: calls.append((call.arguments, call.named, call.given, call.held)),
        before=lambda *_: "held",
    )
    given = Frame().first(2), Frame().first(number=3)
    assert Frame.first.__doc__ == "Give a row."
    instrumentor.restore()
    instrumentor.restore()

    assert given == (2, 3)
    assert calls == [((2,), {}, 2, "held"), ((), {"number": 3}, 3, "held")]
    assert Frame().first(4) == 4
    assert len(calls) == 2
    assert not hasattr(Frame.first, "__wrapped__")


def test_error_of_a_call_passes_and_is_not_reported() -> None:
    calls: list[object] = []
    instrumentor = Instrumentor(Guard())
    instrumentor.wrap(Frame, "first", lambda *call: calls.append(call))
    with pytest.raises(ValueError, match="-1"):
        Frame().first(-1)
    instrumentor.restore()

    assert calls == []


@pytest.mark.planted
def test_internal_error_is_counted_and_the_call_continues() -> None:
    guard = Guard()
    instrumentor = Instrumentor(guard)
    instrumentor.wrap(Frame, "first", lambda *_: 1 // 0, before=lambda *_: {}["missing"])
    given = Frame().first(2)
    instrumentor.restore()

    assert given == 2
    assert guard.counts == {"call: KeyError": 1, "call: ZeroDivisionError": 1}


def test_later_wrapper_stays_and_restore_stops_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    monkeypatch.setattr(Frame, "first", Frame.first)
    instrumentor = Instrumentor(Guard())
    instrumentor.wrap(Frame, "first", lambda *call: calls.append(call))
    ours = Frame.first
    monkeypatch.setattr(Frame, "first", lambda self: ours(self) + 1)
    instrumentor.restore()

    assert Frame().first() == 2
    assert calls == []


def _traceback_of(call: Callable[[], object]) -> str:
    with pytest.raises(Exception) as raised:
        call()
    return "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    "call",
    [
        lambda: Frame().first(-1),
        lambda: Frame().first(1, 2),
        lambda: Frame().first(no=1),
        lambda: Frame.first(),  # type: ignore[call-arg]
        lambda: Frame.first(self=Frame(), number=-1),
    ],
    ids=["raises", "too many", "another name", "no object", "object by name"],
)
@pytest.mark.skipif(sys.version_info < (3, 11), reason="a bare raise of Python 3.10 keeps the frame")
def test_traceback_is_the_same_as_without_the_hook(call: Callable[[], object]) -> None:
    plain, instrumentor = _traceback_of(call), Instrumentor(Guard())
    for _ in range(2):
        instrumentor.wrap(Frame, "first", lambda *_: None)
    wrapped = _traceback_of(call)
    instrumentor.restore()

    assert wrapped == plain


def test_stack_shows_the_wrapped_method(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[traceback.FrameSummary] = []

    def looks(_self: Frame) -> None:
        seen.extend(traceback.extract_stack())

    monkeypatch.setattr(Frame, "looks", looks, raising=False)
    instrumentor = Instrumentor(Guard())
    instrumentor.wrap(Frame, "looks", lambda *_: None)
    Frame().looks()  # type: ignore[attr-defined]
    instrumentor.restore()

    user, ours, its_own = seen[-3:]
    assert user.name == "test_stack_shows_the_wrapped_method"
    assert (ours.filename, ours.name, ours.lineno) == (its_own.filename, "looks", looks.__code__.co_firstlineno)


def test_wrapped_method_keeps_its_attributes() -> None:
    def what(method: Any) -> tuple[object, ...]:
        code = method.__code__
        facts = (inspect.signature(method), inspect.getsource(method), method.__qualname__, method.__globals__)
        return *facts, code.co_filename, code.co_name, code.co_firstlineno, pickle.loads(pickle.dumps(method)) is method

    plain, instrumentor = what(Frame.first), Instrumentor(Guard())
    instrumentor.wrap(Frame, "first", lambda *_: None)
    wrapped = what(Frame.first)
    instrumentor.restore()

    assert wrapped == plain


def test_noted_rows_are_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(self: Frame) -> Iterator[int]:
        yield 7_000
        yield 1 // int(isinstance(self, str))

    monkeypatch.setattr(Frame, "rows", rows, raising=False)

    def taken() -> list[object]:
        generator = Frame().rows()  # type: ignore[attr-defined]
        names = (type(generator), generator.__name__, generator.gi_code.co_filename)
        return [
            *names,
            next(generator),
            _traceback_of(lambda: next(generator)) if sys.version_info >= (3, 11) else None,
        ]

    plain, instrumentor, values = taken(), Instrumentor(Guard()), []

    def hands_out(call: ObservedCall) -> object:
        found, rows = noting(call.given, instrumentor.under_guard)
        values.append(found)
        return rows

    instrumentor.wrap(Frame, "rows", hands_out)
    wrapped = taken()
    instrumentor.restore()

    assert wrapped == plain
    assert values[0].telling == {hash(7_000)}


@pytest.mark.planted
def test_error_in_noting_is_counted_and_the_rows_are_returned() -> None:
    guard = Guard()

    def fails(_look: object) -> Callable[[object], bool]:
        def look(_row: object) -> bool:
            raise ZeroDivisionError

        return Instrumentor(guard).under_guard(look)

    def two() -> Iterator[int]:
        yield from (1, 2)

    rows = two()
    assert isinstance(rows, GeneratorType)
    assert list(noting(rows, fails)[1]) == [1, 2]
    assert guard.counts == {"call: ZeroDivisionError": 1}


class Lazy:
    def __init__(self) -> None:
        self.made = 0

    @property
    def each(self) -> int:
        """Count the calls."""
        self.made += 1
        return self.made

    @cached_property
    def once(self) -> int:
        self.made += 1
        return self.made

    nothing = 3


@pytest.mark.parametrize(("name", "given", "reported"), [("each", [1, 2], [1, 2]), ("once", [1, 1], [1])])
def test_reports_the_computation_of_a_property(name: str, given: list[int], reported: list[int]) -> None:
    heard: list[object] = []
    instrumentor, known = Instrumentor(Guard()), Lazy.__dict__[name]
    instrumentor.wrap_property(
        Lazy, name, lambda call: heard.append((call.arguments, call.named, call.given, call.held))
    )
    lazy = Lazy()
    assert [getattr(lazy, name), getattr(lazy, name)] == given
    assert Lazy.__dict__[name].__doc__ == known.__doc__
    instrumentor.restore()

    assert heard == [((), {}, value, None) for value in reported]
    assert Lazy.__dict__[name] is known
    assert getattr(Lazy(), name) == 1
    assert len(heard) == len(reported)


def test_attributes_that_are_no_properties_are_unchanged() -> None:
    instrumentor = Instrumentor(Guard())
    for name in ("nothing", "absent", "made"):
        instrumentor.wrap_property(Lazy, name, lambda *_: None)
    assert Lazy.nothing == 3
    assert not hasattr(Lazy, "absent")
    instrumentor.restore()
