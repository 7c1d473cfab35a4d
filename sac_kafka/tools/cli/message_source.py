"""Read the SOURCE of a command: messages of a file, standard input, a spool or a topic; or the lineage of an Atlas server."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sac_kafka.atlas.wire.reader import read
from sac_kafka.errors import MessageError, SacKafkaError
from sac_kafka.tools.catalog.server import AtlasServer, server_of
from sac_kafka.tools.cli.arguments import seconds
from sac_kafka.tools.cli.configured import add_options, read_configured
from sac_kafka.tools.cli.input_lines import SkippedMessages, display_name, read_lines
from sac_kafka.tools.cli.output import suppressed_log
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.cli.server_lineage import read_lineage
from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.json_lines import parse_lines
from sac_kafka.tools.messages.lineage import parse_notification
from sac_kafka.tools.messages.model import CatalogChange, LineageProcess
from sac_kafka.tools.messages.reader import END_OF_INPUT, RawRecord, TopicMessage, UnreadableRecord, join_parts
from sac_kafka.tools.messages.records import read_spool, read_topic
from sac_kafka.transport.spool.directory import found_directory
from sac_kafka.transport.spool.inspection import inspect

TOPIC, SPOOL, SERVER = "topic", "spool", "server"
SERVER_NEEDED = "atlas.rest.address=URL"
MESSAGE_KEYWORDS = f"{TOPIC} or {SPOOL}"
"""Values of SOURCE that refer to the configuration, for commands that need the messages themselves."""
LINEAGE_KEYWORDS = f"{TOPIC}, {SPOOL} or {SERVER}"
"""The same for commands that need only lineage: an Atlas server has lineage, but no messages."""


def add_source(
    parser: argparse.ArgumentParser,
    default: str | None = None,
    *,
    keywords: str = MESSAGE_KEYWORDS,
) -> None:
    """Add the argument SOURCE, and the options to configure access to it.

    Args:
        parser: The parser of the command.
        default: The default of SOURCE; None makes it required.
        keywords: The allowed keywords, for the help text.
    """
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs=None if default is None else "?",
        default=default,
        help=source_help(default, keywords),
    )
    add_reading_options(parser)


def source_help(default: str | None = None, keywords: str = MESSAGE_KEYWORDS) -> str:
    """Return the help text of SOURCE."""
    return (
        f"a file of messages, - for standard input, a spool directory, or the word {keywords} for the configured one; "
        f"write ./topic for a file of that name{f' (default: {default})' if default else ''}"
    )


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to configure access to a source: the configuration, and `--timeout`."""
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=15.0,
        metavar="SECONDS",
        help="maximum time to wait for an answer of the server (default: %(default)g)",
    )
    add_options(parser)


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """Selection of the messages of a source.

    Args:
        since_ms: Skip messages before this time, epoch milliseconds. Messages without a time are always read. None: read all.
        last: Read at most this many of the newest records of each partition of a topic; None: read all.
        follow: Wait for new messages at the end of a topic.
        waiting: Called a few times per second while waiting for new messages; may raise to stop waiting.
    """

    since_ms: int | None = None
    last: int | None = None
    follow: bool = False
    waiting: Callable[[], None] | None = None


ALL = MessageFilter()


def read_messages(
    arguments: argparse.Namespace, source: str, selection: MessageFilter = ALL, *, keywords: str = MESSAGE_KEYWORDS
) -> Generator[TopicMessage | UnreadableRecord, None, None]:
    """Yield the messages of a source in their order, parts joined, and an `Unread` for each that cannot be read.

    Args:
        arguments: The parsed arguments, with the options of `add_source`.
        source: The value of SOURCE.
        selection: Which messages to read.
        keywords: The allowed keywords of SOURCE, for error messages.

    Raises:
        SacKafkaError: The source does not exist or cannot be read.
    """
    if selection.follow:  # Waiting for messages is normal here: no progress indicator, and log messages stay visible.
        yield from _selected(_values(arguments, source, selection, keywords), selection)
        return
    # Log messages are suppressed because the error raised has the same text.
    with suppressed_log(), show_progress(f"reading {display_name(source)}", "message") as progress:
        # Only a topic can be read from near its end.
        selected = selection if source == TOPIC else replace(selection, last=None)
        for each in _selected(_values(arguments, source, selection, keywords), selected):
            progress.add()
            yield each


def messages_of_lines(text: Iterable[str], selection: MessageFilter = ALL) -> Iterator[TopicMessage | UnreadableRecord]:
    """Yield the messages in lines that the caller has already read, as `read_messages` does."""
    return _selected(parse_lines(text), selection)


