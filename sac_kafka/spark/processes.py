"""The Python processes that share a driver's JVM: which one a listener belongs to, and whether it still runs.

A process is written as its id and the time at which it started, since ids are used again.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path


def own() -> str:
    """Return this process."""
    return _process(os.getpid())


def numbers() -> Iterator[int]:
    """Count in a range of this process: what several processes of a driver number comes to one reader."""
    return itertools.count((os.getpid() << 32) + 1)


def shown(process: str) -> str:
    """Return the id of a process.

    >>> shown("4711 98765")
    '4711'
    """
    return process.partition(" ")[0]


def is_running(process: str) -> bool:
    """Return whether a process still runs on this machine; False for "", True where the system does not say."""
    if not process:
        return False
    if os.name != "posix":  # elsewhere `os.kill` would end it
        return True
    pid = int(shown(process))
    try:
        os.kill(pid, 0)
    except PermissionError:
        pass
    except OSError:
        return False
    return _process(pid) == process


def _process(pid: int) -> str:
    """Return the id of a process with its start in ticks since boot (proc(5)), where the system has it.

    A zombie counts as ended.
    """
    try:
        state, *others = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return str(pid)
    return "" if state == "Z" else f"{pid} {others[18]}"
