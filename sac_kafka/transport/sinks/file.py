"""Sink that appends messages to a file, one JSON envelope per line (`atlas.client.type=file`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import mask_value
from sac_kafka.settings import Settings
from sac_kafka.stages.output import Position
from sac_kafka.transport import private_files
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Immediate, Record, as_line
from sac_kafka.transport.driver import Driver
from sac_kafka.transport.sinks.sink import Sink
from sac_kafka.transport.spool.directory import is_writable

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class LineFile:
    """Append one line at a time; the file is created (0600) and opened by the first append.

    The path comes from the user, so it may be a link or a device, such as /dev/stdout, but none that another user has put into a
    directory that everybody may write to.

    A file that was moved or removed is created again, so that it can be rotated. `append` returns after the line was
    written to the operating system, so it survives the end of the process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def append(self, value: bytes) -> None:
        """Append JSON as one line.

        Raises:
            OSError: The file cannot be opened or written; a partially written line was truncated.
        """
        if self._descriptor is not None and not self._is_at_path(self._descriptor):
            self.close()
        if self._descriptor is None:
            self._descriptor = private_files.open_for_user(self.path, _FLAGS)
        private_files.append(self._descriptor, as_line(value))

    @property
    def end(self) -> int:
        """Size of the open file in bytes, 0 if it is closed."""
        return 0 if self._descriptor is None else os.fstat(self._descriptor).st_size

    def close(self) -> None:
        """Close the file; the next append opens it again."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def _is_at_path(self, descriptor: int) -> bool:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return False
        except OSError:
            return True  # Opening it would fail, too.
        ours = os.fstat(descriptor)
        return (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)


class FileTransport(Immediate):
    """Append the parts of each record to `path`; a record is delivered once it is written to the operating system."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = f"file {self.path}"
        self._file = LineFile(self.path)
        self._last: Position | None = None

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Append the record and report it."""
        try:
            for value in record.values:
                self._file.append(value)
            self._problem = None
            self._last = self._position(record.size + len(record.values))
        except OSError as error:
            reason = error.strerror or error
            self._problem = f"cannot append to {self.path}: {reason}; make it writable, or set atlas.client.file.path"
        outcome(Failure(FailureKind.TRANSIENT, self._problem) if self._problem else None)

    def close(self, timeout_seconds: float) -> None:  # noqa: ARG002 (the protocol's signature)
        """Close the file."""
        self._file.close()

    def position(self) -> Position | None:
        """Return the byte range of the last record."""
        return self._last

    def _position(self, length: int) -> Position:
        end = self._file.end
        return Position(str(self.path.absolute()), max(0, end - length), end)


def _make(settings: Settings, driver: Driver | None) -> FileTransport:  # noqa: ARG001 (all sinks have one signature)
    if settings.sink.file_path is None:
        raise ConfigurationError("atlas.client.file.path is not set; set it to the file that messages are appended to")
    path = Path(settings.sink.file_path)
    for problem in _report_planted_file(path):
        raise ConfigurationError(problem)
    if path.is_dir():
        raise ConfigurationError(f"atlas.client.file.path = {path}: is a directory; name a file in it")
    if not path.parent.is_dir():
        raise ConfigurationError(
            f"atlas.client.file.path = {path}: {path.parent} is no directory; create it, or name another file"
        )
    return FileTransport(path)


def _report_planted_file(path: Path) -> Iterator[str]:
    """Yield the problem if another user may have put the file, or a directory of its path, where it is."""
    try:
        private_files.check_path(path)
    except OSError as error:
        yield f"atlas.client.file.path = {path}: {error.strerror}; name a file in a directory of your own"


def _problems(settings: Settings) -> Iterator[str]:
    if settings.sink.file_path is None:
        return
    path = Path(settings.sink.file_path)
    yield from _report_planted_file(path)
    if not (os.access(path, os.W_OK) if path.exists() else is_writable(path.absolute().parent)):
        yield f"atlas.client.file.path = {path}: cannot be written; name another file, or correct the permissions"


SINK = Sink(
    make=_make,
    describe=lambda settings: f"file {mask_value(settings.sink.file_path or '')}",
    address=lambda settings: str(Path(settings.sink.file_path or "").absolute()),
    problems=_problems,
)
