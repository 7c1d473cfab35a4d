"""Ports on loopback: finding free ones, and a clear error for one in use.

A port that was found is this process' as long as it lives: no other process that asks here is given it, even before
a server listens on it, or while one is down between kill and restart.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from stack.errors import StackError

LOOPBACK = "127.0.0.1"

# Below the ports that Linux and macOS hand to outgoing connections: while a broker is down between kill and restart,
# no client can be given its port.
_RANGE = range(20_000, 32_000)
_given: set[int] = set()


def free_port(taken: frozenset[int] = frozenset()) -> int:
    """Return a port without a listener, that was not given before, and that is not in `taken`."""
    for port in random.SystemRandom().sample(_RANGE, 200):
        if port not in taken and port not in _given and _reserved(port) and is_free(port):
            _given.add(port)
            return port
    raise StackError(f"no free port between {_RANGE.start} and {_RANGE.stop} on {LOOPBACK}")


def is_free(port: int) -> bool:
    """Tell whether a server could listen on the port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that are just closing do not count
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _reserved(port: int) -> bool:
    """Take the port's byte of a file that all processes of this user share; the end of this process gives it back."""
    file = _reservations()
    if file is None:
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


@cache
def _reservations() -> int | None:
    """Open the file, once: to close it gives back every byte. None where it is not this user's to write."""
    place = Path(tempfile.gettempdir()) / f"sac-kafka-ports-{os.getuid()}"
    try:
        return os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None


def require_free(ports: Mapping[str, int], fix: str) -> None:
    """Raise one error that names every port of these that is in use."""
    taken = [f"{port} ({name})" for name, port in ports.items() if not is_free(port)]
    if taken:
        raise StackError(f"in use on {LOOPBACK}: port {', '.join(taken)}. {fix}")
