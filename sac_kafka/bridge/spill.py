"""Keep what open runs consist of in a file without a name: it ends with the process, as the journal has the events."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from tempfile import mkstemp

_PAGE_BYTES = 4_096


class SpillFile:
    """Bytes by number (`openlineage.open_runs.Store`), in a database of SQLite, which uses free room again.

    Args:
        directory: Where the file is created, with the first entry.
        max_bytes: Limit of its size.
    """

    def __init__(self, directory: Path, max_bytes: int) -> None:
        self._directory = directory
        self._max_bytes = max_bytes
        self._entries = 0
        self._database: sqlite3.Connection | None = None

    def put(self, data: bytes) -> int:
        """Write bytes; return their number.

        Raises:
            OSError: They cannot be written, such as on a full disk, or the limit is reached.
        """
        if self._database is None:
            self._database = _open(self._directory, self._max_bytes)
        try:
            number = self._database.execute("INSERT INTO runs (data) VALUES (?)", (data,)).lastrowid
        except sqlite3.Error as error:
            raise OSError(f"{self._directory}: a file of open runs: {error}") from error
        assert number is not None
        self._entries += 1
        return number

    def get(self, number: int) -> bytes:
        """Return the bytes of a number.

        Raises:
            OSError: They cannot be read.
        """
        assert self._database is not None
        try:
            ((data,),) = self._database.execute("SELECT data FROM runs WHERE number = ?", (number,)).fetchall()
        except (sqlite3.Error, ValueError) as error:
            raise OSError(f"{self._directory}: a file of open runs: {error}") from error
        return bytes(data)

    def free(self, number: int) -> None:
        """Forget the bytes of a number; without any, the file becomes small again."""
        assert self._database is not None
        try:
            self._database.execute("DELETE FROM runs WHERE number = ?", (number,))
            self._entries -= 1
            if not self._entries:
                self._database.executescript("PRAGMA incremental_vacuum")  # `execute` removes one page only
        except sqlite3.Error:  # the entry stays until the process ends
            return

    def close(self) -> None:
        """Delete the file."""
        if self._database is not None:
            self._database.close()


def _open(directory: Path, max_bytes: int) -> sqlite3.Connection:
    """Create the database, in a file that no other process can open.

    Raises:
        OSError: It cannot be created.
    """
    descriptor, name = mkstemp(dir=directory)
    try:
        os.close(descriptor)
        database = sqlite3.connect(
            name, isolation_level=None, check_same_thread=False
        )  # created in one thread, used in another
        try:
            for setting in (
                f"page_size = {_PAGE_BYTES}",
                "auto_vacuum = INCREMENTAL",
                "journal_mode = MEMORY",
                "synchronous = OFF",
                "locking_mode = EXCLUSIVE",
                f"max_page_count = {max(1, max_bytes // _PAGE_BYTES)}",
            ):
                database.execute(f"PRAGMA {setting}").fetchall()
            database.execute("CREATE TABLE runs (number INTEGER PRIMARY KEY, data BLOB NOT NULL)")
        except sqlite3.Error as error:
            database.close()
            raise OSError(f"{directory}: a file of open runs: {error}") from error
    finally:
        Path(name).unlink()
    return database
