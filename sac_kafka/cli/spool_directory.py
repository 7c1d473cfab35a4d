"""The directory that `sac-kafka spool` looks into, and how much of it there is."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from sac_kafka.cli.configured import read_configured
from sac_kafka.cli.output import print_error
from sac_kafka.config.secrets import mask_text
from sac_kafka.errors import ConfigurationError, NoConfigurationError, NoSettingsError, SacKafkaError
from sac_kafka.readable.drawing import writable
from sac_kafka.settings import Settings
from sac_kafka.stats import counted
from sac_kafka.transport.spool.directory import found_directory
from sac_kafka.transport.spool.inspection import SpoolFile


def place(arguments: argparse.Namespace) -> tuple[Path, Settings | None]:
    """The directory, and the settings; without any the directory is the named one, or the default one."""
    is_named = arguments.dir is not None
    settings = None
    try:
        settings = read_configured(arguments).settings
    except NoConfigurationError as error:
        if isinstance(error, NoSettingsError) and (not is_named or arguments.conf_dir or arguments.file):
            raise
        if not is_named:
            print_error("no configuration was found: this is the default directory; name yours by --dir or --conf-dir")
    except ConfigurationError as error:
        if not is_named or arguments.conf_dir or arguments.file or arguments.conf:
            raise
        print_error(str(error))
    directory = arguments.dir or found_directory(settings.spool.dir if settings else None)
    return readable(directory, is_named=is_named), settings


def readable(directory: Path, *, is_named: bool) -> Path:
    """Give a directory that is not there, or can be read; one that was named has to be there.

    Raises:
        SacKafkaError: It is not.
    """
    if is_named and not directory.exists():
        raise SacKafkaError(f"--dir {directory}: there is no such directory; name another")
    if directory.exists() and not (directory.is_dir() and os.access(directory, os.R_OK | os.X_OK)):
        raise SacKafkaError(f"{directory}: cannot be read, or is no directory: name the right one, or run as its owner")
    return directory


def topic(file: SpoolFile) -> str:
    """What to show as the topic of a file, which may be anybody's."""
    return writable(mask_text(file.topic), None) or "?"


def total(files: Sequence[SpoolFile]) -> str:
    """How much is in the files, such as `1 message in 2 files`."""
    return f"{counted(sum(each.messages for each in files), 'message')} in {counted(len(files), 'file')}"


def counts_of(files: Sequence[SpoolFile]) -> dict[str, int]:
    """The same for programs."""
    return {"messages": sum(each.messages for each in files), "files": len(files)}
