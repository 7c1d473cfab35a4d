"""Parse a point in time given on the command line: a duration before now, or a date with an optional time."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from datetime import datetime, timezone

SINCE_HELP = "skip messages before this time: 30s, 5m, 2h or 7d ago, 2026-11-20 or 2026-11-20T09:00"
_AGO = re.compile(r"(\d{1,6})([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def since(text: str, *, clock: Callable[[], float] = time.time) -> int:
    """Return the time in epoch milliseconds; a time without a zone is local time.

    Args:
        text: The argument.
        clock: Returns epoch seconds.

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
