"""Read the SOURCE of a command: messages of a file, standard input, a spool or a topic; or the lineage of an Atlas server."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from sac_kafka.atlas.wire.reader import ParsedMessage, read
from sac_kafka.catalog.server import AtlasServer, server_of
from sac_kafka.errors import MessageError, SacKafkaError
from sac_kafka.settings.sinks import ClientType
from sac_kafka.tools.cli.arguments import add, add_seconds, connection_options
from sac_kafka.tools.cli.configured import add_options, read_with_options
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
from sac_kafka.tools.messages.state import ServerState
from sac_kafka.transport.spool.directory import found_directory
from sac_kafka.transport.spool.inspection import inspect

TOPIC, SPOOL, SERVER = "topic", "spool", "server"
SERVER_NEEDED = "atlas.rest.address=URL"
MESSAGE_KEYWORDS = f"{TOPIC} or {SPOOL}"
"""Values of SOURCE that refer to the configuration, for commands that need the messages themselves."""
LINEAGE_KEYWORDS = f"{TOPIC}, {SPOOL} or {SERVER}"
"""The same for commands that need only lineage: an Atlas server has lineage, but no messages."""
_FOLLOW = ("-f", "--follow")
"""Options of a topic: standard input is followed anyway."""
_Result = TypeVar("_Result")


def add_source(
    parser: argparse.ArgumentParser,
    default: str | None = None,
    *,
    keywords: str = MESSAGE_KEYWORDS,
) -> None:
    """Add the argument SOURCE, and the options to configure access to it.

    `default` None makes it required; `keywords` are the allowed ones, for the help.
    """
    add(
        parser, "source SOURCE", source_help(default, keywords), nargs=None if default is None else "?", default=default
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
    add_seconds(connection_options(parser), "--timeout", 15.0, "maximum time to wait for an answer of the server")
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

    `keywords` are the allowed ones, for errors.

    Raises:
        SacKafkaError: The source does not exist or cannot be read.
    """
    if selection.follow:  # Waiting for messages is normal here: no progress indicator, and log messages stay visible.
        yield from _select(_values(arguments, source, selection, keywords), selection)
        return
    # Log messages are suppressed because the error raised has the same text.
    with suppressed_log(), show_progress(f"reading {display_name(source)}", "message") as progress:
        # Only a topic can be read from near its end.
        selected = selection if source == TOPIC else replace(selection, last=None)
        for each in _select(_values(arguments, source, selection, keywords), selected):
            progress.add()
            yield each


def messages_of_lines(text: Iterable[str], selection: MessageFilter = ALL) -> Iterator[TopicMessage | UnreadableRecord]:
    """Yield the messages in lines that the caller has already read, as `read_messages` does."""
    return _select(parse_lines(text), selection)


def _select(
    found: Iterable[RawRecord | UnreadableRecord], selection: MessageFilter
) -> Iterator[TopicMessage | UnreadableRecord]:
    since_ms = selection.since_ms
    for join_part in join_parts(found):
        if isinstance(join_part, UnreadableRecord):
            # Reading only the last records may start in the middle of a split message: that is no error.
            if join_part.place != END_OF_INPUT or selection.last is None:
                yield join_part
        elif since_ms is None or join_part.time_ms is None or join_part.time_ms >= since_ms:
            yield join_part


def results_of_messages(
    found: Iterable[TopicMessage | UnreadableRecord],
    use: Callable[[TopicMessage, ParsedMessage], Iterable[_Result]],
    place: str,
    program: str,
) -> Iterator[_Result]:
    """Yield the results of `use` for each message; report unreadable messages in one line on standard error.

    `use` may raise MessageError; `program` is the command's name.

    Raises:
        SacKafkaError: There are messages, and none can be read.
    """
    with SkippedMessages(place, program) as skipped:
        for each in found:
            try:
                if isinstance(each, UnreadableRecord):
                    raise MessageError(each.problem)
                message = read(each.text)
                skipped.add_entities(each.place, message.skipped)
                yield from use(each, message)
                skipped.add_read()
            except MessageError as e:  # noqa: PERF203 an unreadable message is skipped
                skipped.add(each.place, str(e))


def use_messages(
    found: Iterable[TopicMessage | UnreadableRecord],
    use: Callable[[TopicMessage, ParsedMessage], None],
    place: str,
    program: str,
) -> None:
    """Call `use` for each message; arguments and errors as of `results_of_messages`."""

    def no_results(each: TopicMessage, message: ParsedMessage) -> tuple[()]:
        use(each, message)
        return ()

    for _ in results_of_messages(found, no_results, place, program):
        pass


