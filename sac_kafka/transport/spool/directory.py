"""Where the files of the spool are: a directory for its owner only, and never a link to somewhere else."""

from __future__ import annotations

import contextlib
import errno
import getpass
import os
import re
import stat
import tempfile
from pathlib import Path

REJECTED = "rejected"
FOREIGN = "foreign"
ARCHIVE = "archive"


def login_name() -> str:
    """Give the user's name; that of one without a name, as in containers, is its number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return str(os.getuid()) if hasattr(os, "getuid") else "user"


def user_name() -> str:
    """Give the user's name as part of a file name."""
    return file_name(login_name())


def default_directory() -> Path:
    """Give `<system temp>/sac-kafka-<user>`."""
    return Path(tempfile.gettempdir()) / f"sac-kafka-{user_name()}"


def make_private(directory: Path, *, is_default: bool) -> None:
    """Make the directory for its owner only; one in the system's temporary directory is checked.

    Raises:
        OSError: It cannot be made, or belongs to somebody else.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if is_default:
        _check_private(directory)


def writable_directory(named: str | Path | None) -> Path:
    """Give the directory that files can be made in, and make it: the one that is named, the default one for None.

    One that cannot be written is replaced by `<directory>-<user>`, as in Atlas' own spool
    (`org.apache.atlas.notification.spool.SpoolUtils`).

    Raises:
        OSError: Neither can be used; the reason is that of the one that was named.
    """
    directory = Path(named) if named else default_directory()
    try:
        return _made_writable(directory, is_default=not named)
    except OSError as error:
        if named:
            with contextlib.suppress(OSError):
                return _made_writable(_instead_of(directory), is_default=True)
        raise error


def found_directory(named: str | Path | None) -> Path:
    """Give the directory that `writable_directory` would give, without making any."""
    directory = Path(named) if named else default_directory()
    instead = _instead_of(directory)
    return instead if named and not is_writable(directory) and instead.is_dir() else directory


def check_found(directory: Path, named: str | Path | None) -> None:
    """See that a directory that was found is the user's own, unless it is the one that the user has named.

    Raises:
        OSError: It belongs to somebody else, or cannot be looked at.
    """
    if not named or directory != Path(named):
        _check_private(directory)


def passing_directory(named: str | Path | None) -> str | None:
    """Give a sentence where the directory goes with the application: YARN removes what its containers work in."""
    if not os.environ.get("CONTAINER_ID"):
        return None
    directory = found_directory(named)
    for place in filter(None, os.environ.get("LOCAL_DIRS", "").split(",")):
        if directory.resolve().is_relative_to(Path(place).resolve()):
            said = f"= {named}: YARN removes it" if named else f"is not set: YARN removes the default, {directory},"
            return f"atlas.hook.spool.dir {said} with the application; name a directory that outlives it"
    return None


def is_writable(directory: Path) -> bool:
    """Say whether files can be made in it."""
    return directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)


def file_name(text: str) -> str:
    """Make a text, such as an application's id, part of a file name."""
    return re.sub(r"[^\w.-]", "_", text).lstrip(".")[:100] or "unknown"


def _instead_of(directory: Path) -> Path:
    named = directory if directory.name else directory.absolute()  # "." has no name of its own
    return named.parent / f"{named.name}-{user_name()}"


def _made_writable(directory: Path, *, is_default: bool) -> Path:
    make_private(directory, is_default=is_default)
    if not is_writable(directory):
        raise PermissionError(errno.EACCES, "the directory cannot be written", str(directory))
    return directory


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
