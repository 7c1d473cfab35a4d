"""Parse a whole number given on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable

MAX = 1_000_000_000
"""The largest number that any command accepts."""
_MAX_SHOWN = 40


def number(minimum: int, maximum: int = MAX) -> Callable[[str], int]:
    """Return a parser of a number in a range, for `type` of an argument.

    Args:
        minimum: The smallest allowed number, at least 0.
        maximum: The largest allowed number.

    Returns:
        A function of the text that raises argparse.ArgumentTypeError if it is no such number.
    """

    def parse(text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(maximum))
        value = int(text) if is_number else -1
        if not minimum <= value <= maximum:
            raise argparse.ArgumentTypeError(f"{text[:_MAX_SHOWN]!r} is not a number from {minimum} to {maximum}")
        return value

    return parse
