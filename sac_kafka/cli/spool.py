"""`sac-kafka spool`: what waits in the spool directory; show it, deliver it, remove it.

The directory is `--dir`, else that of the configuration, which is found as the hook finds it without Spark.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from sac_kafka.cli.configured import add_options, read_configured
from sac_kafka.cli.help_texts import add_action, description, show_help_alone
from sac_kafka.cli.saying import complain, say
from sac_kafka.cli.summary import sink
from sac_kafka.config.choices import Durability
from sac_kafka.config.secrets import mask_text
from sac_kafka.errors import ConfigurationError, NoConfigurationError, NoSettingsError, SacKafkaError
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Trouble
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.private_files import is_root
from sac_kafka.transport.spool.codec import Kept
from sac_kafka.transport.spool.directory import found_directory
from sac_kafka.transport.spool.inspection import SpoolFile, State, inspect, messages, remove
from sac_kafka.transport.spool.options import destination_of, options_of
from sac_kafka.transport.spool.spool import Spool

SOME_LEFT = 1
_CLOSE_SECONDS = 5.0
_PROGRESS_SECONDS = 2.0
_MOST_RETRY_MS = 2000
_TO_HERE = "to send them here run: sac-kafka spool replay --any-destination"
_UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    spool = commands.add_parser("spool", help="messages that wait to be delivered", description=description(__doc__))
    show_help_alone(spool)
    actions = spool.add_subparsers(metavar="ACTION")
    list_ = add_action(actions, "list", "say what waits, file by file")
    show = add_action(actions, "show", "write messages as JSON, one a line; secrets in them are masked")
    replay = add_action(actions, "replay", "deliver what waits; exit status 1 if something is left")
    purge = add_action(actions, "purge", "remove files without delivering them")
    runs: list[tuple[argparse.ArgumentParser, Callable[[argparse.Namespace], int]]] = [
        (list_, list_files),
        (show, show_messages),
        (replay, replay_messages),
        (purge, purge_files),
    ]
    for action, run in runs:
        action.add_argument("--dir", type=Path, metavar="DIR", help="the directory; by default that of the settings")
        add_options(action)
        action.set_defaults(run=run)
    for action in (show, purge):
        action.add_argument("files", nargs="*", metavar="FILE", help="only these files, as spool list names them")
    for action in (show, replay, purge):
        action.add_argument("--rejected", action="store_true", help="messages that the server has refused")
    replay.add_argument(
        "--any-destination",
        action="store_true",
        help="also what was meant for another server or topic: it goes to the configured ones",
    )
    replay.add_argument(
        "--topic", metavar="NAME", help="send everything to this topic, also what was meant for another one"
    )
    replay.add_argument(
        "--unlocked",
        action="store_true",
        help="take files although the file system knows no locks: no driver that writes to this directory may run",
    )
    replay.add_argument(
        "--timeout",
        type=_seconds,
        default=60.0,
        metavar="SECONDS",
        help="give up when nothing was delivered for this long (default: %(default)g)",
    )
    purge.add_argument("--yes", action="store_true", help="do not ask")


def list_files(arguments: argparse.Namespace) -> int:
    """Write a line for each file."""
    directory, settings = _place(arguments)
    found = inspect(directory)
    say(str(directory))
    if not found:
        say("nothing waits")
        return 0
    here = destination_of(settings) if settings is not None else None
    others = {each for each in found if here not in (None, each.writer.destination)}
    topics = [mask_text(each.topic) or "?" for each in found]
    width = max(len("TOPIC"), *map(len, topics))
    say(f"{'MESSAGES':>8} {'BYTES':>12} {'AGE':>5}  {'STATE':<10}  {'TOPIC':<{width}}  FILE")
    now = time.time()
    for each, topic in zip(found, topics, strict=True):
        age = _age(now - each.writer.started_us / 1e6)
        name = each.path.relative_to(directory)
        other = "  (another destination)" if each in others else ""
        say(f"{each.messages:>8} {each.bytes:>12} {age:>5}  {each.state.value:<10}  {topic:<{width}}  {name}{other}")
    say(_total(found))
    if others and settings is not None:
        say(f"another destination: other servers or another topic than {sink(settings)}; {_TO_HERE}")
    return 0


def show_messages(arguments: argparse.Namespace) -> int:
    """Write what is left in the files as JSON, a message a line."""
    directory, _ = _place(arguments)
    for file in _chosen(directory, arguments):
        for kept in messages(file):
            sys.stdout.write(json.dumps({"file": str(file.path.relative_to(directory)), **_shown(kept)}) + "\n")
    return 0


def replay_messages(arguments: argparse.Namespace) -> int:
    """Deliver what waits, in order, and say how much."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    if arguments.dir is not None:
        _readable(arguments.dir, is_named=True)
    settings = read_configured(arguments).settings
    options = options_of(settings)
    if sink_of(settings).address is None:
        shown = shlex.quote(str(arguments.dir or found_directory(settings.spool.dir)))
        raise SacKafkaError(
            f"to look at the messages run: sac-kafka spool show --dir {shown} | sac-kafka show -; a replay to "
            f"atlas.client.type = {settings.sink.client_type.value} would lose them"
        )
    files = replace(
        options.files,
        dir=arguments.dir or options.files.dir,
        enabled=True,
        durability=Durability.ON_FAILURE,
        retry_ms=min(options.files.retry_ms, _MOST_RETRY_MS),
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
        _drive(spool, arguments.timeout)
    finally:
        spool.close(_CLOSE_SECONDS)
    counts, left = spool.counts, spool.figures["records"]
    say(
        f"{_messages(counts['replayed'])} delivered, {counts['dropped']} dropped, {counts['rejected']} rejected, {left} left"
    )
    for reason, count in spool.reasons.items():
        say(f"{count}: {reason}")
    problem = spool.problem()
    if left and problem:
        say(problem)
    found = inspect(spool.directory)
    if not is_for_all:
        _say_what_stays([each for each in found if each.writer.destination != options.destination], settings)
    in_use = sum(each.state is State.IN_USE for each in found)
    if in_use:
        say(f"{in_use} file{'s are' if in_use != 1 else ' is'} in use by running drivers, which deliver them")
    return SOME_LEFT if left or counts["rejected"] else 0


def _say_what_stays(others: Sequence[SpoolFile], settings: Settings) -> None:
    """Say what a replay has left alone because it is for another destination; living drivers see to theirs."""
    staying = [each for each in others if each.state in (State.WAITING, State.UNKNOWN)]
    if staying:
        topics = ", ".join(sorted({mask_text(each.topic) or "?" for each in staying}))
        for_others = f"for another destination than {sink(settings)} (topic {topics})"
        say(f"{_total(staying)} {for_others} stay where they are; {_TO_HERE}")


def purge_files(arguments: argparse.Namespace) -> int:
    """Remove files that nobody writes to."""
    directory, _ = _place(arguments)
    chosen = [each for each in _chosen(directory, arguments) if each.state is not State.IN_USE]
    count = _total(chosen)
    if not chosen:
        say("nothing to remove")
        return 0
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise SacKafkaError(f"{count} would be lost: pass --yes")
        if input(f"Remove {count} of {directory}? [y/N] ").strip().lower() != "y":
            return SOME_LEFT
    removed = [each for each in chosen if remove(directory, each)]
    say(f"removed {_total(removed)}")
    return 0 if len(removed) == len(chosen) else SOME_LEFT


def _drive(spool: Spool, timeout_seconds: float) -> None:
    """Serve the spool until nothing is left, a person has to do something, or nothing happens for too long."""
    spool.service(0)
    before, since, said = -1, time.monotonic(), time.monotonic()
    told = 0
    while (left := spool.figures["records"]) and spool.trouble is not Trouble.BLOCKED:
        now = time.monotonic()
        if left != before:
            before, since = left, now
        elif now - since >= timeout_seconds:
            return
        if now - said >= _PROGRESS_SECONDS and spool.counts["replayed"] != told:
            said, told = now, spool.counts["replayed"]
            print(f"{_messages(told)} delivered, {left} left", file=sys.stderr, flush=True)  # noqa: T201
        spool.flush(min(1.0, timeout_seconds))
        if spool.trouble is not None:
            time.sleep(0.1)


def _place(arguments: argparse.Namespace) -> tuple[Path, Settings | None]:
    """The directory, and the settings; without any the directory is the named one, or the default one."""
    is_named = arguments.dir is not None
    settings = None
    try:
        settings = read_configured(arguments).settings
    except NoConfigurationError as error:
        if isinstance(error, NoSettingsError) and (not is_named or arguments.conf_dir or arguments.file):
            raise
        if not is_named:
            complain("no configuration was found: this is the default directory; name yours by --dir or --conf-dir")
    except ConfigurationError as error:
        if not is_named or arguments.conf_dir or arguments.file or arguments.conf:
            raise
        complain(str(error))
    directory = arguments.dir or found_directory(settings.spool.dir if settings else None)
    return _readable(directory, is_named=is_named), settings


def _readable(directory: Path, *, is_named: bool) -> Path:
    if is_named and not directory.exists():
        raise SacKafkaError(f"--dir {directory}: there is no such directory; name another")
    if directory.exists() and not (directory.is_dir() and os.access(directory, os.R_OK | os.X_OK)):
        raise SacKafkaError(f"{directory}: cannot be read, or is no directory: name the right one, or run as its owner")
    return directory


def _chosen(directory: Path, arguments: argparse.Namespace) -> list[SpoolFile]:
    found = inspect(directory)
    if not arguments.files:
        return [each for each in found if (each.state is State.REJECTED) == arguments.rejected]
    by_name = {str(each.path.relative_to(directory)): each for each in found}
    unknown = [name for name in arguments.files if name not in by_name]
    if unknown:
        raise SacKafkaError(f"{directory} has no spool file {unknown[0]}: take a name from sac-kafka spool list")
    return [by_name[name] for name in arguments.files]


def _shown(kept: Kept) -> dict[str, Any]:
    record = kept.record
    created = datetime.fromtimestamp(record.created_ms / 1000, timezone.utc)
    return {
        "id": kept.id,
        "created": created.isoformat(timespec="milliseconds"),
        "topic": record.topic,
        "key": None if record.key is None else record.key.decode("utf-8", "backslashreplace"),
        "kind": record.kind.value,
        "reason": None if kept.reason is None else mask_text(kept.reason),
        "values": [_masked_json(value) for value in record.values],
    }


def _masked_json(value: bytes) -> object:
    text = value.decode("utf-8", "backslashreplace")
    try:
        return _masked(json.loads(text))
    except ValueError:
        return mask_text(text)


def _masked(value: object) -> object:
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, list):
        return [_masked(each) for each in value]
    if isinstance(value, dict):
        return {key: _masked(each) for key, each in value.items()}
    return value


def _age(seconds: float) -> str:
    """The age in its largest unit.

    >>> _age(3 * 3600 + 59)
    '3h'
    """
    unit, length = next(((unit, length) for unit, length in _UNITS if seconds >= length), _UNITS[-1])
    return f"{int(max(0.0, seconds) // length)}{unit}"


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 86_400:
        raise argparse.ArgumentTypeError("must be a number of seconds, at most 86400")
    return value


def _total(files: Sequence[SpoolFile]) -> str:
    return _counted(sum(each.messages for each in files), len(files))


def _counted(messages_: int, files: int) -> str:
    """How much it is.

    >>> _counted(1, 2)
    '1 message in 2 files'
    """
    return f"{_messages(messages_)} in {files} file{'s' * (files != 1)}"


def _messages(count: int) -> str:
    return f"{count} message{'s' * (count != 1)}"
