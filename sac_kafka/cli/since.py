"""A time in the past on the command line: so long ago, or a date with a time."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from datetime import datetime, timezone

_AGO = re.compile(r"(\d{1,6})([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def since(text: str, *, clock: Callable[[], float] = time.time) -> int:
    """Read it as epoch milliseconds; a time without a zone is of this machine's.

    Args:
        text: As it is typed.
        clock: Epoch seconds.

    Raises:
        argparse.ArgumentTypeError: It is neither.
    """
    ago = _AGO.fullmatch(text.strip())
    if ago:
        return int(clock() * 1000) - int(ago[1]) * _SECONDS[ago[2]] * 1000
    try:
        found = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        return int(found.astimezone(timezone.utc).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time: write 30s, 5m, 2h or 7d, or 2026-11-20T09:00 (with Z for UTC)"
        ) from None
