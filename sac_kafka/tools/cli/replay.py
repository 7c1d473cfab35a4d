"""`sac-kafka replay`: compute lineage from recorded Spark events, without Spark or Java; or resend messages.

A recording is a file written by a driver with atlas.hook.spark.record.path. It is replayed with the current configuration, or
with the defaults without one. Messages are sent with --to only. For Purview, record with the dialect purview, because
names depend on the session (Hive metastore, mounts, catalogs).

Messages of a file, a spool directory, spool or topic are resent unchanged to the sink given by --to. If the sink is configured
differently from the source, use --to-file and --to-conf.

Exit status: 0 success, 1 no lineage, a line could not be replayed or a message was not delivered, 2 error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import chain

from sac_kafka.hook.pipeline import Outgoing, now_ms
from sac_kafka.hook.plugins import loading as plugins
from sac_kafka.hook.recording import Damage, read_application, read_session, replayed
from sac_kafka.settings import Settings
from sac_kafka.settings.sinks import ClientType
from sac_kafka.tools.cli.configured import add_options, pair, read_configured
from sac_kafka.tools.cli.drawn import add_column_option, draw, write_json
from sac_kafka.tools.cli.help_texts import ExamplesFormatter, description, examples
from sac_kafka.tools.cli.input_lines import display_name, read_lines
from sac_kafka.tools.cli.output import print_error, print_masked_json, print_text, suppressed_log
from sac_kafka.tools.cli.replay_messages import is_message, is_of_messages, send_messages
from sac_kafka.tools.cli.seconds import seconds
from sac_kafka.tools.cli.sending import send
from sac_kafka.tools.cli.since import SINCE_HELP, since
from sac_kafka.tools.messages.lineage import parse_message
from sac_kafka.tools.messages.model import CatalogChange, LineageProcess

NO = 1
_PROG = "sac-kafka replay"
_REMEDY = "name a file written with atlas.hook.spark.record.path"
_TYPE = "spark.atlas.client.type"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    replay = commands.add_parser(
        "replay",
        help="compute lineage from a recording, or resend messages",
        description=description(__doc__),
        epilog=examples(
            "replay batch.txt --column sales.report.total",
            "replay topic --to kafka --to-file other/atlas-application.properties --since 2h",
        ),
        formatter_class=ExamplesFormatter,
    )
    replay.add_argument(
        "batch",
        metavar="RECORDING|SOURCE",
        help="a recording or a file of messages, - for standard input; or a spool directory, spool or topic",
    )
    form = replay.add_mutually_exclusive_group()
    add_column_option(form)
    replay.add_argument(
        "--json",
        action="store_true",
        help="print the messages, one per line; with --column the column's sources, with --to the result of sending, as one JSON "
        "object",
    )
    form.add_argument(
        "--to",
        choices=[each.value for each in ClientType if each is not ClientType.MEMORY],
        help="send the messages to a sink of this type, as configured, without spooling undelivered ones",
    )
    replay.add_argument(
        "--timeout",
        type=seconds,
        default=60.0,
        metavar="SECONDS",
        help="with --to: maximum time to wait for an answer of the server (default: %(default)g)",
    )
    replay.add_argument("--since", type=since, metavar="TIME", help=f"for messages: {SINCE_HELP}")
    replay.add_argument(
        "--to-file",
        metavar="FILE",
        help="for messages: configuration file of the sink, if it differs from the source's",
    )
    replay.add_argument(
        "--to-conf",
        metavar="KEY=VALUE",
        type=pair,
        action="append",
        default=[],
        help="for messages: a setting for the sink only, such as atlas.notification.hook.topic.name=OTHER",
    )
    add_options(replay)
    replay.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Replay the recording, or send the messages.

    Raises:
        SacKafkaError: The file cannot be read or is no recording, the configuration is invalid, or the column is unknown.
    """
    if is_of_messages(arguments.batch):
        return 0 if send_messages(arguments, None, _PROG) else NO
    text = read_lines(arguments.batch, _REMEDY)
    first = next(text, "")
    if is_message(first):
        return 0 if send_messages(arguments, chain([first], text), _PROG) else NO
    settings = _settings(arguments)
    plugins.load()  # the recording may need a plug-in that the driver had
    damage = Damage()
    outgoing = _outgoing(arguments, first, text, settings, damage)
    is_done = _output(arguments)(outgoing, settings, arguments)
    if str(damage):
        print_error(f"{display_name(arguments.batch)}: {damage}", _PROG)
    elif not (is_done or arguments.to):
        print_error(f"{display_name(arguments.batch)} has no lineage", _PROG)
    return 0 if is_done and not str(damage) else NO


def _settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the configuration; without --to no server needs to be configured."""
    arguments.conf.append((_TYPE, arguments.to or ClientType.MEMORY.value))
    return read_configured(arguments).settings


def _outgoing(
    arguments: argparse.Namespace, first: str, text: Iterator[str], settings: Settings, damage: Damage
) -> Iterator[Outgoing]:
    """Yield the messages of the recording; without --to their time is 0, so that two replays can be compared."""
    place = display_name(arguments.batch)
    application, session = read_application(first, place, _REMEDY), read_session(first, place)
    clock = now_ms if arguments.to else lambda: 0
    return replayed(application, text, settings, damage.guard, clock, session=session)


ReplayOutput = Callable[[Iterator[Outgoing], Settings, argparse.Namespace], bool]
"""Print or send the messages; return whether there were any, and all were handled."""


def _output(arguments: argparse.Namespace) -> ReplayOutput:
    return _send if arguments.to else _print if arguments.json and not arguments.column else _draw


def _draw(outgoing: Iterator[Outgoing], _: Settings, arguments: argparse.Namespace) -> bool:
    return (write_json if arguments.json else draw)(_lineage(outgoing), arguments.column)


def _lineage(outgoing: Iterator[Outgoing]) -> Iterator[LineageProcess | CatalogChange]:
    for each in outgoing:
        yield from parse_message(each.message.value)


def _print(outgoing: Iterator[Outgoing], _: Settings, arguments: argparse.Namespace) -> bool:  # noqa: ARG001 signature of `ReplayOutput`
    is_any = False
    for each in outgoing:
        is_any = True
        print_text(f"{each.message.value}\n")  # ASCII without line ends
    return is_any


def _send(outgoing: Iterator[Outgoing], settings: Settings, arguments: argparse.Namespace) -> bool:
    with suppressed_log():
        sent = send((each.record for each in outgoing), settings, arguments.timeout)
    if arguments.json:
        print_masked_json(sent.as_json())
    else:
        print_error(str(sent), _PROG)
    return sent.is_all
