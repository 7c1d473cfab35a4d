"""Lock the files of a writer: the lock is held while its process lives, then by the process that adopts the files.

The operating system releases it however the process ends. Two locks of one process exclude each other, too. Where the file
system does not support locks, whether a writer is alive cannot be determined.
"""

from __future__ import annotations

import contextlib
import errno
import os
import weakref
from pathlib import Path

from sac_kafka.transport import private_files

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_HELD_BY_OTHERS = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}
_held: weakref.WeakSet[Lock] = weakref.WeakSet()


class LocksUnsupportedError(OSError):
    """The file system does not support locks."""


class Lock:
    """An exclusive lock on a lock file; acquired by `try_lock`, not by the constructor."""

    __slots__ = ("__weakref__", "_descriptor", "path")

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor
        _held.add(self)

    def release(self, *, remove: bool) -> None:
        """Release the lock, and delete its file if `remove`. Idempotent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        if remove:
            with contextlib.suppress(OSError):  # The next process that lists the directory removes it.
                self.path.unlink(missing_ok=True)
        os.close(descriptor)

    def drop(self) -> None:
        """Close the descriptor in a forked child; the parent still holds the lock."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def try_lock(path: Path) -> Lock | None:
    """Acquire the lock of this file without waiting; None if another process or lock has it.

    Raises:
        LocksUnsupportedError: The file system or the operating system does not support locks.
        OSError: The file cannot be created, or belongs to another user.
    """
    if fcntl is None:
        raise LocksUnsupportedError(errno.ENOLCK, "this operating system has no flock")
    while True:
        descriptor = private_files.open_private(path, os.O_RDWR | os.O_CREAT, of_anyone=private_files.is_root())
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_same = _is_same(descriptor, path)
        except OSError as error:
            os.close(descriptor)
            if error.errno in _HELD_BY_OTHERS:
                return None
            raise LocksUnsupportedError(error.errno, f"locks are not supported: {error.strerror}", str(path)) from error
        if is_same:
            return Lock(path, descriptor)
        os.close(descriptor)  # The previous holder has removed the file meanwhile.


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    ours = os.fstat(descriptor)
    return (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)


def _after_fork_in_child() -> None:
    """Close inherited descriptors, which would hold the parent's locks for as long as the child lives."""
    for lock in tuple(_held):
        lock.drop()
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
