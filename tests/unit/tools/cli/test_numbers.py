"""Whole numbers on the command line, alike for all commands."""

from __future__ import annotations

import argparse

import pytest

from sac_kafka.tools.cli.arguments import number


@pytest.mark.parametrize("text", ["0", "11", "-1", "+1", "", "x", "1.5", "1e1", "²", "٣", "007", "9" * 100_000])
def test_invalid_number_from_1_to_10(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        number(1, 10)(text)
    assert str(refused.value) == f"{text[:40]!r} is not a number from 1 to 10"


def test_limits_are_accepted() -> None:
    assert [number(0, 10)(text) for text in ("0", "01", "10")] == [0, 1, 10]
