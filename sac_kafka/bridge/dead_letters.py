"""Keep events that could not be used in a file, from which they are replayed after an update or a change of settings."""

from __future__ import annotations

import os
from pathlib import Path

from sac_kafka.errors import SacKafkaError
from sac_kafka.guard import Guard
from sac_kafka.transport import private_files

MAX_BYTES = 8 * 1024 * 1024
"""Limit of what one process keeps of new events."""
NOT_KEPT = "rejected events that were not kept: the limit was reached, or they are nested too deeply"
_NAME, _REPLAYED = "rejected.jsonl", "replayed.jsonl"


class RejectedEvents:
    """The file of a bridge.

    Args:
        directory: Its directory, which exists.
        guard: The guard of writing.
        max_bytes: Limit of what is kept.
    """

    def __init__(self, directory: Path, guard: Guard, max_bytes: float = MAX_BYTES) -> None:
        self._path = directory / _NAME
        self._guard = guard
        self._max_bytes = max_bytes
        self._written = 0

    def keep(self, text: str) -> bool:
        """Keep an event; return whether there was room."""
        line = text.replace("\n", " ").encode(errors="replace") + b"\n"
        if self._written + len(line) > self._max_bytes:
            return False
        self._written += len(line)
        with self._guard("rejected"):
            descriptor = private_files.open_private(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                private_files.append(descriptor, line)
            finally:
                os.close(descriptor)
        return True


def begin_replay(directory: Path) -> Path:
    """Set the dead letters of a directory aside, and return their file. An interrupted replay is continued first.

    Raises:
        SacKafkaError: There are none.
    """
    path, aside = directory / _NAME, directory / _REPLAYED
    if not aside.exists():
        if not path.exists():
            raise SacKafkaError(f"no rejected events: {path} does not exist")
        path.replace(aside)
    return aside
