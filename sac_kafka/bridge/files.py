"""Read events from files, directories and standard input: one event per line, or one JSON value per file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from sac_kafka.bridge.intake import Intake, ThreadInput
from sac_kafka.errors import ConfigurationError
from sac_kafka.log import logger

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Limit of a file that has one JSON value over several lines."""
_SUFFIXES = (".json", ".jsonl", ".ndjson")
_POLL_SECONDS = 0.5
UNREADABLE = "rejected: an input that cannot be read"


class LinesInput(ThreadInput):
    """Lines of a stream, such as standard input."""

    name = "sac-kafka-input"
    ends = True

    def __init__(self, lines: Callable[[], Iterator[str]], place: str) -> None:
        super().__init__()
        self._lines = lines
        self._place = place

    def stop(self) -> None:
        """Do nothing: the thread may wait for a line, and ends with the process."""

    def run(self, intake: Intake) -> None:
        """Read all lines."""
        try:
            for line in self._lines():
                if not intake.put(line):
                    return
        except Exception as error:  # noqa: BLE001 the other inputs go on
            intake.count(UNREADABLE)
            logger.warning("%s cannot be read any further: %s", self._place, error)
        finally:
            intake.end()


class FilesInput(ThreadInput):
    """A file, or the files of a directory in the order of their names.

    Args:
        path: The path.
        follow: Wait for further lines, and files, until the bridge ends.

    Raises:
        ConfigurationError: The path does not exist.
    """

    name = "sac-kafka-files"

    def __init__(self, path: Path, *, follow: bool = False) -> None:
        super().__init__()
        if not path.exists():
            raise ConfigurationError(f"--file {path}: no such file or directory; name a file or directory of events")
        self.ends = not follow
        self._path = path
        self._read: dict[Path, int] = {}
        self._failed: set[Path] = set()

    def run(self, intake: Intake) -> None:
        """Read what there is, and if wanted what follows."""
        try:
            self._pass(intake)
            while not self.ends and not self._stopped.wait(_POLL_SECONDS):
                self._pass(intake)
        finally:
            intake.end()

    def _pass(self, intake: Intake) -> None:
        for path in self._files():
            for text in self._readable(path, intake):
                if not intake.put(text):
                    return

    def _files(self) -> list[Path]:
        if not self._path.is_dir():
            return [self._path]
        return sorted(file for file in self._path.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())

    def _readable(self, path: Path, intake: Intake) -> Iterator[str]:
        try:
            yield from self._texts(path)
        except (OSError, UnicodeDecodeError) as error:
            if path not in self._failed:
                self._failed.add(path)
                intake.count(UNREADABLE)
                logger.warning("%s cannot be read: %s", path, error)

    def _texts(self, path: Path) -> Iterator[str]:
        """Yield what was added to a file: its lines, or its only value. A file that has become shorter is read again."""
        size, known = path.stat().st_size, self._read.get(path, 0)
        if size == known:
            return
        offset = known if size > known else 0
        if offset == 0 and (whole := _only_value(path, size)) is not None:
            self._read[path] = size
            yield whole
            return
        with path.open("rb") as file:
            file.seek(offset)
            for line in file:
                if not line.endswith(b"\n") and not self.ends:
                    break  # its writer has not finished it
                offset += len(line)
                self._read[path] = offset
                yield line.decode("utf-8-sig", "replace").strip()


def _only_value(path: Path, size: int) -> str | None:
    """Return the value of a file that has one over several lines; None if each line has its own."""
    with path.open("rb") as file:
        first = file.readline()
        if _is_json(first) or size > MAX_FILE_BYTES:
            return None
        content = first + file.read()
    return content.decode("utf-8-sig").replace("\n", " ") if _is_json(content) else None


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True
