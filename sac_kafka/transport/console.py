"""A transport that writes messages to standard output, one envelope JSON a line (`atlas.client.type=console`)."""

from __future__ import annotations

import sys
from typing import TextIO

from sac_kafka.transport.base import Failure, Immediate, Outcome, Record, Trouble, as_line


class ConsoleTransport(Immediate):
    """Writes the parts of each record to `stream`, by default what `sys.stdout` is at that moment."""

    name = "console"

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._problem: str | None = None

    def send(self, record: Record, outcome: Outcome) -> None:
        """Write the record and report it."""
        stream = self._stream or sys.stdout
        try:
            for value in record.values:
                stream.write(as_line(value).decode("utf-8", "backslashreplace"))
            stream.flush()
            self._problem = None
        except (OSError, ValueError, AttributeError) as error:  # gone, closed, or None in a process without console
            self._problem = f"cannot write to standard output: {error}"
        outcome(record, Failure(Trouble.PASSING, self._problem) if self._problem else None)

    def problem(self) -> str | None:
        """Give why the last record could not be written."""
        return self._problem
