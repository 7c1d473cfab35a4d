"""Remember beyond a restart which runs were reported: of their events, the next process may see only a part.

Such a part is what is left in the journal, or what a client sends again because it was not answered. Taken for a whole run, it
would be a flow with some of the inputs only.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from sac_kafka.log import logger
from sac_kafka.openlineage.open_runs import RunKey
from sac_kafka.transport import private_files

MAX_RUNS = 20_000
AGAIN_SECONDS = 600.0
"""How long after a run was reported its events can only be repetitions; later ones are meant to report it again."""
_NAME = "reported.jsonl"


class ReportedRuns:
    """The runs that this process and earlier ones have reported.

    Args:
        directory: The directory of the journal.
        clock: Returns epoch seconds.
    """

    def __init__(self, directory: Path, clock: Callable[[], float]) -> None:
        self._path = directory / _NAME
        self._clock = clock
        self._latest = deque(self._read(), MAX_RUNS)
        self._earlier = {(namespace, run): time for namespace, run, time in self._latest}
        self._lines = len(self._latest)

    def add(self, keys: Iterable[RunKey]) -> None:
        """Add runs whose lineage is delivered or in the spool."""
        rows = [(*key, self._clock()) for key in keys]
        if not rows:
            return
        self._latest.extend(rows)
        self._lines += len(rows)
        try:
            if self._lines > 2 * MAX_RUNS:
                private_files.replace(self._path, _encode(self._latest))
                self._lines = len(self._latest)
                return
            descriptor = private_files.open_private(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                private_files.append(descriptor, _encode(rows))
            finally:
                os.close(descriptor)
        except OSError as error:  # such as a full disk: after a kill these runs may be reported in part
            logger.debug("%s: %s", self._path, error)

    def has(self, key: RunKey, *, is_left: bool) -> bool:
        """Return whether an earlier process has reported the run of an event; `is_left`: it has left the event, too."""
        time = self._earlier.get(key)
        return time is not None and (is_left or self._clock() - time < AGAIN_SECONDS)

    def _read(self) -> list[tuple[str, str, float]]:
        try:
            lines = self._path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return []
        return [row for line in lines[-MAX_RUNS:] if (row := _decode(line)) is not None]


def _decode(line: str) -> tuple[str, str, float] | None:
    try:
        namespace, run, time = json.loads(line)
        return str(namespace), str(run), float(time)
    except (ValueError, TypeError):  # torn by a kill
        return None


def _encode(rows: Iterable[tuple[str, str, float]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()
