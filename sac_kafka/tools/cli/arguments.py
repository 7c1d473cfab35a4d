"""Parse numbers, seconds and points in time given on the command line."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from datetime import datetime, timezone

MAX = 1_000_000_000
"""The largest number that any command accepts."""
_MAX_SHOWN = 40


def number(minimum: int, maximum: int = MAX) -> Callable[[str], int]:
    """Return a parser of a number in a range, for `type` of an argument.

    The parser raises argparse.ArgumentTypeError.
    """

    def parse(text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(maximum))
        value = int(text) if is_number else -1
        if not minimum <= value <= maximum:
            raise argparse.ArgumentTypeError(f"{text[:_MAX_SHOWN]!r} is not a number from {minimum} to {maximum}")
        return value

    return parse


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


SINCE_HELP = "skip messages before this time: 30s, 5m, 2h or 7d ago, 2026-11-20 or 2026-11-20T09:00"
_AGO = re.compile(r"(\d{1,6})([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def since(text: str, *, clock: Callable[[], float] = time.time) -> int:
    """Return the time in epoch milliseconds; a time without a zone is local time.

    Raises:
        argparse.ArgumentTypeError: The text is no duration and no date.
    """
    ago = _AGO.fullmatch(text.strip())
    if ago:
        return int(clock() * 1000) - int(ago[1]) * _SECONDS[ago[2]] * 1000
    try:
        found = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        return int(found.astimezone(timezone.utc).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time: use 30s, 5m, 2h or 7d, or 2026-11-20T09:00 (with Z for UTC)"
        ) from None
