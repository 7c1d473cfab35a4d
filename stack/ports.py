"""Ports on loopback: finding free ones, and saying clearly that a wanted one is taken."""

from __future__ import annotations

import random
import socket
from collections.abc import Mapping

from stack.errors import StackError

LOOPBACK = "127.0.0.1"

# Below the ports that Linux and macOS hand to outgoing connections: while a broker is down between kill and restart,
# nobody's client can be given its port.
_RANGE = range(20_000, 32_000)


def free_port(taken: frozenset[int] = frozenset()) -> int:
    """Return a port that nobody listens on and that is not in `taken`."""
    for port in random.SystemRandom().sample(_RANGE, 200):
        if port not in taken and is_free(port):
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


def require_free(ports: Mapping[str, int], cure: str) -> None:
    """Raise one error that names every port of these that is in use."""
    taken = [f"{port} ({name})" for name, port in ports.items() if not is_free(port)]
    if taken:
        raise StackError(f"in use on {LOOPBACK}: port {', '.join(taken)}. {cure}")
