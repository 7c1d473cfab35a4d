"""Ways in which a process exits, each in a separate process."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.spooled import kept, texts

WATCH = """
import os, signal, sys, time
from sac_kafka.hook import exits
def drain():
    print("drained", flush=True)
"""


def leave(code: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", WATCH + code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stderr == "" or "Error" in code, done.stderr
    return done.returncode, done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("exits.watch(drain); exits.watch(drain)", (0, ["drained"])),
        ("exits.watch(drain); sys.exit(3)", (3, ["drained"])),
        ("exits.watch(drain); raise ValueError('Error')", (1, ["drained"])),
        ("exits.watch(drain); os.kill(os.getpid(), signal.SIGTERM)", (-signal.SIGTERM, ["drained"])),
        (
            "signal.signal(signal.SIGTERM, lambda *a: (print('theirs', flush=True), sys.exit(5)));"
            "exits.watch(drain); os.kill(os.getpid(), signal.SIGTERM)",
            (5, ["theirs", "drained"]),
        ),
        (
            "signal.signal(signal.SIGTERM, lambda *a: print('theirs', flush=True));"
            "exits.watch(drain); os.kill(os.getpid(), signal.SIGTERM); print('goes on', flush=True)",
            (0, ["theirs", "goes on", "drained"]),
        ),
        (
            "signal.signal(signal.SIGTERM, signal.SIG_IGN); exits.watch(drain);"
            "os.kill(os.getpid(), signal.SIGTERM); print('alive', flush=True)",
            (0, ["alive", "drained"]),
        ),
        (
            "import threading; first = threading.Thread(target=exits.watch, args=[drain]); first.start(); first.join();"
            "exits.watch(drain); os.kill(os.getpid(), signal.SIGTERM)",
            (-signal.SIGTERM, ["drained"]),
        ),
        (
            "def hurry(): print('hurried', flush=True)\n"
            "def slow(): drain(); os.kill(os.getpid(), signal.SIGTERM) if calls.append(0) or len(calls) == 1 else None\n"
            "calls = []; exits.watch(slow, hurry)",
            (-signal.SIGTERM, ["drained", "hurried", "drained"]),
        ),
        (
            "def hurry(): print('hurried', flush=True)\nsys.modules['ipykernel'] = sys\n"
            "exits.watch(drain, hurry); os.kill(os.getpid(), signal.SIGTERM)",
            (-signal.SIGTERM, ["hurried", "drained"]),
        ),
        (
            "def hurry(): print('hurried', flush=True)\n"
            "exits.watch(drain, hurry); os.kill(os.getpid(), signal.SIGTERM)",
            (-signal.SIGTERM, ["drained"]),
        ),
        (
            "exits.watch(drain)\nif os.fork() == 0: sys.exit(0)\nos.wait(); print('parent', flush=True)",
            (0, ["parent", "drained"]),
        ),
        (
            "exits.watch(drain)\nif os.fork() == 0: os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)\n"
            "print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)",
            (0, ["-15", "drained"]),
        ),
        (
            "exits.watch(drain)\nif os.fork() == 0: exits.watch(drain); os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)\n"
            "print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)",
            (0, ["drained", "-15", "drained"]),
        ),
    ],
    ids=[
        "end",
        "exit",
        "exception",
        "sigterm",
        "chained",
        "graceful",
        "ignored",
        "main-thread-later",
        "sigterm-while-leaving",
        "sigterm-of-jupyter",
        "sigterm-before",
        "fork",
        "fork-sigterm",
        "fork-attaches",
    ],
)
def test_a_driver_may_end_in_many_ways(code: str, expected: tuple[int, list[str]]) -> None:
    assert leave(code) == expected


HANGING = """
import os, signal, sys, threading, time
from pathlib import Path
from sac_kafka.hook import exits
from sac_kafka.transport.base import Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.settings.spool import SpoolFiles
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.spool import Spool

class Hanging(MemoryTransport):
    def send(self, record, outcome):
        if record.values[0] == b"2":
            hangs.set()
            time.sleep(60)

hangs = threading.Event()
spool = Spool(Hanging(), Options(files=SpoolFiles(dir=sys.argv[1])), "app")

def work():
    for number in range(3):
        spool.send(Record("T", b"k", (b"%d" % number,)), print)

def drain():
    spool.abandon("it hung")
    print(dict(spool.counts), flush=True)

exits.watch(drain)
threading.Thread(target=work, daemon=True).start()
hangs.wait(60)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
while True:
    spool.counts, spool.reasons  # holds the lock when the signal comes, most of the time
"""


@pytest.mark.slow
def test_records_in_flight_of_a_hanging_worker_are_spooled(tmp_path: Path) -> None:
    code = [sys.executable, "-c", HANGING, str(tmp_path)]
    done = subprocess.run(code, capture_output=True, text=True, check=False, timeout=120)

    assert (done.returncode, done.stderr) == (-signal.SIGTERM, "")
    counts = done.stdout.splitlines()[-1]
    assert "'spooled': 3" in counts
    assert "'dropped': 0" in counts
    assert texts(kept(tmp_path)) == [b"0", b"1", b"2"]
