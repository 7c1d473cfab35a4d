"""`sac-kafka tail`: print the newest messages of a topic, file or spool, one by one.

Each is printed with its time, job and user, its processes with inputs and outputs, and its catalog changes. Split and compressed
messages are joined and decompressed. Messages of other hooks (Hive, Impala …) are printed, too. The default is the last ten
messages. To see the lineage of all messages together, use sac-kafka show.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import io
import json
import select
import sys
from collections.abc import Iterable, Iterator

from sac_kafka.atlas.wire.reader import read
from sac_kafka.errors import MessageError
from sac_kafka.tools.cli.arguments import SINCE_HELP, add, add_command, number, since
from sac_kafka.tools.cli.input_lines import SkippedMessages, display_name
from sac_kafka.tools.cli.message_source import TOPIC, MessageFilter, add_source, read_messages
from sac_kafka.tools.cli.output import print_data, print_data_json_line, print_error, print_text
from sac_kafka.tools.cli.styles import LINEAGE
from sac_kafka.tools.graph.message_summary import MessageSummary, block, summarize, summary_object
from sac_kafka.tools.messages.reader import TopicMessage, UnreadableRecord, to_one_line

NOTHING = 1
_LAST = 10
_MAX_LAST = 100_000
_Selected = tuple[TopicMessage, MessageSummary | None]
"""Selected message; its summary is None if it cannot be parsed, which only --raw prints."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    tail = add_command(
        commands,
        run,
        "print the newest messages of a topic",
        "tail --follow --grep sales.orders",
    )
    add_source(tail, TOPIC)
    add(tail, "-f --follow", "wait for new messages of the topic")
    add(tail, "--since TIME", SINCE_HELP, type=since)
    add(
        tail,
        "-n --last N",
        f"print the newest N (default: {_LAST}; with --since or --grep all); with --follow, of each partition",
        type=number(1, _MAX_LAST),
    )
    add(tail, "--grep TEXT", "print only messages that contain this text, ignoring case")
    add(tail, "--columns", "print column lineage, too")
    form = tail.add_mutually_exclusive_group()
    add(form, "--raw", "print the messages unchanged, one per line")
    add(form, "--json", "print a summary of each message as a JSON object, one per line")


def run(arguments: argparse.Namespace) -> int:
    """Print the messages.

    Raises:
        SacKafkaError: The source does not exist or cannot be read.
    """
    is_all = arguments.since is not None or arguments.grep is not None
    last: int | None = arguments.last or (None if is_all else _LAST)
    selection = MessageFilter(
        arguments.since,
        None if arguments.grep is not None else last,
        follow=arguments.follow,
        waiting=_raise_if_pipe_closed if arguments.follow else None,
    )
    with (
        SkippedMessages(display_name(arguments.source), arguments.program) as skipped,
        contextlib.closing(read_messages(arguments, arguments.source, selection)) as found,
    ):
        selected = _select(found, arguments, skipped)
        is_any = False
        for each in selected if arguments.follow or last is None else _newest(selected, last):
            is_any = True
            _write(each, arguments)
            sys.stdout.flush()
        if is_any or arguments.follow:
            return 0
        if not skipped.number:
            print_error(f"{display_name(arguments.source)} has no {'such ' if is_all else ''}messages")
    return NOTHING


def _select(
    found: Iterable[TopicMessage | UnreadableRecord], arguments: argparse.Namespace, skipped: SkippedMessages
) -> Iterator[_Selected]:
    for each in found:
        if isinstance(each, UnreadableRecord):
            skipped.add(each.place, each.problem)
            continue
        message = None
        try:
            there = read(each.text)
            skipped.add_entities(each.place, there.skipped)
            message = summarize(there)
            skipped.add_read()
        except MessageError as error:
            if not arguments.raw:
                skipped.add(each.place, str(error))
                continue
            skipped.add_read()
        if arguments.grep is None or _has(each.text, arguments.grep):
            yield each, message


def _has(text: str, asked: str) -> bool:
    r"""Return whether a message contains a text, also where JSON escapes its characters as \\uXXXX."""
    wanted = asked.casefold()
    if wanted in text.casefold():
        return True
    if "\\" not in text:
        return False
    try:
        return wanted in json.dumps(json.loads(text), ensure_ascii=False).casefold()
    except (ValueError, RecursionError):
        return False


def _newest(selected: Iterable[_Selected], last: int) -> list[_Selected]:
    """Return the newest messages by time, because partitions are read one after the other."""
    return [each for _, _, each in sorted(heapq.nlargest(last, _add_times(selected)))]


def _add_times(selected: Iterable[_Selected]) -> Iterator[tuple[int, int, _Selected]]:
    """Yield each message after its time and its number. A message without a time keeps its place after the one before it."""
    time_ms = 0
    for at, each in enumerate(selected):
        time_ms = time_ms if each[0].time_ms is None else each[0].time_ms
        yield time_ms, at, each


def _write(each: _Selected, arguments: argparse.Namespace) -> None:
    arrived, message = each
    if arguments.raw or message is None:
        print_text(f"{to_one_line(arrived.text)}\n")
    elif arguments.json:
        where = {"place": arrived.place, "time_ms": arrived.time_ms, "key": arrived.key}
        size = {"records": arrived.records, "bytes": arrived.bytes}
        print_data_json_line({**where, **size, **summary_object(message)})
    else:
        for line in block(message, arrived.place, arrived.time_ms, arrived.bytes, columns=arguments.columns):
            print_data(line, LINEAGE)


def _raise_if_pipe_closed() -> None:
    """Detect a closed output pipe (`| head`) while waiting: without new messages no write would fail.

    Raises:
        BrokenPipeError: The output pipe is closed.
    """
    if not hasattr(select, "poll"):
        return
    asked = select.poll()
    try:
        asked.register(sys.stdout.fileno(), 0)
    except (io.UnsupportedOperation, ValueError):
        return
    if asked.poll(0):
        raise BrokenPipeError
