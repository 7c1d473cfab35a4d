"""What was sent, kept from run to run: a file in the spool directory that `atlas.memory.Remembered` starts with.

One file for each place that messages go to. It holds names and digests, no values and no secrets, and only its owner
may read it. Everything that goes wrong with it costs nothing but that more is sent.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sac_kafka.atlas.limits import digest
from sac_kafka.atlas.memory import Remembered, earlier_of
from sac_kafka.transport.base import Position
from sac_kafka.transport.spool.directory import default_directory, is_trusted, make_private

logger = logging.getLogger("sac_kafka")

MAX_BYTES = 8 * 1024 * 1024
"""Longest file; of more the groups that were sent longest ago are left out."""


class SentFile:
    """The memory of one place, `sink` in words that name it.

    Args:
        directory: `atlas.hook.spool.dir`; None for the default one.
        sink: What tells places apart: transport, topic, namespace, form of messages.
        max_age_ms: After this time what was sent counts as forgotten by the server.
    """

    def __init__(self, directory: str | Path | None, sink: str, *, max_age_ms: int) -> None:
        self._is_default = not directory
        self._directory = Path(directory) if directory else default_directory()
        self.path = self._directory / f"sent-{digest(sink, 16)}.json"
        self._ends: dict[str, int] = {}
        self._is_decided = False
        self.remembered = Remembered(max_age_ms=max_age_ms)
        self._max_age_ms = max_age_ms

    def load(self) -> Remembered:
        """Read the file; whatever is wrong with it, there is a memory to start with."""
        entries, ends = self._read()
        self._ends = dict(ends)
        self.remembered = Remembered(max_age_ms=self._max_age_ms, earlier=earlier_of(entries))
        return self.remembered

    def delivered(self, position: Position | None) -> None:
        """A message was delivered there: the earlier run counts if the log is the one that it wrote to."""
        if position is None:
            return
        if not self._is_decided:
            self._is_decided = True
            saved = self._ends.get(position.log)
            if saved is not None and position.start >= saved:
                self.remembered.trust_earlier()
        self._ends[position.log] = position.end

    def save(self) -> None:
        """Write the file, with what others have put there meanwhile; on trouble it stays as it was."""
        if not self._ends:
            return
        try:
            make_private(self._directory, is_default=self._is_default)
            self._replace(self._merged())
        except OSError as e:
            logger.info("sac_kafka: %s cannot be written, the next run will send more: %s", self.path, e.strerror or e)

    def _merged(self) -> str:
        ours = self.remembered.to_json()
        known = {(each[0], each[1]) for each in ours} | set(self.remembered.dropped)
        others = [each for each in self._read()[0] if (each[0], each[1]) not in known]
        entries = sorted((*others, *ours), key=lambda each: -int(each[3]))
        lines, size = [], 0
        for entry in entries:
            line = json.dumps(entry, separators=(",", ":"))
            size += len(line) + 2
            if size > MAX_BYTES:
                break
            lines.append(line)
        return f'{{"ends":{json.dumps(self._ends)},"sent":[\n' + ",\n".join(lines) + "\n]}\n"

    def _read(self) -> tuple[list[Any], Mapping[str, int]]:
        try:
            with self.path.open(encoding="ascii") as file:
                if not is_trusted(os.fstat(file.fileno())):
                    logger.info("sac_kafka: %s belongs to another user, more is sent than needed", self.path)
                    return [], {}
                text = file.read()
        except FileNotFoundError:
            return [], {}
        except (OSError, ValueError) as e:
            logger.info("sac_kafka: %s cannot be read, more is sent than needed: %s", self.path, e)
            return [], {}
        try:
            found = json.loads(text)
            entries, ends = list(found["sent"]), {str(log): int(end) for log, end in found["ends"].items()}
            earlier_of(entries)
        except (ValueError, TypeError, KeyError, AttributeError) as e:
            logger.info("sac_kafka: %s is no memory of ours, more is sent than needed: %s", self.path, e)
            return [], {}
        return entries, ends

    def _replace(self, text: str) -> None:
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(text)
        draft.replace(self.path)
