"""Check that the files and directories named by a configuration can be used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.declaring import declared
from sac_kafka.settings.declarations.values import PATH
from sac_kafka.settings.metrics import MetricsSettings
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.spool.directory import default_directory, is_writable

_SPOOL = "atlas.hook.spool.dir"


def problems_on_disk(settings: Settings) -> tuple[str, ...]:
    """Return a sentence for each path that cannot be used; creates nothing."""
    return tuple(
        settings.source.placed(each)
        for each in (*_spool(settings), *_metrics(settings), *sink_of(settings).problems(settings))
    )


def _spool(settings: Settings) -> Iterator[str]:
    if not settings.spool.enabled:
        return
    directory = Path(settings.spool.dir) if settings.spool.dir else default_directory()
    if directory.exists() and not directory.is_dir():
        yield f"{_SPOOL} = {directory}: is a file; name a directory"
    elif not is_writable(_nearest_existing(directory)):
        problem = "is not writable" if directory.exists() else "cannot be created"
        yield f"{_SPOOL} = {directory}: {problem}; name another directory"


def _metrics(settings: Settings) -> Iterator[str]:
    for name, each in declared(MetricsSettings):
        path = Path(getattr(settings.metrics, name)) if each.kind is PATH and getattr(settings.metrics, name) else None
        directory = path if path is None or path.is_dir() else path.parent
        if directory is not None and not directory.is_dir():
            yield f"{each.keys[0]} = {path}: the directory does not exist; create it, because the hook does not"
        elif directory is not None and not is_writable(directory):
            yield f"{each.keys[0]} = {path}: the directory is not writable; name another one"


def _nearest_existing(directory: Path) -> Path:
    """Return the directory, or its nearest existing parent."""
    directory = directory.absolute()
    return next((each for each in (directory, *directory.parents) if each.exists()), directory)
