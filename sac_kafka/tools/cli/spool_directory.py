"""Find the spool directory for `sac-kafka spool`, and count the messages in its files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from sac_kafka.errors import ConfigurationError, NoConfigurationError, NoSettingsError, SacKafkaError
from sac_kafka.masking import mask_text
from sac_kafka.settings import Settings
from sac_kafka.stats import counted
from sac_kafka.tools.cli.configured import read_configured
from sac_kafka.tools.cli.output import print_error
from sac_kafka.tools.graph.drawing import writable
from sac_kafka.transport.spool.directory import found_directory
from sac_kafka.transport.spool.inspection import SpoolFile


def place(arguments: argparse.Namespace) -> tuple[Path, Settings | None]:
    """Return the spool directory and the settings; without a configuration that of --dir or the default, and None."""
    is_named = arguments.dir is not None
    settings = None
    try:
        settings = read_configured(arguments).settings
    except NoConfigurationError as error:
        if isinstance(error, NoSettingsError) and (not is_named or arguments.conf_dir or arguments.file):
            raise
        if not is_named:
            print_error("no configuration found: using the default directory; use --dir or --conf-dir for another one")
    except ConfigurationError as error:
        if not is_named or arguments.conf_dir or arguments.file or arguments.conf:
            raise
        print_error(str(error))
    directory = arguments.dir or found_directory(settings.spool.dir if settings else None)
    return readable(directory, is_named=is_named), settings


def readable(directory: Path, *, is_named: bool) -> Path:
    """Return the directory after checking that it is readable; it may be missing unless the user named it.

    Raises:
        SacKafkaError: The directory is missing or unreadable.
    """
    if is_named and not directory.exists():
        raise SacKafkaError(f"--dir {directory}: no such directory")
    if directory.exists() and not (directory.is_dir() and os.access(directory, os.R_OK | os.X_OK)):
        raise SacKafkaError(f"{directory}: not a readable directory; name another one, or run as its owner")
    return directory


def topic(file: SpoolFile) -> str:
    """Return the topic of a file, masked and escaped, because other users may have written the file."""
    return writable(mask_text(file.topic), None) or "?"


def total(files: Sequence[SpoolFile]) -> str:
    """Return the number of messages and files as text, such as `1 message in 2 files`."""
    return f"{counted(sum(each.messages for each in files), 'message')} in {counted(len(files), 'file')}"


def counts_of(files: Sequence[SpoolFile]) -> dict[str, int]:
    """Return the number of messages and files as JSON."""
    return {"messages": sum(each.messages for each in files), "files": len(files)}
