"""A whole number on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable

MOST = 1_000_000_000
"""The largest that any command takes."""


def number(least: int, most: int = MOST) -> Callable[[str], int]:
    """Give what reads one, for `type` of an argument.

    Args:
        least: The smallest that is taken, 0 at least.
        most: The largest.

    Returns:
        A function of the text that raises argparse.ArgumentTypeError where it is none of these.
    """

    def read(text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        given = int(text) if is_number else -1
        if not least <= given <= most:
            raise argparse.ArgumentTypeError(f"{text[:_SHOWN]!r} is not a number from {least} to {most}")
        return given

    return read


_SHOWN = 40
