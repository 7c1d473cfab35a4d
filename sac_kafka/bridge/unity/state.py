"""Keep what was read of the lineage tables, for the next pass and the next start: by hour and catalog of the target.

Databricks writes rows late, in no order, and without a number, so a watermark alone does not find them: an hour whose number
of rows differs from what is kept here is read again. What has become of each flow is kept as a digest, so that it is reported
again only if a late row has changed it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sac_kafka.errors import ConfigurationError
from sac_kafka.log import logger
from sac_kafka.transport import private_files
from sac_kafka.transport.spool.directory import file_name, make_private
from sac_kafka.transport.spool.locks import Lock, LocksUnsupportedError, try_lock

MAX_FLOWS = 200_000
"""Flows whose digests are kept; those of the earliest hours are forgotten first, so they may be reported twice."""
_MAX_BYTES = 64 * 1024 * 1024
_VERSION = 1

HourKey = tuple[int, str]
"""An hour since the epoch, and a catalog, "" for paths."""


@dataclass(slots=True)
class Hour:
    """What was read of an hour: the numbers of rows as the overview counts them, and a digest of each flow by its identity."""

    edges: int = 0
    reads: int = 0
    writes: int = 0
    flows: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class ReadState:
    """What was read; `watermark` is the hour since the epoch before which everything was read, 0 before the first pass."""

    watermark: int = 0
    hours: dict[HourKey, Hour] = field(default_factory=dict)

    def hour(self, key: HourKey) -> Hour:
        """Return what was read of an hour, which is created."""
        return self.hours.setdefault(key, Hour())

    def prune(self, since: int) -> None:
        """Forget the hours before this one, and flows above the limit."""
        for key in [each for each in self.hours if each[0] < since]:
            del self.hours[key]
        number = sum(len(each.flows) for each in self.hours.values())
        for key in sorted(self.hours):
            if number <= MAX_FLOWS:
                return
            number -= len(self.hours[key].flows)
            self.hours[key].flows.clear()

    def encode(self) -> bytes:
        """Return the state as JSON."""
        hours = [
            [*key, each.edges, each.reads, each.writes, [*map("".join, each.flows.items())]]
            for key, each in self.hours.items()
        ]
        return json.dumps({"version": _VERSION, "watermark": self.watermark, "hours": hours}).encode()

    @classmethod
    def decode(cls, data: bytes) -> ReadState:
        """Return the state from its JSON.

        Raises:
            ValueError: The data is invalid, or of another version.
        """
        value = json.loads(data)
        if not isinstance(value, Mapping) or value.get("version") != _VERSION:
            raise ValueError("of another version")
        try:
            return cls(int(value["watermark"]), {_key(each): _hour(each) for each in value["hours"]})
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("incomplete") from error


def _key(hour: list[object]) -> HourKey:
    number, catalog, *_ = hour
    return int(str(number)), str(catalog)


def _hour(hour: list[object]) -> Hour:
    _, _, edges, reads, writes, flows = hour
    texts = map(str, flows) if isinstance(flows, list) else ()
    half = 16  # hexadecimal digits of a digest
    return Hour(int(str(edges)), int(str(reads)), int(str(writes)), {each[:half]: each[half:] for each in texts})


class StateFile:
    """The file of a state, which one bridge uses at a time.

    Args:
        directory: Its directory, which is created.
        host: The host of the workspace.

    Raises:
        ConfigurationError: The directory cannot be written, or another bridge uses the file.
    """

    def __init__(self, directory: Path, host: str) -> None:
        self.path = directory / f"{file_name(host)}.json"
        self._lock = _lock(directory, self.path)

    def load(self) -> ReadState:
        """Return the kept state; an empty one if no file can be used."""
        try:
            return ReadState.decode(private_files.read(self.path, _MAX_BYTES))
        except FileNotFoundError:
            return ReadState()
        except (OSError, ValueError) as error:
            logger.warning("%s cannot be used (%s): lineage is read as by a first run", self.path, error)
            return ReadState()

    def save(self, data: bytes) -> None:
        """Replace the content.

        Raises:
            OSError: The file cannot be written.
        """
        private_files.replace(self.path, data)

    def close(self) -> None:
        """Leave the file to another bridge."""
        self._lock.release(remove=True)


def _lock(directory: Path, path: Path) -> Lock:
    fix = "set atlas.hook.spool.dir to another directory"
    try:
        make_private(directory, is_default=False)
        lock = try_lock(path.with_suffix(".lock"))
    except LocksUnsupportedError as error:
        raise ConfigurationError(f"{directory}: the file system has no locks; {fix}, on a local disk") from error
    except OSError as error:
        raise ConfigurationError(f"{directory}: {error.strerror}; {fix}") from error
    if lock is None:
        raise ConfigurationError(f"{path} is used by another bridge of this workspace; end it, or {fix} for this one")
    return lock
