"""Starts server processes that never outlive the process that started them, and ends them in a bounded time.

On Linux the kernel kills the server when its parent dies, however that happens. The trap: what it watches is the
*thread* that started the server. So a thread of this module, which lives as long as the interpreter, starts them all.
Elsewhere (macOS) a parent that is killed with SIGKILL leaves the server behind; `stop` ends it in every other case.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

START_TIMEOUT_SECONDS = 60
STOP_TIMEOUT_SECONDS = 20
KILL_TIMEOUT_SECONDS = 60

_starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="stack-starter")


def start(command: Sequence[str], log: Path, folder: Path | None = None) -> subprocess.Popen[bytes]:
    """Start a server in a separate session (Ctrl-C does not reach it); its output is appended to the log.

    Args:
        command: The program and its arguments.
        log: The file for its output.
        folder: The working directory of the server; that of this process by default.
    """
    return _starter.submit(_start, command, log, folder).result(START_TIMEOUT_SECONDS)


def stop(process: subprocess.Popen[bytes], timeout_seconds: float = STOP_TIMEOUT_SECONDS) -> None:
    """End a server in order, or by SIGKILL when it takes longer than the timeout."""
    process.terminate()
    try:
        process.wait(timeout_seconds)
    except subprocess.TimeoutExpired:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a server at once (SIGKILL)."""
    process.kill()
    process.wait(KILL_TIMEOUT_SECONDS)


def _start(command: Sequence[str], log: Path, folder: Path | None) -> subprocess.Popen[bytes]:
    tether: list[str] = []
    if sys.platform == "linux":
        tether = [sys.executable, "-I", "-S", str(Path(__file__).with_name("tether.py")), str(os.getpid())]
    with log.open("ab") as output:
        return subprocess.Popen(
            [*tether, *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            start_new_session=True,
        )
