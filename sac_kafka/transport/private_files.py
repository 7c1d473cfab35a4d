"""Open, read and replace files, for their owner only unless a mode says otherwise, in directories that others may write to.

Links are not followed, pipes and devices neither block nor fill the memory, files of other users are refused, and a
created file did not exist before. On Windows, which has no uid, every file counts as the user's own.

A file that the user names (`open_for_user`) may be a link or a device, except where another user may have put it: in a
directory that everybody may write to its owner must be this user or that of the directory, as for Linux'
`fs.protected_symlinks`.
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
_PRIVATE = 0o600
_STALE_SECONDS = 3600.0
_DRAFT = "draft"


def open_private(path: Path, flags: int, *, of_anyone: bool = False) -> int:
    """Return the descriptor of a regular file of this user, or `of_anyone`; if `flags` create it, its mode is 0600.

    Raises:
        OSError: The file cannot be opened, is a link or no regular file, or belongs to another user.
    """
    try:
        descriptor = os.open(path, flags | _SAFE, _PRIVATE)
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


def open_for_user(path: Path, flags: int) -> int:
    """Return the descriptor of a file that the user names; if `flags` create it, its mode is 0600.

    Raises:
        OSError: The file cannot be opened, or another user may have put it there.
    """
    check_path(path)
    is_exposed = _is_exposed(path.parent.stat())
    unfollowed = getattr(os, "O_NOFOLLOW", 0) if is_exposed and not path.is_symlink() else 0
    descriptor = os.open(path, flags | (_SAFE & ~getattr(os, "O_NOFOLLOW", 0)) | unfollowed, _PRIVATE)
    try:
        found = os.fstat(descriptor)
        if is_exposed and (_is_foreign(found, path.parent.stat()) or found.st_nlink > 1):
            raise _planted_error(path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def check_path(path: Path) -> None:
    """Check a path that the user names, and that to which its links lead, for parts that another user may have put there.

    Raises:
        OSError: There is one, or a part cannot be examined. A missing part is no error.
    """
    for checked in dict.fromkeys((path.absolute(), Path(os.path.realpath(path)))):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for part in (*reversed(checked.parents), checked):
                directory = part.parent.stat()
                if _is_exposed(directory) and _is_foreign(part.lstat(), directory):
                    raise _planted_error(part)


def create(path: Path) -> int:
    """Create a file (0600) for reading and appending.

    Returns:
        The file descriptor.

    Raises:
        OSError: The file exists, or cannot be created.
    """
    return open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND)


def append(descriptor: int, data: bytes) -> None:
    """Append data to an open file. A partial write is truncated.

    Raises:
        OSError: The data cannot be written.
    """
    written = 0
    try:
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        if written:
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
        raise


def sync_directory(directory: Path) -> None:
    """Wait until the disk has the names of the files in a directory.

    Raises:
        OSError: The disk cannot take them.
    """
    descriptor = os.open(directory, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # fsync(2): the file system does not sync directories
            raise
    finally:
        os.close(descriptor)


def read(path: Path, max_bytes: int, *, of_anyone: bool = False) -> bytes:
    """Read a whole file.

    Raises:
        OSError: As for `open_private`, or the file is longer than `max_bytes`.
    """
    descriptor = open_private(path, os.O_RDONLY, of_anyone=of_anyone)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"it is longer than {max_bytes} bytes", str(path))
    return data


def replace(path: Path, data: bytes, mode: int = _PRIVATE, group: int | None = None) -> None:
    """Replace the content of a file atomically, and remove abandoned drafts.

    Args:
        path: The file.
        data: Its new content.
        mode: Its permissions, whatever the umask is.
        group: The id of its group; None for that of a new file.

    Raises:
        OSError: The file cannot be written, or this user is not in the group; its content is unchanged.
    """
    _remove_stale_drafts(path)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}.{_DRAFT}")
    descriptor = create(draft)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if group is not None:
                os.fchown(descriptor, -1, group)
            if mode != _PRIVATE:
                os.fchmod(descriptor, mode)
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def is_root() -> bool:
    """Return whether this process has the rights of root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _check(found: os.stat_result, path: Path, *, of_anyone: bool) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _irregular(path)
    if not of_anyone and hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise PermissionError(errno.EACCES, "it belongs to another user", str(path))


def _is_exposed(directory: os.stat_result) -> bool:
    return hasattr(os, "geteuid") and bool(directory.st_mode & stat.S_IWOTH)


def _is_foreign(found: os.stat_result, directory: os.stat_result) -> bool:
    return found.st_uid not in (os.geteuid(), directory.st_uid)


def _planted_error(path: Path) -> OSError:
    kind = "link" if path.is_symlink() else "directory" if path.is_dir() else "file"
    reason = f"{path} is a {kind} of another user in a directory that everybody may write to"
    return PermissionError(errno.EACCES, reason, str(path))


def _irregular(path: Path) -> OSError:
    return OSError(errno.EINVAL, "it is no regular file", str(path))


def _remove_stale_drafts(path: Path) -> None:
    """Remove drafts of processes that were killed before the rename."""
    now = time.time()
    for draft in path.parent.glob(f"{path.name}.*.{_DRAFT}"):
        with contextlib.suppress(OSError):  # Renamed or removed by its writer.
            if now - draft.lstat().st_mtime > _STALE_SECONDS:
                draft.unlink()
