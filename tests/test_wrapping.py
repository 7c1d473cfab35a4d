"""Methods that tell of their calls: what a call gives and raises stays what it was, whatever is told."""

from __future__ import annotations

from functools import cached_property

import pytest

from sac_kafka.guard import Guard
from sac_kafka.spark.calls.wrapping import Wrapping


class Frame:
    def first(self, number: int = 1) -> int:
        """Give a row."""
        if number < 0:
            raise ValueError(number)
        return number


def test_a_call_is_told_with_what_it_gave() -> None:
    told: list[object] = []
    wrapping = Wrapping(Guard())
    wrapping.wrap(
        Frame,
        "first",
        lambda _, args, kwargs, given, held: told.append((args, kwargs, given, held)),
        before=lambda *_: "held",
    )
    given = Frame().first(2), Frame().first(number=3)
    assert Frame.first.__doc__ == "Give a row."
    wrapping.restore()
    wrapping.restore()

    assert given == (2, 3)
    assert told == [((2,), {}, 2, "held"), ((), {"number": 3}, 3, "held")]
    assert Frame().first(4) == 4
    assert len(told) == 2
    assert not hasattr(Frame.first, "__wrapped__")


def test_what_a_call_raises_passes_and_is_not_told() -> None:
    told: list[object] = []
    wrapping = Wrapping(Guard())
    wrapping.wrap(Frame, "first", lambda *said: told.append(said))
    with pytest.raises(ValueError, match="-1"):
        Frame().first(-1)
    wrapping.restore()

    assert told == []


@pytest.mark.planted
def test_an_error_of_ours_is_counted_and_the_call_goes_on() -> None:
    guard = Guard()
    wrapping = Wrapping(guard)
    wrapping.wrap(Frame, "first", lambda *_: 1 // 0, before=lambda *_: {}["missing"])
    given = Frame().first(2)
    wrapping.restore()

    assert given == 2
    assert guard.counts == {"call: KeyError": 1, "call: ZeroDivisionError": 1}


def test_who_wraps_after_us_stays_and_we_tell_nothing_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(Frame, "first", Frame.first)
    wrapping = Wrapping(Guard())
    wrapping.wrap(Frame, "first", lambda *said: told.append(said))
    ours = Frame.first
    monkeypatch.setattr(Frame, "first", lambda self: ours(self) + 1)
    wrapping.restore()

    assert Frame().first() == 2
    assert told == []


class Lazy:
    def __init__(self) -> None:
        self.made = 0

    @property
    def each(self) -> int:
        """Count."""
        self.made += 1
        return self.made

    @cached_property
    def once(self) -> int:
        self.made += 1
        return self.made

    nothing = 3


@pytest.mark.parametrize(("name", "given", "told"), [("each", [1, 2], [1, 2]), ("once", [1, 1], [1])])
def test_what_makes_the_value_of_a_property_is_told(name: str, given: list[int], told: list[int]) -> None:
    heard: list[object] = []
    wrapping, known = Wrapping(Guard()), Lazy.__dict__[name]
    wrapping.wrap_property(Lazy, name, lambda _, args, kwargs, value, held: heard.append((args, kwargs, value, held)))
    lazy = Lazy()
    assert [getattr(lazy, name), getattr(lazy, name)] == given
    assert Lazy.__dict__[name].__doc__ == known.__doc__
    wrapping.restore()

    assert heard == [((), {}, value, None) for value in told]
    assert Lazy.__dict__[name] is known
    assert getattr(Lazy(), name) == 1
    assert len(heard) == len(told)


def test_what_is_no_property_stays_as_it_is() -> None:
    wrapping = Wrapping(Guard())
    for name in ("nothing", "absent", "made"):
        wrapping.wrap_property(Lazy, name, lambda *_: None)
    assert Lazy.nothing == 3
    assert not hasattr(Lazy, "absent")
    wrapping.restore()
