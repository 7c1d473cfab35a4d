"""Where a command finds messages: a file, standard input, a spool, the topic of the configuration; or lineage, a server."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sac_kafka.asking.server import AtlasServer, server_of
from sac_kafka.atlas.wire.reader import read
from sac_kafka.cli.configured import add_options, read_configured
from sac_kafka.cli.foreign_lines import lines, named
from sac_kafka.cli.saying import without_log
from sac_kafka.cli.seconds import seconds
from sac_kafka.cli.server_lineage import told_by
from sac_kafka.cli.unread import UnreadMessages
from sac_kafka.cli.waiting import waiting
from sac_kafka.errors import MessageError, SacKafkaError
from sac_kafka.readable.graph import LineageGraph, graph_of
from sac_kafka.readable.lineage import says
from sac_kafka.readable.told import ToldChange, ToldProcess
from sac_kafka.reading.arrived import THE_END, Arrived, FoundValue, Unread, whole
from sac_kafka.reading.lines import of_lines
from sac_kafka.reading.spools import of_spool
from sac_kafka.reading.topics import of_topic
from sac_kafka.transport.spool.directory import found_directory
from sac_kafka.transport.spool.inspection import inspect

TOPIC, SPOOL, SERVER = "topic", "spool", "server"
SERVER_NEEDED = "atlas.rest.address=URL"
MESSAGES_IN = f"{TOPIC} and {SPOOL}"
"""The words by which a command is told where messages are."""
LINEAGE_IN = f"{TOPIC}, {SPOOL} and {SERVER}"
"""Those of a command that lineage suffices for."""


def add_where(
    parser: argparse.ArgumentParser, default: str | None = None, name: str = "where", *, words: str = MESSAGES_IN
) -> None:
    """Add the argument that says where messages are, and the options of the configuration that may be needed for it.

    Args:
        parser: That of the command.
        default: What is meant without the argument; None if it must be given.
        name: The attribute of the parsed arguments.
        words: Those that it may be.
    """
    parser.add_argument(
        name, metavar="WHERE", nargs=None if default is None else "?", default=default, help=help_of(default, words)
    )
    add_reading(parser)


def help_of(default: str | None = None, words: str = MESSAGES_IN) -> str:
    """Give the help of an argument that says where messages are."""
    return (
        f"a file of messages, - for standard input, a spool's directory, or one of the words {words}: those of the configuration"
        f"{f' (default: {default})' if default else ''}; write ./topic for a file called so"
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that may be needed where messages are read, whatever the argument is that says where they are."""
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=15.0,
        metavar="SECONDS",
        help="how long a server may take to answer (default: %(default)g)",
    )
    add_options(parser)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the messages that are there.

    Args:
        since_ms: Those of this time and later, epoch milliseconds; those without a time always. None: all.
        last: At most so many of the newest records of each partition of a topic; None all.
        follow: Whether to wait for more at the end of a topic.
        waiting: Is called a few times a second while it is waited for, and may raise to end that.
    """

    since_ms: int | None = None
    last: int | None = None
    follow: bool = False
    waiting: Callable[[], None] | None = None


ALL = Wanted()


def arrivals(
    arguments: argparse.Namespace, where: str, wanted: Wanted = ALL, *, words: str = MESSAGES_IN
) -> Generator[Arrived | Unread, None, None]:
    """Give the messages that are there, whole, in their order, and what could not be read.

    Args:
        arguments: With the options of `add_where`.
        where: What was given for WHERE.
        wanted: Which of them.
        words: Those that WHERE may be.

    Raises:
        SacKafkaError: There is nothing to read from, or it cannot be read.
    """
    if wanted.follow:  # who follows waits, and may want to know for what
        yield from _chosen(_found(arguments, where, wanted, words), wanted)
        return
    with without_log(), waiting(f"reading {named(where)}", "message") as shown:  # an error says what would be logged
        chosen = wanted if where == TOPIC else replace(wanted, last=None)  # all else is read from its beginning
        for each in _chosen(_found(arguments, where, wanted, words), chosen):
            shown.add()
            yield each


def arrivals_of(text: Iterable[str], wanted: Wanted = ALL) -> Iterator[Arrived | Unread]:
    """Give the messages of lines that were read already, as `arrivals` does."""
    return _chosen(of_lines(text), wanted)


def _chosen(found: Iterable[FoundValue | Unread], wanted: Wanted) -> Iterator[Arrived | Unread]:
    since_ms = wanted.since_ms
    for each in whole(found):
        if isinstance(each, Unread):
            if (
                each.place != THE_END or wanted.last is None
            ):  # the first parts of what was cut off are before the last ones
                yield each
        elif since_ms is None or each.time_ms is None or each.time_ms >= since_ms:
            yield each


def told(found: Iterable[Arrived | Unread], place: str, program: str) -> Iterator[ToldProcess | ToldChange]:
    """Give what messages say; those that cannot be read are counted in one line on standard error.

    Args:
        found: The messages.
        place: What to call where they are.
        program: Who speaks.
    """
    with UnreadMessages(place, program) as unread:
        for each in found:
            try:
                if isinstance(each, Unread):
                    raise MessageError(each.problem)
                found_there = read(each.text)
                unread.take_entities(each.place, found_there.unread)
                yield from says(found_there.notification)
            except MessageError as e:  # noqa: PERF203 one bad message is not the end
                unread.take(each.place, str(e))


def graph(arguments: argparse.Namespace, where: str, program: str) -> LineageGraph:
    """Give what flows into what, by all that is there.

    Args:
        arguments: With the options of `add_where`.
        where: What was given for WHERE.
        program: Who speaks of what cannot be read.

    Raises:
        SacKafkaError: There is nothing to read from, or it cannot be read.
    """
    if where == SERVER:
        return graph_of(told_by(*catalog(arguments)))
    return graph_of(told(arrivals(arguments, where, words=LINEAGE_IN), named(where), program))


def called(arguments: argparse.Namespace, where: str) -> str:
    """Give what to call where lineage was looked for: a server is asked for that of the namespace which is set."""
    if where != SERVER:
        return named(where)
    names = read_configured(arguments, needed=(SERVER_NEEDED,)).settings.names
    return SERVER if names.namespace_is_default else f"{SERVER} (atlas.metadata.namespace = {names.namespace})"


def catalog(arguments: argparse.Namespace) -> tuple[AtlasServer, str | None]:
    """Give the Atlas server of the configuration, and the namespace where that is set.

    Raises:
        SacKafkaError: None is named, or it cannot be asked.
    """
    configured = read_configured(arguments, needed=(SERVER_NEEDED,))
    names = configured.settings.names
    return server_of(
        configured.settings.rest, arguments.timeout
    ), None if names.namespace_is_default else names.namespace


def _found(arguments: argparse.Namespace, where: str, wanted: Wanted, words: str) -> Iterator[FoundValue | Unread]:
    if where == TOPIC:
        return of_topic(
            read_configured(arguments).settings,
            arguments.timeout,
            wanted.since_ms,
            last=wanted.last,
            follow=wanted.follow,
            waiting=wanted.waiting,
        )
    if wanted.follow:
        raise SacKafkaError(f"{named(where)}: only {TOPIC} can be followed; pipe a file that grows into standard input")
    if where == SERVER:
        raise SacKafkaError(f"{SERVER}: a server has no messages any more; name a file, a spool's directory or {TOPIC}")
    if where == SPOOL:
        return of_spool(found_directory(read_configured(arguments).settings.spool.dir))
    path = Path(where)
    if path.is_dir():
        return _of_directory(path)
    return of_lines(lines(where, f"name a file of messages, a spool's directory, or one of the words {words}"))


def _of_directory(path: Path) -> Iterator[FoundValue | Unread]:
    """The messages of the spool in a directory.

    Raises:
        SacKafkaError: It has files of messages instead: whoever names it means them.
    """
    files = sorted(each.name for each in path.glob("*.jsonl"))
    if files and not inspect(path):
        raise SacKafkaError(f"{path}: no spool is in it; name a file of messages, such as {path / files[0]}")
    return of_spool(path)
