"""A transport that appends messages to a file, one envelope JSON a line (`atlas.client.type=file`)."""

from __future__ import annotations

from pathlib import Path

from sac_kafka.transport.base import Failure, Immediate, Outcome, Position, Record, Trouble
from sac_kafka.transport.lines import LineFile


class FileTransport(Immediate):
    """Appends the parts of each record to `path`; a record is delivered once the operating system has it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = f"file {self.path}"
        self._file = LineFile(self.path)
        self._problem: str | None = None
        self._last: Position | None = None

    def send(self, record: Record, outcome: Outcome) -> None:
        """Append the record and report it."""
        try:
            for value in record.values:
                self._file.append(value)
            self._problem = None
            self._last = self._position(record.size + len(record.values))
        except OSError as error:
            why = error.strerror or error
            self._problem = f"cannot append to {self.path}: {why}; make it writable, or set atlas.client.file.path"
        outcome(record, Failure(Trouble.PASSING, self._problem) if self._problem else None)

    def close(self, timeout_seconds: float) -> None:  # noqa: ARG002 (the protocol's signature)
        """Close the file."""
        self._file.close()

    def problem(self) -> str | None:
        """Give why the last record could not be appended."""
        return self._problem

    def position(self) -> Position | None:
        """Give the bytes of the last record."""
        return self._last

    def _position(self, length: int) -> Position:
        end = self._file.end
        return Position(str(self.path.absolute()), max(0, end - length), end)
