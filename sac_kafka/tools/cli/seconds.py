"""Parse a number of seconds given on the command line."""

from __future__ import annotations

import argparse

_MAX_SECONDS = 86_400


def seconds(text: str) -> float:
    """Return the number of seconds.

    Raises:
        argparse.ArgumentTypeError: The text is no number, or out of range.
    """
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= _MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0 and up to {_MAX_SECONDS}")
    return value
