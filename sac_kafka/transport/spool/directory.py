"""Find and create the spool directory, accessible to its owner only and never a link; build and parse the names of its files.

The name of a file has its writer, time and destination: `<application id>-<pid>-<started><salt>-<destination>-<number>.avro`;
`started` is epoch microseconds in hexadecimal, so that names sort by age. The files of a writer share all but the number.
"""

from __future__ import annotations

import contextlib
import errno
import getpass
import os
import re
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.log import logger

REJECTED = "rejected"
FOREIGN = "foreign"
ARCHIVE = "archive"
_SUFFIX = re.compile(r"[a-z0-9_]{8}")
"""Random suffix of a directory that Python's `tempfile.mkdtemp` creates."""
_FILE = re.compile(r"(?P<writer>.+-\d+-[0-9a-f]{17}-[0-9a-f]{8})-(?P<number>\d{6})\.avro")
_WRITER = re.compile(
    r"(?P<application>.+)-(?P<pid>\d+)-(?P<started>[0-9a-f]{13})(?P<salt>[0-9a-f]{4})-(?P<destination>[0-9a-f]{8})"
)


def login_name() -> str:
    """Return the user's name, or the uid for a user without a name, as in containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return str(os.getuid()) if hasattr(os, "getuid") else "user"


def user_name() -> str:
    """Return the user's name as part of a file name."""
    return file_name(login_name())


def default_directory() -> Path:
    """Return `<system temp>/sac-kafka-<user>`."""
    return Path(tempfile.gettempdir()) / f"sac-kafka-{user_name()}"


def make_private(directory: Path, *, is_default: bool) -> None:
    """Create the directory for its owner only; check the owner of the default one, which is in a shared directory.

    Raises:
        OSError: The directory cannot be created, or belongs to another user.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if is_default:
        _check_private(directory)


def writable_directory(named: str | Path | None) -> Path:
    """Return the named directory, or the default one, and create it if needed.

    A named one that cannot be written is replaced by `<directory>-<user>`, as in Atlas' own spool
    (`org.apache.atlas.notification.spool.SpoolUtils`); this one and the default, if another user has taken the name, by a
    directory with a random suffix, which later processes of this user find.

    Raises:
        OSError: None can be used; the reason is that of the named or default one.
    """
    directory = Path(named) if named else found_directory(None)
    try:
        return _made_writable(directory, is_default=not named)
    except OSError as error:
        with contextlib.suppress(OSError):
            return _replacement_for(_private_name(named), error)
        raise error


def _replacement_for(directory: Path, why: OSError) -> Path:
    with contextlib.suppress(OSError):
        return _made_writable(_found_private(directory), is_default=True)
    made = Path(tempfile.mkdtemp(prefix=f"{directory.name}-", dir=directory.parent))
    logger.warning("%s cannot be used (%s): undelivered messages go to %s", directory, why.strerror or why, made)
    return made


def found_directory(named: str | Path | None) -> Path:
    """Return the directory that `writable_directory` would return, without creating any."""
    if named and (is_writable(Path(named)) or not _found_private(_private_name(named)).is_dir()):
        return Path(named)
    return _found_private(_private_name(named))


def _private_name(named: str | Path | None) -> Path:
    """Return `<directory>-<user>` for a named directory, else the default one."""
    if not named:
        return default_directory()
    directory = Path(named) if Path(named).name else Path(named).absolute()  # The name of "." is empty.
    return directory.parent / f"{directory.name}-{user_name()}"


def _found_private(directory: Path) -> Path:
    """Return the directory if it is this user's, else an existing one with a suffix, else the directory."""
    return directory if _is_own(directory) else next(_with_suffix(directory), directory)