def read_changes(arguments: argparse.Namespace, source: str) -> Iterator[LineageProcess | CatalogChange]:
    """Yield the processes and catalog changes of each message of a source; arguments and errors as of `read_messages`."""

    def parse(_: TopicMessage, message: ParsedMessage) -> tuple[LineageProcess | CatalogChange, ...]:
        return parse_notification(message.notification)

    return results_of_messages(read_messages(arguments, source), parse, display_name(source), arguments.program)


def read_state(arguments: argparse.Namespace, source: str, *, with_types: bool = False) -> ServerState:
    """Return what a server holds that has processed the messages of a source; for the source `server`, what that server holds.

    With `with_types` a server is queried for the data types of columns, which messages contain anyway.

    Raises:
        SacKafkaError: The source does not exist or cannot be read.
    """
    if source == SERVER:
        return ServerState(read_lineage(*configured_server(arguments), with_types=with_types))
    state = ServerState()
    messages = read_messages(arguments, source, keywords=LINEAGE_KEYWORDS)
    use_messages(
        messages, lambda _, message: state.apply(message.notification), display_name(source), arguments.program
    )
    return state


def read_graph(arguments: argparse.Namespace, source: str, *, with_types: bool = False) -> LineageGraph:
    """Return the lineage graph of a source, which may be empty; arguments and errors as of `read_state`."""
    return graph_of(read_state(arguments, source, with_types=with_types).items())


def add_allow_empty(parser: argparse.ArgumentParser) -> None:
    """Add the option that accepts a source without content."""
    add(parser, "--allow-empty", "accept a source that has nothing to judge")


def require_content(arguments: argparse.Namespace, source: str, content: object, what: str) -> None:
    """Check that a source has what the command judges.

    Raises:
        SacKafkaError: There is no content, and no `--allow-empty`.
    """
    if not content and not arguments.allow_empty:
        raise SacKafkaError(f"{source_name(arguments, source)} has no {what}; --allow-empty accepts that")


def source_name(arguments: argparse.Namespace, source: str) -> str:
    """Return the display name of a source; for a server with the namespace that its lineage is limited to."""
    if source != SERVER:
        return display_name(source)
    names = read_with_options(arguments, needed=(SERVER_NEEDED,)).settings.names
    return SERVER if names.namespace_is_default else f"{SERVER} (atlas.metadata.namespace = {names.namespace})"


def configured_server(arguments: argparse.Namespace) -> tuple[AtlasServer, str | None]:
    """Return the Atlas server of the configuration, and its namespace; None if no namespace is set.

    Raises:
        SacKafkaError: No server is configured, or its address is invalid.
    """
    settings = read_with_options(arguments, needed=(SERVER_NEEDED,)).settings
    namespace = None if settings.names.namespace_is_default else settings.names.namespace
    return server_of(settings.rest, arguments.timeout), namespace


def _values(
    arguments: argparse.Namespace, source: str, selection: MessageFilter, keywords: str
) -> Iterator[RawRecord | UnreadableRecord]:
    if source == TOPIC:
        configured = read_with_options(arguments)
        sink = configured.settings.sink.client_type
        if configured.destination and sink is not ClientType.KAFKA:
            raise SacKafkaError(
                f"--destination {configured.destination}: its messages go to {sink.value}, not to a topic; name one with a topic"
            )
        return read_topic(
            configured.settings,
            arguments.timeout,
            selection.since_ms,
            last=selection.last,
            follow=selection.follow,
            waiting=selection.waiting,
            piped_to=_from_standard_input(arguments.words),
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
        return read_spool(found_directory(read_with_options(arguments).settings.spool.dir))
    path = Path(source)
    if not path.is_dir():
        return parse_lines(read_lines(source, f"name a file of messages, a spool directory, {keywords}"))
    files = sorted(file.name for file in path.glob("*.jsonl"))
    if files and not inspect(path):
        raise SacKafkaError(f"{path}: not a spool directory; name a file of messages, such as {path / files[0]}")
    return read_spool(path)


def _from_standard_input(words: Sequence[str]) -> str:
    """Return the command line of this command, with standard input in place of the topic."""
    kept = ["-" if word == TOPIC else word for word in words if word not in _FOLLOW]
    return shlex.join(("sac-kafka", *kept, *(() if "-" in kept else ("-",))))
