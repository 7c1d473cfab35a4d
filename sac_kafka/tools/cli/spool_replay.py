"""Deliver spooled messages in order for `sac-kafka spool replay`, and report the result."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from sac_kafka.errors import ConfigurationError, NoConfigurationError, NoSettingsError, SacKafkaError
from sac_kafka.masking import mask_text
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import Durability
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.configured import read_with_options
from sac_kafka.tools.cli.output import print_error, print_masked, print_masked_json
from sac_kafka.tools.cli.progress import Indicator, hide_progress, show_progress
from sac_kafka.tools.graph.drawing import writable
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.private_files import is_root
from sac_kafka.transport.spool.directory import found_directory
from sac_kafka.transport.spool.inspection import FileState, SpoolFile, inspect
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool


def place(arguments: argparse.Namespace) -> tuple[Path, Settings | None]:
    """Return the spool directory and the settings; without a configuration that of --dir or the default, and None."""
    is_named = arguments.dir is not None
    settings = None
    try:
        settings = read_with_options(arguments).settings
    except NoConfigurationError as error:
        if isinstance(error, NoSettingsError) and (not is_named or arguments.conf_dir or arguments.conf_file):
            raise
        if not is_named:
            print_error("no configuration found: using the default directory; use --dir or --conf-dir for another one")
    except ConfigurationError as error:
        if not is_named or arguments.conf_dir or arguments.conf_file or arguments.conf:
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


def total(files: Mapping[str, Any]) -> str:
    """Return `counts_of` files as text, such as `1 message in 2 files`."""
    return f"{with_noun(files['messages'], 'message')} in {with_noun(files['files'], 'file')}"


def counts_of(files: Sequence[SpoolFile]) -> dict[str, Any]:
    """Return the number of messages and files as JSON."""
    return {"messages": sum(file.messages for file in files), "files": len(files)}


SOME_LEFT = 1
TO_HERE = "to deliver them here, run sac-kafka spool replay --any-destination"
_CLOSE_SECONDS = 5.0
_PROGRESS_SECONDS = 2.0
_MAX_RETRY_MS = 2000


class _Log(logging.StreamHandler[TextIO]):
    """Log handler that hides the progress indicator before each line."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a log message."""
        hide_progress()
        super().emit(record)


def replay_messages(arguments: argparse.Namespace) -> int:
    """Deliver spooled messages in order and print the result."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[_Log(sys.stderr)])
    if arguments.dir is not None:
        readable(arguments.dir, is_named=True)
    settings = read_with_options(arguments).settings
    options = options_of(settings)
    if sink_of(settings).address is None:
        shown = shlex.quote(str(arguments.dir or found_directory(settings.spool.dir)))
        raise SacKafkaError(
            f"a replay to atlas.client.type = {settings.sink.client_type.value} would lose the messages; to read them, run "
            f"sac-kafka spool show --dir {shown} | sac-kafka show -"
        )
    files = replace(
        options.files,
        dir=arguments.dir or options.files.dir,
        enabled=True,
        durability=Durability.ON_FAILURE,
        retry_ms=min(options.files.retry_ms, _MAX_RETRY_MS),
    )
    is_for_all = arguments.any_destination or arguments.topic is not None
    spool = Spool(
        make_transport(settings),
        replace(
            options,
            files=files,
            destination=None if is_for_all else options.destination,
            topic=(arguments.topic or settings.sink.topic) if is_for_all else None,
            with_rejected=arguments.rejected,
            without_locks=arguments.unlocked,
            of_anyone=is_root(),
        ),
        "replay",
    )
    try:
        spool.service(0)
        there = spool.counts["replayed"] + spool.figures["records"]
        with show_progress("delivering", "message", there) as progress:
            _drive(spool, arguments.timeout, progress)
    finally:
        spool.close(_CLOSE_SECONDS)
    found = inspect(spool.directory)
    done = _result(spool, found, None if is_for_all else options.destination)
    if arguments.json:
        print_masked_json(done)
    else:
        for line in _lines(done, settings):
            print_masked(line)
    is_any_left = any(each.messages for each in found if each.state is not FileState.REJECTED)
    return SOME_LEFT if is_any_left or done["left"] or done["rejected"] else 0


def _result(spool: Spool, found: Sequence[SpoolFile], destination: str | None) -> dict[str, Any]:
    """Return the result with the files that were `found` afterwards; `destination` is None if all were to be delivered."""
    left = spool.figures["records"]
    staying = (FileState.WAITING, FileState.UNKNOWN)  # running drivers deliver their own files
    others = [each for each in found if destination not in (None, each.writer.destination) and each.state in staying]
    in_use = [each for each in found if each.state is FileState.IN_USE and each.messages]
    return {
        "delivered": spool.counts["replayed"],
        "dropped": spool.counts["dropped"],
        "rejected": spool.counts["rejected"],
        "left": left,
        "reasons": dict(spool.reasons),
        "problem": (spool.problem() or "") if left else "",
        "for_another": {**counts_of(others), "topics": sorted({topic(other) for other in others})},
        "in_use": counts_of(in_use),
        "files_in_use": len(in_use),
    }


def _lines(done: Mapping[str, Any], settings: Settings) -> Iterator[str]:
    delivered, in_use, others = with_noun(done["delivered"], "message"), done["in_use"], done["for_another"]
    yield f"{delivered} delivered, {done['dropped']} dropped, {done['rejected']} rejected, {done['left']} left"
    yield from (f"{count}: {reason}" for reason, count in done["reasons"].items())
    if done["problem"]:
        yield done["problem"]
    if others["files"]:
        here = sink_of(settings).describe(settings)
        for_others = f"for another destination than {here} (topic {', '.join(others['topics'])})"
        yield f"{total(others)} {for_others} were not delivered; {TO_HERE}"
    if in_use["files"]:
        yield f"{total(in_use)} in use by other processes, which deliver them"


def _drive(spool: Spool, timeout_seconds: float, progress: Indicator) -> None:
    """Run the spool until it is empty, needs a person's action, or makes no progress for `timeout_seconds`."""
    before, since, reported_at = -1, time.monotonic(), time.monotonic()
    reported = 0
    while (left := spool.figures["records"]) and spool.failure_kind is not FailureKind.NEEDS_ACTION:
        now = time.monotonic()
        progress.set(spool.counts["replayed"])
        if left != before:
            before, since = left, now
        elif now - since >= timeout_seconds:
            return
        if not progress.is_visible and now - reported_at >= _PROGRESS_SECONDS and spool.counts["replayed"] != reported:
            reported_at, reported = now, spool.counts["replayed"]
            print(f"{with_noun(reported, 'message')} delivered, {left} left", file=sys.stderr, flush=True)  # noqa: T201
        spool.flush(min(1.0, timeout_seconds))
        if spool.failure_kind is not None:
            time.sleep(0.1)
