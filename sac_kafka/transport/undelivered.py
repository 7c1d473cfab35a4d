"""Keeps what another transport could not deliver: a wrapper that appends failed records to a private file.

One envelope a line in `<directory>/<application id>-<pid>.jsonl`. Replaying them is not done here.
"""

from __future__ import annotations

import errno
import getpass
import os
import re
import stat
import tempfile
from pathlib import Path

from sac_kafka.transport.base import Outcome, Position, Record, Transport
from sac_kafka.transport.lines import LineFile

SPOOLED = "spooled: "
LOST = "lost: "


def default_directory() -> Path:
    """Give `<system temp>/sac-kafka-<user>`."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user without a name
        user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"sac-kafka-{_file_name(user)}"


class UndeliveredFile:
    """Wraps `transport`; the outcome of a failed record begins with `spooled: `, or `lost: ` if it could not be kept.

    Args:
        transport: Where records go first.
        directory: Where the file goes, made (0700) when it is needed; None for `default_directory()`.
        application_id: Spark's, names the file.
    """

    def __init__(self, transport: Transport, directory: str | Path | None, application_id: str) -> None:
        self._transport = transport
        self._is_default = not directory
        self._directory = Path(directory) if directory else default_directory()
        self._application_id = _file_name(application_id)
        self._file: LineFile | None = None

    @property
    def name(self) -> str:
        """The name of the wrapped transport."""
        return self._transport.name

    @property
    def wrapped(self) -> Transport:
        """The transport that records go to first."""
        return self._transport

    @property
    def path(self) -> Path:
        """The file of this process; it exists once a record has failed."""
        return self._directory / f"{self._application_id}-{os.getpid()}.jsonl"

    def send(self, record: Record, outcome: Outcome) -> None:
        """Send the record through the wrapped transport, and keep it if that fails."""

        def kept(failed: Record, reason: str | None) -> None:
            outcome(failed, None if reason is None else self.keep(failed, reason))

        self._transport.send(record, kept)

    def keep(self, record: Record, reason: str) -> str:
        """Append a record to the file without trying to send it; gives the reason with its prefix."""
        try:
            self._opened().append(record.value)
        except OSError as error:
            return f"{LOST}{reason}; and {self.path} cannot be written: {error.strerror or error}"
        return SPOOLED + reason

    def service(self, timeout_seconds: float) -> None:
        """Serve the wrapped transport."""
        self._transport.service(timeout_seconds)

    def flush(self, timeout_seconds: float) -> int:
        """Flush the wrapped transport."""
        return self._transport.flush(timeout_seconds)

    def close(self, timeout_seconds: float) -> None:
        """Close the wrapped transport, whose last failures still go to the file, then the file."""
        self._transport.close(timeout_seconds)
        if self._file is not None:
            self._file.close()

    def problem(self) -> str | None:
        """Give the problem of the wrapped transport."""
        return self._transport.problem()

    def position(self) -> Position | None:
        """Give the position of the wrapped transport."""
        return self._transport.position()

    def _opened(self) -> LineFile:
        if self._file is None or self._file.path != self.path:  # another path: this is a forked child
            make_private(self._directory, is_default=self._is_default)
            self._file = LineFile(self.path, follow_links=False)
        return self._file


def make_private(directory: Path, *, is_default: bool) -> None:
    """Make the directory for its owner only; one in the system's temporary directory is checked.

    Raises:
        OSError: It cannot be made, or belongs to somebody else.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if is_default:
        _check_private(directory)


def _check_private(directory: Path) -> None:
    """See that the directory is the user's own: in the system's temporary directory others can make one of its name.

    Raises:
        PermissionError: It belongs to somebody else.
    """
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "getuid") and found.st_uid != os.getuid()):
        raise PermissionError(errno.EACCES, f"{directory} is a link or belongs to another user")
    if stat.S_IMODE(found.st_mode) & 0o077:
        directory.chmod(0o700)


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.-]", "_", text).lstrip(".")[:100] or "unknown"
