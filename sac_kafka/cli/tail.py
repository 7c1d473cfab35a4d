"""`sac-kafka tail`: the messages of a topic, file or spool as they come, one after the other.

Of each: when, which job and user, the processes with inputs and outputs, changes of the catalog in a line. Parts are put
together and unpacked; messages of other hooks (Hive, Impala …) are shown, too. Without --since and --grep the newest ten.
`sac-kafka show` draws the lineage that all of them tell.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import select
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sac_kafka.atlas.wire.reader import read
from sac_kafka.cli.help_texts import add_command
from sac_kafka.cli.input_lines import display_name
from sac_kafka.cli.message_source import TOPIC, MessageFilter, add_source, read_messages
from sac_kafka.cli.numbers import number
from sac_kafka.cli.output import print_data, print_data_json_line, print_text
from sac_kafka.cli.since import since
from sac_kafka.cli.skipped import SkippedMessages
from sac_kafka.cli.styles import LINEAGE
from sac_kafka.errors import MessageError
from sac_kafka.readable.blocks import block
from sac_kafka.readable.message_summary import MessageSummary, summarize, summary_object
from sac_kafka.reading.messages import TopicMessage, UnreadableRecord, to_one_line

_PROG = "sac-kafka tail"
_LAST = 10
_MAX_LAST = 100_000
_ROOM = 1000
"""Messages beyond the newest that are kept until they are sorted out."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    tail = add_command(
        commands,
        __doc__,
        "the messages of a topic, as they come",
        "tail --follow --grep sales.orders",
    )
    add_source(tail, TOPIC)
    tail.add_argument("-f", "--follow", action="store_true", help="wait for more at the end of the topic")
    tail.add_argument(
        "--since", type=since, metavar="TIME", help="from then on: 30s, 5m, 2h or 7d ago, or 2026-11-20T09:00"
    )
    tail.add_argument(
        "-n",
        "--last",
        type=number(1, _MAX_LAST),
        metavar="N",
        help=f"the newest N (default: {_LAST}; with --since or --grep all); with --follow of each partition",
    )
    tail.add_argument("--grep", metavar="TEXT", help="only messages that have this text, whatever its case")
    tail.add_argument("--columns", action="store_true", help="what each column is made of, too")
    form = tail.add_mutually_exclusive_group()
    form.add_argument("--raw", action="store_true", help="the messages themselves, one a line")
    form.add_argument("--json", action="store_true", help="what each says as a JSON object, one a line")
    tail.set_defaults(run=run)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A message that is asked for; `message` is None where it cannot be read, which only --raw shows."""

    arrived: TopicMessage
    message: MessageSummary | None


def run(arguments: argparse.Namespace) -> int:
    """Write them.

    Raises:
        SacKafkaError: There is nothing to read from, or it cannot be read.
    """
    is_all = arguments.since is not None or arguments.grep is not None
    last: int | None = arguments.last or (None if is_all else _LAST)
    wanted = MessageFilter(
        arguments.since,
        None if arguments.grep is not None else last,
        follow=arguments.follow,
        waiting=_see_to_the_reader if arguments.follow else None,
    )
    with (
        contextlib.suppress(KeyboardInterrupt) if arguments.follow else contextlib.nullcontext(),
        SkippedMessages(display_name(arguments.source), _PROG) as skipped,
        contextlib.closing(read_messages(arguments, arguments.source, wanted)) as found,
    ):
        shown = _asked(found, arguments, skipped)
        for each in shown if arguments.follow or last is None else _newest(shown, last):
            _write(each, arguments)
            sys.stdout.flush()
    return 0


def _asked(
    found: Iterable[TopicMessage | UnreadableRecord], arguments: argparse.Namespace, skipped: SkippedMessages
) -> Iterator[_Shown]:
    for each in found:
        if isinstance(each, UnreadableRecord):
            skipped.add(each.place, each.problem)
            continue
        message = None
        try:
            there = read(each.text)
            skipped.add_entities(each.place, there.unread)
            message = summarize(there)
        except MessageError as error:
            if not arguments.raw:
                skipped.add(each.place, str(error))
                continue
        if arguments.grep is None or _has(each.text, arguments.grep):
            yield _Shown(each, message)


def _has(text: str, asked: str) -> bool:
    """Whether the message has the text, in its letters: JSON may write them as numbers."""
    wanted = asked.casefold()
    if wanted in text.casefold():
        return True
    if "\\" not in text:
        return False
    try:
        return wanted in json.dumps(json.loads(text), ensure_ascii=False).casefold()
    except (ValueError, RecursionError):
        return False


def _newest(shown: Iterable[_Shown], last: int) -> list[_Shown]:
    """The newest by their times, as partitions come one after the other; what has none stays behind the one before it."""
    kept: list[tuple[int, _Shown]] = []
    time_ms = 0
    for each in shown:
        time_ms = time_ms if each.arrived.time_ms is None else each.arrived.time_ms
        kept.append((time_ms, each))
        if len(kept) >= 2 * last + _ROOM:
            kept = _by_time(kept)[-last:]
    return [each for _, each in _by_time(kept)[-last:]]


def _by_time(shown: list[tuple[int, _Shown]]) -> list[tuple[int, _Shown]]:
    return sorted(shown, key=lambda each: each[0])


def _write(each: _Shown, arguments: argparse.Namespace) -> None:
    arrived = each.arrived
    if arguments.raw or each.message is None:
        print_text(f"{to_one_line(arrived.text)}\n")
    elif arguments.json:
        where = {"place": arrived.place, "time_ms": arrived.time_ms, "key": arrived.key}
        size = {"records": arrived.records, "bytes": arrived.bytes}
        print_data_json_line({**where, **size, **summary_object(each.message)})
    else:
        for line in block(each.message, arrived.place, arrived.time_ms, arrived.bytes, columns=arguments.columns):
            print_data(line, LINEAGE)


def _see_to_the_reader() -> None:
    """End where nobody reads the output any more, as after `| head`: without a message nothing is written that would tell.

    Raises:
        BrokenPipeError: So it is.
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
