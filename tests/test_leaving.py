"""The ways a process leaves, each in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

WATCH = """
import os, signal, sys, time
from sac_kafka import leaving
def drain():
    print("drained", flush=True)
"""


def leave(code: str) -> tuple[int, list[str]]:
    done = subprocess.run([sys.executable, "-c", WATCH + code], capture_output=True, text=True, check=False, timeout=30)
    assert done.stderr == "" or "Error" in code, done.stderr
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("leaving.watch(drain); leaving.watch(drain)", (0, ["drained"])),
        ("leaving.watch(drain); sys.exit(3)", (3, ["drained"])),
        ("leaving.watch(drain); raise ValueError('Error')", (1, ["drained"])),
        ("leaving.watch(drain); os.kill(os.getpid(), signal.SIGTERM)", (-signal.SIGTERM, ["drained"])),
        (
            "signal.signal(signal.SIGTERM, lambda *a: (print('theirs', flush=True), sys.exit(5)));"
            "leaving.watch(drain); os.kill(os.getpid(), signal.SIGTERM)",
            (5, ["drained", "theirs", "drained"]),
        ),
        (
            "signal.signal(signal.SIGTERM, signal.SIG_IGN); leaving.watch(drain);"
            "os.kill(os.getpid(), signal.SIGTERM); print('alive', flush=True)",
            (0, ["alive", "drained"]),
        ),
        (
            "leaving.watch(drain)\nif os.fork() == 0: sys.exit(0)\nos.wait(); print('parent', flush=True)",
            (0, ["parent", "drained"]),
        ),
        (
            "leaving.watch(drain)\nif os.fork() == 0: os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)\n"
            "print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)",
            (0, ["-15", "drained"]),
        ),
    ],
    ids=["end", "exit", "exception", "sigterm", "chained", "ignored", "fork", "fork-sigterm"],
)
def test_leaving(code: str, expected: tuple[int, list[str]]) -> None:
    assert leave(code) == expected