def _with_suffix(directory: Path) -> Iterator[Path]:
    """Yield this user's directories with the name of a directory and a random suffix, in order."""
    try:
        with os.scandir(directory.parent) as entries:
            start = f"{directory.name}-"
            names = sorted(entry.name for entry in entries if entry.name.startswith(start))
    except OSError:
        return
    for name in names:
        if _SUFFIX.fullmatch(name, len(start)) and _is_own(directory.with_name(name)):
            yield directory.with_name(name)


def check_owner(directory: Path, named: str | Path | None) -> None:
    """Check that a directory belongs to the user, unless the settings name it.

    Raises:
        OSError: It belongs to another user, or cannot be examined.
    """
    if not named or directory != Path(named):
        _check_private(directory)


def ephemeral_directory_warning(named: str | Path | None) -> str | None:
    """Return a warning if the directory is deleted with the application: YARN removes its containers' local directories."""
    if not os.environ.get("CONTAINER_ID"):
        return None
    directory = found_directory(named)
    for place in filter(None, os.environ.get("LOCAL_DIRS", "").split(",")):
        if directory.resolve().is_relative_to(Path(place).resolve()):
            state = f"= {named}: YARN removes it" if named else f"is not set: YARN removes the default, {directory},"
            return f"atlas.hook.spool.dir {state} with the application; name a directory that outlives it"
    return None


def is_writable(directory: Path) -> bool:
    """Return whether files can be created in a directory."""
    return directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)


def file_name(text: str) -> str:
    """Convert a text, such as an application's id, to a part of a file name."""
    return re.sub(r"[^\w.-]", "_", text).lstrip(".")[:100] or "unknown"


def _made_writable(directory: Path, *, is_default: bool) -> Path:
    make_private(directory, is_default=is_default)
    if not is_writable(directory):
        raise PermissionError(errno.EACCES, "the directory cannot be written", str(directory))
    return directory


def _check_private(directory: Path) -> None:
    """Check that the directory belongs to the user: others can create one of its name in the system's temporary directory.

    Raises:
        PermissionError: It belongs to another user, or is a link.
    """
    if not _is_own(directory):
        raise PermissionError(errno.EACCES, f"{directory} is a link or belongs to another user")
    if stat.S_IMODE(directory.lstat().st_mode) & 0o077:
        directory.chmod(0o700)


def _is_own(directory: Path) -> bool:
    """Return whether it is a directory of this user, and no link."""
    try:
        found = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


@dataclass(frozen=True, slots=True)
class WriterId:
    """Identity of a writer: one spool of one process. `started_us` is epoch microseconds."""

    application: str
    pid: int
    started_us: int
    salt: str
    destination: str

    @classmethod
    def new(cls, application: str, destination: str) -> WriterId:
        """Return a new identity for this process, as of now."""
        now_us = time.time_ns() // 1000
        return cls(file_name(application), os.getpid(), now_us, secrets.token_hex(2), destination)

    @classmethod
    def read(cls, text: str) -> WriterId | None:
        """Parse a writer's name, None if it is invalid."""
        found = _WRITER.fullmatch(text)
        if found is None:
            return None
        application, pid, started, salt, destination = found.groups()
        return cls(application, int(pid), int(started, 16), salt, destination)

    @property
    def name(self) -> str:
        """Part of file names that identifies the writer."""
        return f"{self.application}-{self.pid}-{self.started_us:013x}{self.salt}-{self.destination}"

    @property
    def lock_name(self) -> str:
        """Name of the file that is locked as long as the writer lives."""
        return f"{self.name}.lock"

    def file_name(self, number: int) -> str:
        """Return the name of the writer's file with this number."""
        return f"{self.name}-{number:06d}.avro"


def read_file_name(name: str) -> tuple[WriterId, int] | None:
    """Return writer and number of a spool file, None for other files.

    >>> read_file_name("app_1-42-064cb2f0a11c041e7-5b21d0aa-000001.avro")[0].application
    'app_1'
    """
    found = _FILE.fullmatch(name)
    writer = WriterId.read(found["writer"]) if found else None
    return None if found is None or writer is None else (writer, int(found["number"]))
