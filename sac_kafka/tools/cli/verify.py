"""`sac-kafka verify`: check that sent messages have been stored in the catalog.

Reads messages from SOURCE and looks up each entity in them by its qualified name on the Atlas server (atlas.rest.address), except
columns. Each entity is stored, a shell (a placeholder for a reference), rejected or pending (not stored yet). With the source
topic the offsets of the server show whether it rejected a message or has not consumed it yet. Exit status: 0 everything is
stored, 1 something is not, 2 error.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from sac_kafka.atlas.sent_names import Sending, SentNames
from sac_kafka.atlas.wire.reader import ParsedMessage, read
from sac_kafka.catalog.entities import EntityState, catalog_of
from sac_kafka.catalog.verification import Verification, verify
from sac_kafka.errors import MessageError, SacKafkaError
from sac_kafka.settings.files.finding import BROKER_EXAMPLE
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.arguments import SINCE_HELP, add, add_command, add_seconds, since
from sac_kafka.tools.cli.configured import read_with_options
from sac_kafka.tools.cli.input_lines import display_name
from sac_kafka.tools.cli.message_source import (
    SERVER_NEEDED,
    SPOOL,
    TOPIC,
    MessageFilter,
    add_allow_empty,
    add_source,
    read_messages,
    require_content,
    use_messages,
)
from sac_kafka.tools.cli.output import print_data, print_data_json
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.cli.styles import VERIFICATION
from sac_kafka.tools.messages.reader import TopicMessage
from sac_kafka.transport.http.failures import CONFIGURATION_KEYS

NOT_STORED = 1
_DROPPED = "[DROPPED_NOTIFICATION]"
"""Marker before a message in Atlas' `failed.log`. Source: its `NotificationHookConsumer`."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    command = add_command(
        commands,
        run,
        "check that sent messages are stored in the catalog",
        "verify lineage.jsonl --conf atlas.rest.address=http://atlas:21000",
        "verify topic --since 1h --wait 60",
        "verify spool --json",
    )
    add_source(command, TOPIC)
    add(command, "--since TIME", SINCE_HELP, type=since)
    add_seconds(command, "--wait", 0.1, "seconds to wait for entities that are not stored yet")
    add(command, "--failed-log FILE", "failed.log of the Atlas server, to identify rejected messages", type=Path)
    add_allow_empty(command)
    add(command, "--json", "print the result as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Verify the messages and print the entities that are not stored.

    Raises:
        SacKafkaError: The messages cannot be read, or the server cannot be reached or refuses access.
    """
    needed = (SERVER_NEEDED, *(BROKER_EXAMPLE if arguments.source == TOPIC else ()))
    settings = read_with_options(arguments, needed=needed).settings
    server = catalog_of(settings, arguments.timeout, CONFIGURATION_KEYS)
    names = _sent_names(arguments)
    require_content(arguments, arguments.source, names.sent, "entities to verify")
    rejected = _rejected_names(arguments.failed_log) if arguments.failed_log else ()
    address = settings.rest.query_address or "the server"
    with show_progress(f"looking up {_entities(len(names.sent))} on {address}"):
        result = verify(server, names, arguments.wait, topic=settings.sink.topic, rejected=rejected)
    if arguments.json:
        print_data_json(_as_json(result))
    else:
        for line in lines(result):
            print_data(line, VERIFICATION)
    return 0 if result else NOT_STORED


def lines(result: Verification) -> Iterator[str]:
    """Yield a line for each entity that is not stored, and the totals."""
    for entity in result.entities:
        if entity.state is not EntityState.STORED:
            yield f"{entity.state.value:<8} {entity.type_name} {entity.name}: {entity.reason}"
    stored = len(result.names(EntityState.STORED))
    more = f", {result.unchecked} more were not looked up" if result.unchecked else ""
    yield f"{stored} of {_entities(len(result.entities))} stored{more}"


def _entities(number: int) -> str:
    return with_noun(number, "entity", "entities")


def _sent_names(arguments: argparse.Namespace) -> SentNames:
    names = SentNames()
    is_spooled = arguments.source == SPOOL or Path(arguments.source).is_dir()

    def add_names(each: TopicMessage, message: ParsedMessage) -> None:
        names.add(message.notification, _sending(each, message, is_spooled=is_spooled))

    found = read_messages(arguments, arguments.source, MessageFilter(arguments.since))
    use_messages(found, add_names, display_name(arguments.source), arguments.program)
    return names


def _sending(each: TopicMessage, message: ParsedMessage, *, is_spooled: bool) -> Sending:
    """Return what is known about the sending of a message: only a record of the topic has its time and offset."""
    made_ms = message.created_ms if isinstance(message.created_ms, int) and message.created_ms > 0 else None
    return Sending(made_ms=made_ms, sent_ms=each.time_ms if each.at else None, place=each.at, is_spooled=is_spooled)


def _rejected_names(file: Path) -> frozenset[str]:
    """Return the qualified names in the messages of a server's failed.log.

    Raises:
        SacKafkaError: The file cannot be read.
    """
    names = SentNames()
    try:
        with file.open(encoding="utf-8", errors="replace") as log:
            for line in log:
                _, _, text = line.rpartition(_DROPPED)
                try:
                    names.add(read(text.strip()).notification, Sending())
                except MessageError:
                    continue
    except OSError as error:
        raise SacKafkaError(f"--failed-log {file}: {error.strerror or error}; name the failed.log of Atlas") from None
    return frozenset(id_.qualified_name for id_, each in names.sent.items() if not each.is_referred_to)


def _as_json(result: Verification) -> dict[str, object]:
    counts = {state.value: len(result.names(state)) for state in EntityState}
    entities = [
        {"type": entity.type_name, "name": entity.name, "state": entity.state.value, "reason": entity.reason}
        for entity in result.entities
    ]
    return {**counts, "unchecked": result.unchecked, "problem": result.problem, "entities": entities}
