"""`sac-kafka landed`: whether what messages say is in the catalog: stored, still a shell, refused, or not there yet.

The messages are those of a file, a spool or the topic; each entity that they tell of, or name, but for columns, is looked
up over REST (`atlas.rest.address`). Of the topic's messages their place tells whether the server is behind, or has refused
them. Exit status: 0 all is stored, 1 something is not, 2 it could not be looked up.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from sac_kafka.asking.words import IN_THE_CONFIGURATION
from sac_kafka.atlas.sent_names import Sending, SentNames
from sac_kafka.atlas.wire.reader import Read, read
from sac_kafka.cli.configured import read_configured
from sac_kafka.cli.help_texts import add_command
from sac_kafka.cli.input_lines import display_name
from sac_kafka.cli.message_source import SERVER_NEEDED, SPOOL, TOPIC, MessageFilter, add_source, read_messages
from sac_kafka.cli.output import print_data, print_data_json, print_error
from sac_kafka.cli.progress import show_progress
from sac_kafka.cli.seconds import seconds
from sac_kafka.cli.since import since
from sac_kafka.cli.skipped import SkippedMessages
from sac_kafka.cli.styles import VERIFICATION
from sac_kafka.config.finding import BROKER_EXAMPLE
from sac_kafka.errors import MessageError, SacKafkaError
from sac_kafka.figures import counted
from sac_kafka.landing.judging import Landing
from sac_kafka.landing.landed import Landed, look_up
from sac_kafka.landing.server import catalog_of
from sac_kafka.reading.arrived import Arrived, Unread

NO = 1
_PROG = "sac-kafka landed"
_DROPPED = "[DROPPED_NOTIFICATION]"
"""What stands before a message in Atlas' `failed.log`. Source: its `NotificationHookConsumer`."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    landed = add_command(
        commands,
        __doc__,
        "whether what was sent is in the catalog",
        "landed lineage.jsonl --conf atlas.rest.address=http://atlas:21000",
        "landed topic --since 1h --wait 60",
        "landed spool --json",
    )
    add_source(landed, TOPIC)
    landed.add_argument(
        "--since", type=since, metavar="TIME", help="from then on: 30s, 5m, 2h or 7d ago, or 2026-11-20"
    )
    landed.add_argument(
        "--wait",
        type=seconds,
        default=0.1,
        metavar="SECONDS",
        help="how long what is not there may still come (default: %(default)g)",
    )
    landed.add_argument(
        "--failed-log", type=Path, metavar="FILE", help="the server's failed.log, to name what it refused"
    )
    landed.add_argument("--json", action="store_true", help="each entity as one JSON object")
    landed.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Look up and show.

    Raises:
        SacKafkaError: There is nothing to read from, or the server cannot be asked.
    """
    needed = (SERVER_NEEDED, *(BROKER_EXAMPLE if arguments.source == TOPIC else ()))
    settings = read_configured(arguments, needed=needed).settings
    server = catalog_of(settings, arguments.timeout, IN_THE_CONFIGURATION)
    sent = _sent(arguments)
    if not sent.sent:
        print_error(f"{display_name(arguments.source)} tells of nothing that could be looked up", _PROG)
        return NO
    refused = _refused(arguments.failed_log) if arguments.failed_log else ()
    with show_progress(f"looking at {settings.rest.query_address or 'the server'} for {_entities(len(sent.sent))}"):
        landed = look_up(
            server, sent.sent, arguments.wait, topic=settings.sink.topic, left_out=sent.left_out, refused=refused
        )
    if arguments.json:
        print_data_json(_object(landed))
    else:
        for line in lines(landed):
            print_data(line, VERIFICATION)
    return 0 if landed else NO


def lines(landed: Landed) -> Iterator[str]:
    """What is not stored, by name, and how many are."""
    for each in landed.entities:
        if each.landing is not Landing.STORED:
            yield f"{each.landing.value:<8} {each.type_name} {each.name}: {each.why}"
    stored = len(landed.names(Landing.STORED))
    more = f", {landed.left_out} more were not looked up" if landed.left_out else ""
    yield f"{stored} of {_entities(len(landed.entities))} stored{more}"


def _entities(number: int) -> str:
    return counted(number, "entity", "entities")


def _sent(arguments: argparse.Namespace) -> SentNames:
    names = SentNames()
    is_kept = arguments.source == SPOOL or Path(arguments.source).is_dir()
    place = display_name(arguments.source)
    with SkippedMessages(place, _PROG) as skipped:
        for each in read_messages(arguments, arguments.source, MessageFilter(arguments.since)):
            try:
                if isinstance(each, Unread):
                    raise MessageError(each.problem)
                message = read(each.text)
                names.take(message.notification, _sending(each, message, is_kept=is_kept))
            except MessageError as error:  # noqa: PERF203 one bad message is not the end
                skipped.add(each.place, str(error))
    return names


def _sending(each: Arrived, message: Read, *, is_kept: bool) -> Sending:
    """A record of the topic says when it was sent, also of what was replayed; a line of a file only when it was made."""
    made_ms = message.created_ms if isinstance(message.created_ms, int) and message.created_ms > 0 else None
    return Sending(made_ms=made_ms, sent_ms=each.time_ms if each.at else None, place=each.at, is_kept=is_kept)


def _refused(file: Path) -> frozenset[str]:
    """The names in the messages that a server has dropped.

    Raises:
        SacKafkaError: The file cannot be read.
    """
    names = SentNames()
    try:
        with file.open(encoding="utf-8", errors="replace") as log:
            for line in log:
                _, _, text = line.rpartition(_DROPPED)
                try:
                    names.take(read(text.strip()).notification, Sending())
                except MessageError:
                    continue
    except OSError as error:
        raise SacKafkaError(f"--failed-log {file}: {error.strerror or error}; name the failed.log of Atlas") from None
    return frozenset(id_.qualified_name for id_, each in names.sent.items() if not each.is_referred_to)


def _object(landed: Landed) -> dict[str, object]:
    counts = {landing.value: len(landed.names(landing)) for landing in Landing}
    entities = [
        {"type": each.type_name, "name": each.name, "landing": each.landing.value, "why": each.why}
        for each in landed.entities
    ]
    return {**counts, "left_out": landed.left_out, "problem": landed.problem, "entities": entities}
