"""Run a command and print the CPU time of all its processes.

    python3 dev/cpu_time.py [--ledger FILE NAME] COMMAND…

Machines differ in speed and are shared, so CPU time (user + system) says more than wall time; still, compare two commits
only on one machine. On Linux orphans count, too, such as a JVM that outlives the Python that started it. Needs nothing but
Python's standard library, so that it runs before the virtual environment exists.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
"""`prctl(2)`: orphans among the descendants become children of this process, whose time it can then read."""


def main(arguments: list[str]) -> int:
    """Run the command and print its time; return its exit status, 128 + n if signal n ended it."""
    ledger, name = (Path(arguments[1]), arguments[2]) if arguments[0] == "--ledger" else (None, "")
    with contextlib.suppress(OSError, AttributeError):  # not on Linux
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    start = time.monotonic()
    process = subprocess.Popen(arguments[3:] if ledger else arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command gets it from the terminal itself
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    status = _wait_for(process.pid)
    user, system = _children_seconds()
    wall = time.monotonic() - start
    sys.stdout.write(
        f"CPU {_minutes(user + system)} (user {_minutes(user)}, system {_minutes(system)}), wall {_minutes(wall)}\n"
    )
    if ledger:
        with ledger.open("a") as file:
            verdict = "ok" if status == 0 else f"FAILED ({status})"
            file.write(f"{name:<32} {(user + system) / 60:6.1f} min CPU {wall / 60:6.1f} min wall  {verdict}\n")
    return status


def _wait_for(pid: int) -> int:
    """Wait for the command, and reap each orphan that ends before it."""
    while True:
        ended, status = os.wait()
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _children_seconds() -> tuple[float, float]:
    """Return user and system seconds of all descendants: those that have ended, and orphans that still run."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = ended.ru_utime, ended.ru_stime
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            fields = file.read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                tick = os.sysconf("SC_CLK_TCK")
                user += (int(fields[11]) + int(fields[13])) / tick
                system += (int(fields[12]) + int(fields[14])) / tick
    return user, system


def _minutes(seconds: float) -> str:
    minutes, left = divmod(seconds, 60)
    return f"{minutes:.0f} min {left:02.0f} s" if minutes else f"{left:.1f} s"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
