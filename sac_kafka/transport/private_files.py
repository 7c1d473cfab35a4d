"""Files for their owner only, in directories that others may write to: one way to open, read and replace each of them.

No link is followed, a pipe or device neither hangs nor fills the memory, what another user has put there is not believed,
and a new file is new. Where there are no users (Windows) all files are the own ones.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from pathlib import Path

_SAFE = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_STALE_SECONDS = 3600.0
_DRAFT = "draft"


def opened(path: Path, flags: int, *, of_anyone: bool = False) -> int:
    """Open a regular file; where `flags` make it, it is 0600.

    Args:
        path: The file.
        flags: As of `os.open`.
        of_anyone: It may be another user's.

    Returns:
        The descriptor.

    Raises:
        OSError: It cannot be opened, is a link or no regular file, or belongs to somebody else.
    """
    try:
        descriptor = os.open(path, flags | _SAFE, 0o600)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK}:  # EMLINK: FreeBSD
            raise OSError(errno.ELOOP, "it is a link", str(path)) from None
        if error.errno == errno.ENXIO:
            raise _irregular(path) from None
        raise
    try:
        _check(os.fstat(descriptor), path, of_anyone=of_anyone)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def created(path: Path) -> int:
    """Make a file (0600) to be read and appended to.

    Returns:
        The descriptor.

    Raises:
        OSError: It is there already, or cannot be made.
    """
    return opened(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND)


def read(path: Path, most_bytes: int, *, of_anyone: bool = False) -> bytes:
    """Read a whole file.

    Raises:
        OSError: As of `opened`, or the file is longer than `most_bytes`.
    """
    descriptor = opened(path, os.O_RDONLY, of_anyone=of_anyone)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"it is longer than {most_bytes} bytes", str(path))
    return data


def replace(path: Path, data: bytes) -> None:
    """Put the data in the place of what the file holds, whole or not at all; drafts that were left behind are removed.

    Raises:
        OSError: It cannot be written; the file is as it was.
    """
    _remove_stale_drafts(path)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}.{_DRAFT}")
    descriptor = created(draft)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def is_root() -> bool:
    """Say whether this process may do everything."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _check(found: os.stat_result, path: Path, *, of_anyone: bool) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _irregular(path)
    if not of_anyone and hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise PermissionError(errno.EACCES, "it belongs to another user", str(path))


def _irregular(path: Path) -> OSError:
    return OSError(errno.EINVAL, "it is no regular file", str(path))


def _remove_stale_drafts(path: Path) -> None:
    """Of processes that were killed between draft and file."""
    now = time.time()
    for draft in path.parent.glob(f"{path.name}.*.{_DRAFT}"):
        with contextlib.suppress(OSError):  # its writer has ended it
            if now - draft.lstat().st_mtime > _STALE_SECONDS:
                draft.unlink()
