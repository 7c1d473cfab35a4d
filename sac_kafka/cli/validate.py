"""`sac-kafka validate`: whether a server would take messages as they are meant, said of each fault with its place and cure.

Looked at are the envelope, types, attributes and their values, references, names, sizes. The model is that of the types which
the package ships (what the hook sends); for messages of other hooks name the server's by --server, or files of it by --model.
Exit status: 0 nothing is wrong, 1 something is, 2 it could not be done.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from sac_kafka.atlas.validating.notifications import MessageValidator
from sac_kafka.atlas.validating.violation import Violation
from sac_kafka.cli.help_texts import add_command
from sac_kafka.cli.input_lines import display_name
from sac_kafka.cli.message_source import MessageFilter, add_source, read_messages
from sac_kafka.cli.models import add_model_options, model_of
from sac_kafka.cli.numbers import number
from sac_kafka.cli.output import print_data, print_data_json, print_error
from sac_kafka.cli.since import since
from sac_kafka.cli.styles import VIOLATIONS
from sac_kafka.reading.messages import TopicMessage, UnreadableRecord
from sac_kafka.stats import counted

WRONG = 1
_PROG = "sac-kafka validate"
_MAX_BYTES = 1_000_000
_PARTS = "send all parts, in order, to one partition"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    validate = add_command(
        commands,
        __doc__,
        "whether a server would take messages as they are meant",
        "validate messages.jsonl --server https://atlas.example.org:21443",
    )
    add_source(validate)
    add_model_options(validate)
    validate.add_argument(
        "--max-bytes",
        type=number(1),
        default=_MAX_BYTES,
        metavar="N",
        help="the longest record that is taken (default: %(default)s, as atlas.notification.message.max.length.bytes)",
    )
    validate.add_argument(
        "--since", type=since, metavar="TIME", help="from then on: 30s, 5m, 2h or 7d ago, or 2026-11-20"
    )
    validate.add_argument("--json", action="store_true", help="as one JSON object")
    validate.set_defaults(run=run)


@dataclass(frozen=True, slots=True)
class _Placed:
    place: str
    violation: Violation


@dataclass(slots=True)
class _Looked:
    """What was looked at so far."""

    messages: int = 0
    entities: int = 0
    wrong: int = 0
    doubts: int = 0


def run(arguments: argparse.Namespace) -> int:
    """Say what is wrong, a line each; exit status 1 if anything is, or there are no messages.

    Raises:
        SacKafkaError: The messages or the model cannot be read.
    """
    name, model = model_of(arguments)
    looked, place = _Looked(), display_name(arguments.source)
    found = _violations(
        read_messages(arguments, arguments.source, MessageFilter(arguments.since)),
        MessageValidator(model),
        arguments.max_bytes,
        looked,
    )
    if arguments.json:
        listed = [{"place": each.place, **asdict(each.violation)} for each in found]
        print_data_json({"model": name, **asdict(looked), "violations": listed})
    else:
        places = Counter()  # type: Counter[str]
        for each in found:
            places[each.place] += not each.violation.is_doubt
            print_data(f"{'doubt' if each.violation.is_doubt else 'wrong'}  {each.place}: {each.violation}", VIOLATIONS)
        entities = counted(looked.entities, "entity", "entities")
        what = f"{counted(looked.messages, 'message')} of {place}, {entities}, by {name}"
        doubts = f", {counted(looked.doubts, 'doubt')}" if looked.doubts else ""
        verdict = f"{looked.wrong} wrong in {counted(len(+places), 'place')}" if looked.wrong else "nothing is wrong"
        print_error(f"{what}: {verdict}{doubts}" if looked.messages else f"{place} has no messages", _PROG)
    return WRONG if looked.wrong or not looked.messages else 0


def _violations(
    found: Iterable[TopicMessage | UnreadableRecord], validator: MessageValidator, most_bytes: int, looked: _Looked
) -> Iterator[_Placed]:
    for each in found:
        looked.messages += 1
        for violation in _of(each, validator, most_bytes):
            if violation.is_doubt:
                looked.doubts += 1
            else:
                looked.wrong += 1
            yield _Placed(each.place, violation)
        looked.entities = validator.entities


def _of(each: TopicMessage | UnreadableRecord, validator: MessageValidator, most_bytes: int) -> Iterator[Violation]:
    if isinstance(each, UnreadableRecord):
        yield Violation(each.problem, each.cure or _PARTS, rule="" if each.cure else "R24")
        return
    if each.longest > most_bytes:
        problem = f"a record of {each.longest:,} bytes, {most_bytes:,} at most: a broker or server refuses it"
        yield Violation(problem, "lower atlas.notification.message.max.length.bytes, so that it is sent in parts")
    yield from validator.violations(each.text)
