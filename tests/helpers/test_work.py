"""Counted work: what grows with the square of its input is found, what is linear passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.helpers.work import Text, assert_linear, steps


def test_the_same_work_is_the_same_count() -> None:
    assert len({steps(lambda: sorted(range(100), key=str)) for _ in range(5)}) == 1


@pytest.mark.parametrize(
    "read",
    [
        lambda text: [text[at:] for at in range(len(text))],
        lambda text: [text.find("x", at) for at in range(len(text))],
        lambda text: ["b" in text for _ in text],
        lambda text: [one for one in text for _ in text],
        lambda text: [text.split(",") for _ in text],
    ],
)
def test_what_grows_with_the_square_is_found(read: Callable[[str], object]) -> None:
    with pytest.raises(AssertionError, match="steps for 50"):
        assert_linear(lambda size: lambda: read(Text("a" * size)), 50)


@pytest.mark.parametrize(
    "read",
    [
        lambda text: text.split("a"),
        lambda text: [text.find("a", at) for at in range(len(text))],
        lambda text: sorted(text),
        lambda text: [text[at] for at in range(len(text))],
    ],
)
def test_what_is_linear_passes(read: Callable[[str], object]) -> None:
    assert_linear(lambda size: lambda: read(Text("a" * size)), 50)
