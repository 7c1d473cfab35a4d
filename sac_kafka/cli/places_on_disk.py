"""What is wrong with the places on this machine's disk that a configuration names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sac_kafka.settings import Settings
from sac_kafka.transport.spool.directory import default_directory, is_writable

_SPOOL = "atlas.hook.spool.dir"


def problems_on_disk(settings: Settings) -> tuple[str, ...]:
    """Give a sentence for each place that cannot be used as it is named. Makes nothing."""
    return tuple(settings.source.placed(each) for each in (*_spool(settings), *_file(settings)))


def _spool(settings: Settings) -> Iterator[str]:
    if not settings.spool_enabled:
        return
    directory = Path(settings.spool_dir) if settings.spool_dir else default_directory()
    if directory.exists() and not directory.is_dir():
        yield f"{_SPOOL} = {directory}: is a file; name a directory"
    elif not is_writable(_first_that_is_there(directory)):
        yield f"{_SPOOL} = {directory}: cannot be {'written' if directory.exists() else 'made'}; name another directory"


def _file(settings: Settings) -> Iterator[str]:
    if settings.client_type != "file" or settings.client_file_path is None:
        return
    path = Path(settings.client_file_path)
    if not (os.access(path, os.W_OK) if path.exists() else is_writable(path.absolute().parent)):
        yield f"atlas.client.file.path = {path}: cannot be written; name another file, or correct the permissions"


def _first_that_is_there(directory: Path) -> Path:
    """Give the directory, or the nearest one above it that there is."""
    directory = directory.absolute()
    return next((each for each in (directory, *directory.parents) if each.exists()), directory)
