"""Sink that writes messages to standard output in readable form (`atlas.client.type=console`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Immediate, Record
from sac_kafka.transport.sinks.sink import Sink

Render = Callable[[Sequence[bytes], "str | None"], str]
"""Render a record's parts as text for a stream with this encoding."""


class ConsoleTransport(Immediate):
    """Write each record as text to `stream`, or to the current `sys.stdout`."""

    name = "console"

    def __init__(self, render: Render, stream: TextIO | None = None) -> None:
        self._render = render
        self._stream = stream

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Write the record and report it."""
        stream = self._stream or sys.stdout
        try:
            stream.write(self._render(record.values, stream.encoding))
            stream.flush()
            self._problem = None
        except (OSError, ValueError, AttributeError) as error:  # Closed, or None in a process without a console.
            self._problem = f"cannot write to standard output: {error}"
        outcome(Failure(FailureKind.TRANSIENT, self._problem) if self._problem else None)


def _console() -> ConsoleTransport:
    """Return the sink; only it loads the tool that draws lineage."""
    from sac_kafka.tools.graph.drawing import text

    return ConsoleTransport(text)


SINK = Sink(make=lambda _, __: _console(), describe=lambda _: "console", address=None)
