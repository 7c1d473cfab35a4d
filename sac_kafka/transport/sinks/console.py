"""The sink that writes messages to standard output, drawn for people (`atlas.client.type=console`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from sac_kafka.readable.drawing import text
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Immediate, Record
from sac_kafka.transport.sinks.sink import Sink

Show = Callable[[Sequence[bytes], "str | None"], str]
"""Makes text of a record's parts, for a stream of an encoding."""


class ConsoleTransport(Immediate):
    """Writes each record, as `show` makes text of it, to `stream`, by default what `sys.stdout` is at that moment."""

    name = "console"

    def __init__(self, show: Show, stream: TextIO | None = None) -> None:
        self._show = show
        self._stream = stream

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Write the record and report it."""
        stream = self._stream or sys.stdout
        try:
            stream.write(self._show(record.values, stream.encoding))
            stream.flush()
            self._problem = None
        except (OSError, ValueError, AttributeError) as error:  # gone, closed, or None in a process without console
            self._problem = f"cannot write to standard output: {error}"
        outcome(Failure(FailureKind.TRANSIENT, self._problem) if self._problem else None)


SINK = Sink(make=lambda _, __: ConsoleTransport(text), shown=lambda _: "console", address=None)
