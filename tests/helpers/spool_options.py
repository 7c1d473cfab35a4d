"""Options of spools, by the names of what a user sets."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from sac_kafka.settings.declarations.choices import Durability
from sac_kafka.settings.spool import SpoolFiles
from sac_kafka.transport.spool.options import Options

_OF_FILES = {each.name for each in fields(SpoolFiles)}


def options_in(directory: Path | None, *, is_first: bool = False, **changes: Any) -> Options:
    """Options of a spool in a directory: what a user sets, and the others, by their names; `is_first`: spool-first."""
    durability = Durability.SPOOL_FIRST if is_first else Durability.ON_FAILURE
    files = {"dir": str(directory) if directory else None, "durability": durability}
    files |= {name: value for name, value in changes.items() if name in _OF_FILES}
    others = {name: value for name, value in changes.items() if name not in _OF_FILES}
    return Options(files=SpoolFiles(**files), **others)
