"""`sac-kafka replay`: the lineage of a recorded batch, without Spark and without Java; or messages, sent once more.

A batch is what atlas.hook.spark.record.path has written. It is replayed under the configuration that is found, else under
the defaults: what differs from a driver's messages is the configuration. For Purview record under its dialect: names depend on
what the session shows (a Hive metastore, mounts, catalogs). Nothing is sent, unless --to says where.
Messages (of a file, a spool's directory, or one of the words spool and topic) are sent by --to as they are, in the dialect in
which they were written; where the sink has another configuration than what is read, --to-file and --to-conf name it.
Exit status: 0 done, 1 no lineage, a line that cannot be replayed or a message that was not delivered, 2 it could not be done.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import chain

from sac_kafka.cli.configured import add_options, pair, read_configured
from sac_kafka.cli.drawn import add_column_option, draw, write_json
from sac_kafka.cli.help_texts import ExamplesFormatter, description, examples
from sac_kafka.cli.input_lines import display_name, read_lines
from sac_kafka.cli.output import print_error, print_masked_json, print_text, suppressed_log
from sac_kafka.cli.replay_messages import is_message, is_of_messages, send_messages
from sac_kafka.cli.seconds import seconds
from sac_kafka.cli.sending import send
from sac_kafka.cli.since import since
from sac_kafka.pipeline import Outgoing, now_ms
from sac_kafka.readable.lineage import parse_message
from sac_kafka.readable.model import CatalogChange, LineageProcess
from sac_kafka.recording import Damage, read_application, read_session, replayed
from sac_kafka.settings import Settings
from sac_kafka.settings.sinks import ClientType
from sac_kafka.sources import loading as plugins

NO = 1
_PROG = "sac-kafka replay"
_CURE = "name a file that atlas.hook.spark.record.path has written"
_TYPE = "spark.atlas.client.type"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    replay = commands.add_parser(
        "replay",
        help="the lineage of a batch that a driver has recorded; messages, sent once more",
        description=description(__doc__),
        epilog=examples(
            "replay batch.txt --column sales.report.total",
            "replay topic --to kafka --to-file other/atlas-application.properties --since 2h",
        ),
        formatter_class=ExamplesFormatter,
    )
    replay.add_argument(
        "batch",
        metavar="BATCH|SOURCE",
        help="the recorded batch, or a file of messages; - for standard input; a spool's directory, spool or topic",
    )
    form = replay.add_mutually_exclusive_group()
    add_column_option(form)
    replay.add_argument(
        "--json",
        action="store_true",
        help="the messages themselves, one a line; with --column where it comes from, with --to what became of them, as one "
        "object",
    )
    form.add_argument(
        "--to",
        choices=[each.value for each in ClientType if each is not ClientType.MEMORY],
        help="send the messages there, as the configuration says, and keep none of them in a spool",
    )
    replay.add_argument(
        "--timeout",
        type=seconds,
        default=60.0,
        metavar="SECONDS",
        help="with --to: how long to wait for the server at a time (default: %(default)g)",
    )
    replay.add_argument(
        "--since", type=since, metavar="TIME", help="of messages those from then on: 5m, 2h, 2026-11-20T09:00"
    )
    replay.add_argument(
        "--to-file", metavar="FILE", help="of messages: the configuration of the sink, where it is another"
    )
    replay.add_argument(
        "--to-conf",
        metavar="KEY=VALUE",
        type=pair,
        action="append",
        default=[],
        help="of messages: a setting of the sink alone, such as atlas.notification.hook.topic.name=OTHER",
    )
    add_options(replay)
    replay.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Replay the batch, or send the messages.

    Raises:
        SacKafkaError: The file cannot be read or is no recorded batch, the configuration is wrong, or the column is of
            none of the messages.
    """
    if is_of_messages(arguments.batch):
        return 0 if send_messages(arguments, None, _PROG) else NO
    text = read_lines(arguments.batch, _CURE)
    first = next(text, "")
    if is_message(first):
        return 0 if send_messages(arguments, chain([first], text), _PROG) else NO
    settings = _settings(arguments)
    plugins.load()  # what a driver had may be here too
    damage = Damage()
    outgoing = _outgoing(arguments, first, text, settings, damage)
    is_done = _way(arguments)(outgoing, settings, arguments)
    if str(damage):
        print_error(f"{display_name(arguments.batch)}: {damage}", _PROG)
    elif not (is_done or arguments.to):
        print_error(f"{display_name(arguments.batch)} tells of no lineage", _PROG)
    return 0 if is_done and not str(damage) else NO


def _settings(arguments: argparse.Namespace) -> Settings:
    """Those of the configuration; where nothing is sent, nothing needs to be known of the server."""
    arguments.conf.append((_TYPE, arguments.to or ClientType.MEMORY.value))
    return read_configured(arguments).settings


def _outgoing(
    arguments: argparse.Namespace, first: str, text: Iterator[str], settings: Settings, damage: Damage
) -> Iterator[Outgoing]:
    """What the batch makes; without the time of day where nothing is sent, so that two replays can be compared."""
    place = display_name(arguments.batch)
    application, session = read_application(first, place, _CURE), read_session(first, place)
    clock = now_ms if arguments.to else lambda: 0
    return replayed(application, text, settings, damage.guard, clock, session=session)


Way = Callable[[Iterator[Outgoing], Settings, argparse.Namespace], bool]
"""Does with the messages what was asked for; says whether all of it could be done."""


def _way(arguments: argparse.Namespace) -> Way:
    return _send if arguments.to else _print if arguments.json and not arguments.column else _draw


def _draw(outgoing: Iterator[Outgoing], _: Settings, arguments: argparse.Namespace) -> bool:
    return (write_json if arguments.json else draw)(_told(outgoing), arguments.column)


def _told(outgoing: Iterator[Outgoing]) -> Iterator[LineageProcess | CatalogChange]:
    for each in outgoing:
        yield from parse_message(each.message.value)


def _print(outgoing: Iterator[Outgoing], _: Settings, arguments: argparse.Namespace) -> bool:  # noqa: ARG001 as every way
    is_any = False
    for each in outgoing:
        is_any = True
        print_text(f"{each.message.value}\n")  # it is ASCII, without ends of lines
    return is_any


def _send(outgoing: Iterator[Outgoing], settings: Settings, arguments: argparse.Namespace) -> bool:
    with suppressed_log():
        sent = send((each.record for each in outgoing), settings, arguments.timeout)
    if arguments.json:
        print_masked_json(sent.as_json())
    else:
        print_error(str(sent), _PROG)
    return sent.is_all
