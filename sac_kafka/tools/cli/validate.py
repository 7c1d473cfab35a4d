"""`sac-kafka validate`: check that an Atlas server would accept messages, and report each violation with a fix.

Checks the envelope, types, attributes and their values, references, names and sizes. Types default to those that sac_kafka
ships. For messages of other hooks, take the types of a server (--server) or of files (--model). Exit status: 0 valid, 1
violations found, 2 error.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from sac_kafka.stats import counted
from sac_kafka.tools.cli.help_texts import add_command
from sac_kafka.tools.cli.input_lines import display_name
from sac_kafka.tools.cli.message_source import MessageFilter, add_source, read_messages
from sac_kafka.tools.cli.models import add_model_options, model_of
from sac_kafka.tools.cli.numbers import number
from sac_kafka.tools.cli.output import print_data, print_data_json, print_error
from sac_kafka.tools.cli.since import SINCE_HELP, since
from sac_kafka.tools.cli.styles import VIOLATIONS
from sac_kafka.tools.messages.reader import TopicMessage, UnreadableRecord
from sac_kafka.tools.validate.notifications import MessageValidator
from sac_kafka.tools.validate.violation import Violation

WRONG = 1
_PROG = "sac-kafka validate"
_MAX_BYTES = 1_000_000
_PARTS = "send all parts of a message in order to one partition"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    validate = add_command(
        commands,
        __doc__,
        "check that a server would accept messages",
        "validate messages.jsonl --server https://atlas.example.org:21443",
    )
    add_source(validate)
    add_model_options(validate)
    validate.add_argument(
        "--max-bytes",
        type=number(1),
        default=_MAX_BYTES,
        metavar="N",
        help="maximum record size (default: %(default)s, as for atlas.notification.message.max.length.bytes)",
    )
    validate.add_argument("--since", type=since, metavar="TIME", help=SINCE_HELP)
    validate.add_argument("--json", action="store_true", help="print one JSON object")
    validate.set_defaults(run=run)


@dataclass(frozen=True, slots=True)
class _Placed:
    place: str
    violation: Violation


@dataclass(slots=True)
class _Counts:
    """Counts of what was checked so far; field names are JSON keys."""

    messages: int = 0
    entities: int = 0
    wrong: int = 0
    doubts: int = 0


def run(arguments: argparse.Namespace) -> int:
    """Print the violations, one per line; return 1 if there are any, or no messages.

    Raises:
        SacKafkaError: The messages or the types cannot be read.
    """
    name, model = model_of(arguments)
    counts, place = _Counts(), display_name(arguments.source)
    found = _violations(
        read_messages(arguments, arguments.source, MessageFilter(arguments.since)),
        MessageValidator(model),
        arguments.max_bytes,
        counts,
    )
    if arguments.json:
        listed = [{"place": each.place, **asdict(each.violation)} for each in found]
        print_data_json({"model": name, **asdict(counts), "violations": listed})
    else:
        places = Counter()  # type: Counter[str]
        for each in found:
            places[each.place] += not each.violation.is_doubt
            print_data(f"{'doubt' if each.violation.is_doubt else 'wrong'}  {each.place}: {each.violation}", VIOLATIONS)
        entities = counted(counts.entities, "entity", "entities")
        what = f"{counted(counts.messages, 'message')} of {place}, {entities}, by {name}"
        doubts = f", {counted(counts.doubts, 'doubt')}" if counts.doubts else ""
        verdict = f"{counts.wrong} wrong in {counted(len(+places), 'place')}" if counts.wrong else "valid"
        print_error(f"{what}: {verdict}{doubts}" if counts.messages else f"{place} has no messages", _PROG)
    return WRONG if counts.wrong or not counts.messages else 0


def _violations(
    found: Iterable[TopicMessage | UnreadableRecord], validator: MessageValidator, max_bytes: int, counts: _Counts
) -> Iterator[_Placed]:
    for each in found:
        counts.messages += 1
        for violation in _of(each, validator, max_bytes):
            if violation.is_doubt:
                counts.doubts += 1
            else:
                counts.wrong += 1
            yield _Placed(each.place, violation)
        counts.entities = validator.entities


def _of(each: TopicMessage | UnreadableRecord, validator: MessageValidator, max_bytes: int) -> Iterator[Violation]:
    if isinstance(each, UnreadableRecord):
        yield Violation(each.problem, each.fix or _PARTS, rule="" if each.fix else "R24")
        return
    if each.longest > max_bytes:
        problem = (
            f"record of {each.longest:,} bytes exceeds the maximum of {max_bytes:,}: the broker or server rejects it"
        )
        yield Violation(problem, "lower atlas.notification.message.max.length.bytes, so that the message is split")
    yield from validator.violations(each.text)