def _selected(
    found: Iterable[RawRecord | UnreadableRecord], selection: MessageFilter
) -> Iterator[TopicMessage | UnreadableRecord]:
    since_ms = selection.since_ms
    for each in join_parts(found):
        if isinstance(each, UnreadableRecord):
            # Reading only the last records may start in the middle of a split message: that is no error.
            if each.place != END_OF_INPUT or selection.last is None:
                yield each
        elif since_ms is None or each.time_ms is None or each.time_ms >= since_ms:
            yield each


def lineage_of(
    found: Iterable[TopicMessage | UnreadableRecord], place: str, program: str
) -> Iterator[LineageProcess | CatalogChange]:
    """Yield the processes and catalog changes in messages; report unreadable messages in one line on standard error.

    Args:
        found: The messages.
        place: Display name of the source.
        program: Name of the command, for the line on standard error.
    """
    with SkippedMessages(place, program) as skipped:
        for each in found:
            try:
                if isinstance(each, UnreadableRecord):
                    raise MessageError(each.problem)
                message = read(each.text)
                skipped.add_entities(each.place, message.skipped)
                yield from parse_notification(message.notification)
            except MessageError as e:  # noqa: PERF203 an unreadable message is skipped
                skipped.add(each.place, str(e))


def read_graph(arguments: argparse.Namespace, source: str) -> LineageGraph:
    """Return the lineage graph of a source; arguments and errors as of `read_whole`."""
    return graph_of(read_whole(arguments, source))


def read_whole(arguments: argparse.Namespace, source: str) -> Iterator[LineageProcess | CatalogChange]:
    """Yield the lineage of a source, which may be a server, for commands that need all of it.

    Args:
        arguments: The parsed arguments, with the options of `add_source`.
        source: The value of SOURCE.

    Raises:
        SacKafkaError: The source does not exist or cannot be read.
    """
    if source == SERVER:
        return read_lineage(*configured_server(arguments))
    return lineage_of(
        read_messages(arguments, source, keywords=LINEAGE_KEYWORDS), display_name(source), arguments.program
    )


def source_name(arguments: argparse.Namespace, source: str) -> str:
    """Return the display name of a source; for a server with the namespace that its lineage is limited to."""
    if source != SERVER:
        return display_name(source)
    names = read_configured(arguments, needed=(SERVER_NEEDED,)).settings.names
    return SERVER if names.namespace_is_default else f"{SERVER} (atlas.metadata.namespace = {names.namespace})"


def configured_server(arguments: argparse.Namespace) -> tuple[AtlasServer, str | None]:
    """Return the Atlas server of the configuration, and its namespace; None if no namespace is set.

    Raises:
        SacKafkaError: No server is configured, or its address is invalid.
    """
    settings = read_configured(arguments, needed=(SERVER_NEEDED,)).settings
    namespace = None if settings.names.namespace_is_default else settings.names.namespace
    return server_of(settings.rest, arguments.timeout), namespace


def _values(
    arguments: argparse.Namespace, source: str, selection: MessageFilter, keywords: str
) -> Iterator[RawRecord | UnreadableRecord]:
    if source == TOPIC:
        return read_topic(
            read_configured(arguments).settings,
            arguments.timeout,
            selection.since_ms,
            last=selection.last,
            follow=selection.follow,
            waiting=selection.waiting,
        )
    if selection.follow:
        raise SacKafkaError(
            f"{display_name(source)}: --follow works with {TOPIC} only; pipe a growing file into standard input"
        )
    if source == SERVER:
        raise SacKafkaError(
            f"{SERVER}: an Atlas server does not keep messages; use a file, a spool directory or {TOPIC}"
        )
    if source == SPOOL:
        return read_spool(found_directory(read_configured(arguments).settings.spool.dir))
    path = Path(source)
    if path.is_dir():
        return _of_directory(path)
    return parse_lines(read_lines(source, f"name a file of messages, a spool directory, {keywords}"))


def _of_directory(path: Path) -> Iterator[RawRecord | UnreadableRecord]:
    """Read the spool in a directory.

    Raises:
        SacKafkaError: The directory has files of messages and no spool.
    """
    files = sorted(each.name for each in path.glob("*.jsonl"))
    if files and not inspect(path):
        raise SacKafkaError(f"{path}: not a spool directory; name a file of messages, such as {path / files[0]}")
    return read_spool(path)
