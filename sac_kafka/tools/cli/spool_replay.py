"""Deliver spooled messages in order for `sac-kafka spool replay`, and report the result."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from sac_kafka.errors import ConfigurationError, NoConfigurationError, NoSettingsError, SacKafkaError
from sac_kafka.masking import mask_text
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import Durability
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.configured import Configured, read_with_options
from sac_kafka.tools.cli.output import print_error, print_masked, print_masked_json
from sac_kafka.tools.cli.progress import Indicator, hide_progress, show_progress
from sac_kafka.tools.graph.drawing import writable
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.private_files import is_root
from sac_kafka.transport.spool.directory import found_directory
from sac_kafka.transport.spool.inspection import FileState, SpoolFile, inspect
from sac_kafka.transport.spool.options import name_destinations, options_of, replay_command
from sac_kafka.transport.spool.spool import Spool

SOME_LEFT = 1
_CLOSE_SECONDS = 5.0
_PROGRESS_SECONDS = 2.0
_MAX_RETRY_MS = 2000
_STAYING = (FileState.WAITING, FileState.UNKNOWN)
"""States of files that a replay handles: running drivers deliver their own."""


@dataclass(frozen=True, slots=True)
class SpoolDirectory:
    """The spool of a destination: its directory, and its settings; None without a configuration.

    `name` is the name of the destination, "" if there is only one.
    """

    directory: Path
    settings: Settings | None
    name: str = ""

    def prefix_name(self, text: str) -> str:
        """Return a text about this spool, with the name of the destination if there are several."""
        return f"{self.name}: {text}" if self.name else text


def places_of(arguments: argparse.Namespace) -> list[SpoolDirectory]:
    """Return the spools of all destinations, or of the chosen one; without a configuration that of --dir or the default."""
    is_named = arguments.dir is not None
    configured = None
    try:
        configured = read_with_options(arguments)
    except NoConfigurationError as error:
        is_chosen = not is_named or arguments.conf_dir or arguments.conf_file
        if arguments.destination or (isinstance(error, NoSettingsError) and is_chosen):
            raise
        if not is_named:
            print_error("no configuration found: using the default directory; use --dir or --conf-dir for another one")
    except ConfigurationError as error:
        if not is_named or arguments.conf_dir or arguments.conf_file or arguments.conf or arguments.destination:
            raise
        print_error(str(error))
    if configured is None or is_named:
        directory = readable(arguments.dir or found_directory(None), is_named=is_named)
        return [SpoolDirectory(directory, None if configured is None else configured.settings)]
    places = _configured_places(configured, name_destinations(configured.settings))
    for place in places:
        readable(place.directory, is_named=False)
    return places


def _configured_places(configured: Configured, destinations: Sequence[tuple[str, Settings]]) -> list[SpoolDirectory]:
    places = []
    for name, own in destinations:
        shown = configured.destination or name or ("first destination" if configured.settings.sink.also else "")
        places.append(SpoolDirectory(found_directory(own.spool.dir), own, shown))
    return places


def print_results(results: Sequence[tuple[SpoolDirectory, Mapping[str, Any]]], *, is_one: bool) -> None:
    """Print the result of each spool as one JSON object; by the names of the destinations, unless there `is_one`."""
    if is_one:
        print_masked_json(results[0][1])
    else:
        print_masked_json({"destinations": {place.name: result for place, result in results}})


def to_here(settings: Settings) -> str:
    """Return how to deliver the messages for other destinations to that of the settings."""
    return f"to deliver them here, run {replay_command(settings)}"


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


class _Log(logging.StreamHandler[TextIO]):
    """Log handler that hides the progress indicator before each line."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a log message."""
        hide_progress()
        super().emit(record)


def replay_messages(arguments: argparse.Namespace) -> int:
    """Deliver spooled messages in order and print the result of each destination."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[_Log(sys.stderr)])
    if arguments.dir is not None:
        readable(arguments.dir, is_named=True)
    configured = read_with_options(arguments)
    destinations = name_destinations(configured.settings)
    if arguments.dir is not None:
        destinations = destinations[:1]
    if len(destinations) > 1 and (arguments.any_destination or arguments.topic is not None):
        raise SacKafkaError(
            "atlas.also: there are several destinations; choose the one that all messages are for: --destination NAME, "
            "or --dir DIR for the first"
        )
    results, status = [], 0
    for place, settings in zip(
        _configured_places(configured, destinations), (own for _, own in destinations), strict=True
    ):
        if len(destinations) > 1 and sink_of(settings).address is None:
            if inspect(place.directory):  # a replay to this sink alone reports the reason
                print_error(f"{place.name}: not replayed; see sac-kafka spool replay --destination {place.name}")
                status = SOME_LEFT
            continue
        try:
            result, is_done = _replay(arguments, arguments.dir or place.directory, settings)
        except SacKafkaError as error:
            if len(destinations) == 1:
                raise
            print_error(place.prefix_name(str(error)))
            results.append((place, _not_begun(inspect(place.directory), str(error))))
            status = SOME_LEFT
            continue
        results.append((place, result))
        status = status if is_done else SOME_LEFT
        if not arguments.json:
            for line in _lines(result, settings):
                print_masked(place.prefix_name(line))
    if arguments.json:
        print_results(results, is_one=len(destinations) == 1)
    return status


def _replay(arguments: argparse.Namespace, directory: Path, settings: Settings) -> tuple[dict[str, Any], bool]:
    """Deliver the messages of a spool; return the result, and whether all are handled."""
    options = options_of(settings)
    if sink_of(settings).address is None:
        raise SacKafkaError(
            f"a replay to atlas.client.type = {settings.sink.client_type.value} would lose the messages; to read them, run "
            f"sac-kafka spool show --dir {shlex.quote(str(directory))} | sac-kafka show -"
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
    result = _result(spool, found, None if is_for_all else options.destination)
    is_any_left = any(each.messages for each in found if each.state is not FileState.REJECTED)
    return result, not (is_any_left or result["left"] or result["rejected"])


def _not_begun(found: Sequence[SpoolFile], problem: str) -> dict[str, Any]:
    """Return the result for a destination whose settings prevent its messages from being sent."""
    in_use = [file for file in found if file.state is FileState.IN_USE and file.messages]
    waiting = [file for file in found if file.state in _STAYING]
    return {
        **dict.fromkeys(("delivered", "dropped", "rejected"), 0),
        "left": counts_of(waiting)["messages"],
        "reasons": {},
        "problem": problem,
        "for_another": {**counts_of(()), "topics": []},
        "in_use": counts_of(in_use),
        "files_in_use": len(in_use),
    }


def _result(spool: Spool, found: Sequence[SpoolFile], destination: str | None) -> dict[str, Any]:
    """Return the result with the files that were `found` afterwards; `destination` is None if all were to be delivered."""
    left = spool.figures["records"]
    others = [each for each in found if destination not in (None, each.writer.destination) and each.state in _STAYING]
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
        yield f"{total(others)} {for_others} were not delivered; {to_here(settings)}"
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
