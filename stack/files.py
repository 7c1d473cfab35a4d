"""Small dealings with files that several parts of the stack have in common: private files, locks, the end of a log."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stack.errors import StackError

LOCK_POLL_SECONDS = 0.1


def write_private(path: Path, content: bytes | str) -> None:
    """Write a file that only its owner may read; never for a moment with wider permissions."""
    data = content.encode() if isinstance(content, str) else content
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o600)  # a file that was there before keeps its mode otherwise
        file.write(data)


@contextmanager
def locked(path: Path, timeout_seconds: float) -> Iterator[None]:
    """Hold the lock file: one process (or thread) at a time; a process that dies lets go of it by itself."""
    deadline = time.monotonic() + timeout_seconds
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StackError(f"{path} has been locked by another process for {timeout_seconds:.0f} s") from None
                time.sleep(LOCK_POLL_SECONDS)
        yield


def is_locked(path: Path) -> bool:
    """Tell whether a living process holds the lock file."""
    if not path.exists():
        return False
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # two who ask do not take one another for the holder
        except BlockingIOError:
            return True
    return False


def tail(log: Path, lines: int = 25) -> str:
    """Return the last lines of a log, indented, for an error message."""
    if not log.is_file():
        return f"  (no log at {log})"
    text = log.read_text(errors="replace").splitlines()
    return "\n".join(f"  | {line[:400]}" for line in text[-lines:]) or f"  ({log} is empty)"
