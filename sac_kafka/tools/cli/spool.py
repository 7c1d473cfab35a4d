"""`sac-kafka spool`: list, show, deliver and remove the messages in the spool directory.

The spool directory is that of `--dir`, else of the configuration. With atlas.also the commands handle the spools of all
destinations, or that of `--destination`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from sac_kafka.errors import SacKafkaError
from sac_kafka.masking import mask_text
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.arguments import add, add_action, add_group, add_seconds
from sac_kafka.tools.cli.configured import add_options
from sac_kafka.tools.cli.output import (
    mask_strings,
    print_data_json_line,
    print_error,
    print_masked,
    print_masked_table,
)
from sac_kafka.tools.cli.spool_replay import (
    SOME_LEFT,
    SpoolDirectory,
    counts_of,
    places_of,
    print_results,
    replay_messages,
    to_here,
    topic,
    total,
)
from sac_kafka.tools.cli.terminal import Table, TableColumn
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.spool.codec import StoredRecord
from sac_kafka.transport.spool.inspection import FileState, SpoolFile, inspect, messages, remove
from sac_kafka.transport.spool.options import destination_of

_COLUMNS = (
    TableColumn("MESSAGES"),
    TableColumn("DAMAGED"),
    TableColumn("BYTES", least=11),
    TableColumn("AGE", least=4),
    TableColumn("STATE", is_right=False, least=10),
    TableColumn("TOPIC", is_right=False),
    TableColumn("FILE", is_right=False),
)
_UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    actions = add_group(commands, __doc__, "spool", "list, deliver or delete undelivered messages")
    list_ = add_action(
        actions,
        "list",
        list_files,
        "list the spool files and their remaining messages",
        "spool list --dir /data/spool --json",
    )
    show = add_action(
        actions,
        "show",
        show_messages,
        "print messages as JSON with secrets masked, one per line",
        "spool show --rejected | sac-kafka show -",
    )
    replay = add_action(
        actions,
        "replay",
        replay_messages,
        "deliver the spooled messages; exit status 1 if any remain",
        "spool replay --any-destination",
    )
    purge = add_action(
        actions, "purge", purge_files, "delete spool files without delivering them", "spool purge --rejected --yes"
    )
    for action in (list_, show, replay, purge):
        add(action, "--dir DIR", "spool directory (default: that of the configuration)", type=Path)
        add_options(action)
    for action in (list_, replay, purge):
        add(action, "--json", "print one JSON object")
    for action in (show, purge):
        add(action, "files FILE", "only these files, as spool list names them", nargs="*")
    for action in (show, replay, purge):
        add(
            action, "--rejected", "only rejected messages" if action is not replay else "also deliver rejected messages"
        )
    add(replay, "--any-destination", "also messages for another server or topic; they are sent to the configured ones")
    add(replay, "--topic NAME", "send all messages to this topic, including those for another one")
    add(
        replay,
        "--unlocked",
        "replay files although the file system does not support locks; no driver may be writing to the directory",
    )
    add_seconds(replay, "--timeout", 60.0, "stop if nothing was delivered for this long")
    add(purge, "--yes", "do not ask for confirmation")


def list_files(arguments: argparse.Namespace) -> int:
    """Print a line for each file."""
    places = places_of(arguments)
    if arguments.json:
        print_results([(place, _list_as_json(place)) for place in places], is_one=len(places) == 1)
        return 0
    for place in places:
        _print_list(place)
    return 0


def _print_list(place: SpoolDirectory) -> None:
    found = inspect(place.directory)
    print_masked(place.prefix_name(str(place.directory)))
    if not found:
        print_masked("the spool is empty")
        return
    rows, others = [], _others(place, found)
    for each in found:
        age = _age(time.time() - each.writer.started_us / 1e6)
        name = f"{each.path.relative_to(place.directory)}{'  (another destination)' if each in others else ''}"
        counts = map(str, (each.messages, each.damaged, each.bytes))
        rows.append((*counts, age, each.state.value, topic(each), name))
    print_masked_table(Table(_COLUMNS, tuple(rows)))
    print_masked(total(counts_of(found)))
    if others and place.settings is not None:
        here = sink_of(place.settings).describe(place.settings)
        print_masked(f"another destination: other servers or another topic than {here}; {to_here(place.settings)}")


def _list_as_json(place: SpoolDirectory) -> dict[str, object]:
    found = inspect(place.directory)
    others = None if place.settings is None else _others(place, found)
    files = [
        _object(each, place.directory, is_for_another=None if others is None else each in others) for each in found
    ]
    return {"directory": str(place.directory), "files": files}


def _others(place: SpoolDirectory, files: Iterable[SpoolFile]) -> set[SpoolFile]:
    """Return the files whose messages go elsewhere than the configured ones."""
    here = destination_of(place.settings) if place.settings is not None else None
    return {each for each in files if here not in (None, each.writer.destination)}


def _object(file: SpoolFile, directory: Path, *, is_for_another: bool | None) -> dict[str, object]:
    return {
        "file": str(file.path.relative_to(directory)),
        "messages": file.messages,
        "damaged": file.damaged,
        "bytes": file.bytes,
        "started_ms": file.writer.started_us // 1000,
        "state": file.state.value,
        "topic": mask_text(file.topic),
        "is_for_another": is_for_another,
    }


def show_messages(arguments: argparse.Namespace) -> int:
    """Print the remaining messages of the files as JSON, one per line."""
    for place, files in _choose(arguments):
        whose = {"destination": place.name} if place.name else {}
        for file in files:
            name = str(file.path.relative_to(place.directory))
            for kept in messages(file):
                print_data_json_line({"file": name, **whose, **_shown(kept)})
            if file.damaged:
                problem = f"{name}: {with_noun(file.damaged, 'message')} damaged on the disk, skipped"
                print_error(place.prefix_name(problem), "sac-kafka spool show")
    return 0


def purge_files(arguments: argparse.Namespace) -> int:
    """Remove files that no running driver writes."""
    chosen = [
        (place, [each for each in files if each.state is not FileState.IN_USE]) for place, files in _choose(arguments)
    ]
    if any(files for _, files in chosen) and not arguments.yes:
        counts = [(place, total(counts_of(files))) for place, files in chosen if files]
        if arguments.json or not sys.stdin.isatty():
            lost = ", ".join(place.prefix_name(count) for place, count in counts)
            raise SacKafkaError(f"{lost} would be lost: pass --yes")
        asked = " and ".join(f"{count} of {place.directory}" for place, count in counts)
        if input(f"Remove {asked}? [y/N] ").strip().lower() != "y":
            return SOME_LEFT
    removed = [(place, files, [each for each in files if remove(place.directory, each)]) for place, files in chosen]
    if arguments.json:
        print_results(
            [
                (place, {"removed": counts_of(gone), "left": counts_of([each for each in files if each not in gone])})
                for place, files, gone in removed
            ],
            is_one=len(removed) == 1,
        )
    else:
        for place, files, gone in removed:
            print_masked(place.prefix_name(f"removed {total(counts_of(gone))}" if files else "nothing to delete"))
    return 0 if all(len(gone) == len(files) for _, files, gone in removed) else SOME_LEFT


def _choose(arguments: argparse.Namespace) -> list[tuple[SpoolDirectory, list[SpoolFile]]]:
    """Return the files that the arguments select in each spool."""
    found = [(place, inspect(place.directory)) for place in places_of(arguments)]
    if not arguments.files:
        rejected = arguments.rejected
        return [
            (place, [each for each in files if (each.state is FileState.REJECTED) == rejected])
            for place, files in found
        ]
    by_name = [(place, {str(each.path.relative_to(place.directory)): each for each in files}) for place, files in found]
    for name in arguments.files:
        if not any(name in files for _, files in by_name):
            directories = ", ".join(str(place.directory) for place, _ in found)
            raise SacKafkaError(f"{directories} has no spool file {name}: take a name from sac-kafka spool list")
    return [(place, [files[name] for name in arguments.files if name in files]) for place, files in by_name]


def _shown(kept: StoredRecord) -> dict[str, Any]:
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
        return mask_strings(json.loads(text), mask_text)
    except ValueError:
        return mask_text(text)


def _age(seconds: float) -> str:
    """Return an age in its largest unit.

    >>> _age(3 * 3600 + 59)
    '3h'
    """
    unit, length = next(((unit, length) for unit, length in _UNITS if seconds >= length), _UNITS[-1])
    return f"{int(max(0.0, seconds) // length)}{unit}"
