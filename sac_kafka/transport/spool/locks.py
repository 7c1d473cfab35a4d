"""Who may touch a writer's files: its lock, held as long as its process lives, then by the one that adopts the files.

The operating system lets go of it however the process ends. Two locks in one process are two. Where the file system
knows no locks nobody can tell whether a writer lives.
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


class NoLocksError(OSError):
    """The file system knows no locks."""


class Lock:
    """An exclusive lock on a file of its own; taken by `taken`, never by the constructor."""

    __slots__ = ("__weakref__", "_descriptor", "path")

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor
        _held.add(self)

    def release(self, *, remove: bool) -> None:
        """Let go of it, and `remove` the file. Idempotent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        if remove:
            with contextlib.suppress(OSError):  # the next one who lists the directory removes it
                self.path.unlink(missing_ok=True)
        os.close(descriptor)

    def drop(self) -> None:
        """Forget it in a forked child: the parent goes on holding it."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def taken(path: Path) -> Lock | None:
    """Take the lock that is this file, without waiting; None if somebody else has it.

    Raises:
        NoLocksError: The file system, or the operating system, knows no locks.
        OSError: The file cannot be made, or belongs to somebody else.
    """
    if fcntl is None:
        raise NoLocksError(errno.ENOLCK, "this operating system has no flock")
    while True:
        descriptor = private_files.opened(path, os.O_RDWR | os.O_CREAT, of_anyone=private_files.is_root())
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_same = _is_same(descriptor, path)
        except OSError as error:
            os.close(descriptor)
            if error.errno in _HELD_BY_OTHERS:
                return None
            raise NoLocksError(error.errno, f"locks are not supported: {error.strerror}", str(path)) from error
        if is_same:
            return Lock(path, descriptor)
        os.close(descriptor)  # who held it has removed the file meanwhile


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    ours = os.fstat(descriptor)
    return (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)


def _after_fork_in_child() -> None:
    """An inherited descriptor would keep the parent's lock for as long as the child lives."""
    for lock in tuple(_held):
        lock.drop()
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
