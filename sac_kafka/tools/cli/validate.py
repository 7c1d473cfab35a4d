"""`sac-kafka validate`: check that an Atlas server would accept messages, and report each violation with a fix.

Checks the envelope, types, attributes and their values, references, names and sizes. Types default to those that sac_kafka
ships. For messages of other hooks, take the types of a server (--server) or of files (--model). Exit status: 0 valid, 1
violations, 2 error.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sac_kafka.atlas.types.definitions import BRIDGE, KINDS, families, types_def
from sac_kafka.catalog.json_values import objects_in
from sac_kafka.errors import SacKafkaError
from sac_kafka.purview import types as purview
from sac_kafka.settings.declarations.choices import DialectName
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.arguments import SINCE_HELP, add, add_command, number, since
from sac_kafka.tools.cli.input_lines import display_name
from sac_kafka.tools.cli.message_source import (
    MessageFilter,
    add_allow_empty,
    add_source,
    read_messages,
    require_content,
)
from sac_kafka.tools.cli.output import print_data, print_data_json, print_error
from sac_kafka.tools.cli.styles import VIOLATIONS
from sac_kafka.tools.cli.type_servers import add_login_options, server_of_types
from sac_kafka.tools.messages.reader import TopicMessage, UnreadableRecord
from sac_kafka.tools.validate.notifications import MessageValidator
from sac_kafka.tools.validate.raw_entity import Violation
from sac_kafka.tools.validate.type_model import TypeModel
from sac_kafka.transport.http.failures import TYPEDEFS

_REMEDY = "name a JSON file of type definitions, as served at /api/atlas/v2/types/typedefs, or a folder of such files"
WRONG = 1
_MAX_BYTES = 1_000_000
_PARTS = "send all parts of a message in order to one partition"


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to select type definitions; the parser must have those of the configuration and --timeout."""
    which = parser.add_mutually_exclusive_group()
    add(
        which,
        "--model FILE|DIR",
        "JSON file of type definitions, or a folder of them such as Atlas' models/ (default: those of sac_kafka)",
        type=Path,
    )
    add(which, "--server URL", "Atlas server to read types from, such as https://atlas.example.org:21443")
    add(
        parser,
        "--dialect NAME",
        "types of sac_kafka to use: atlas (default) or purview; with --server, the kind of server",
        choices=[DialectName.ATLAS.value, DialectName.PURVIEW.value],
    )
    add_login_options(parser)


def model_of(arguments: argparse.Namespace) -> tuple[str, TypeModel]:
    """Return the display name of the type definitions, and the definitions.

    Raises:
        SacKafkaError: They cannot be read, or have no entity types.
    """
    if arguments.server is not None:
        arguments.account = None
        arguments.dialect = DialectName(arguments.dialect) if arguments.dialect else None
        return _check_model(arguments.server, server_of_types(arguments)[1].get(TYPEDEFS))
    if arguments.model is not None:
        return _check_model(str(arguments.model), _together(_read(arguments.model)))
    if arguments.dialect == DialectName.PURVIEW.value:
        return "the types of Purview", TypeModel(purview.definitions(purview.families()))
    return "the types of Atlas", TypeModel(types_def((*families(), BRIDGE)))


def _check_model(name: str, definitions: Mapping[str, Any]) -> tuple[str, TypeModel]:
    model = TypeModel(definitions)
    if not len(model):
        raise SacKafkaError(f"{name}: no entity types; {_REMEDY}")
    return name, model


def _read(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the contents of a file, or of a folder's files sorted by name, patches last, as a server loads them."""
    files = (
        sorted(path.rglob("*.json"), key=lambda each: (each.parent.name == "patches", str(each)))
        if path.is_dir()
        else [path]
    )
    for file in files:
        try:
            found = json.loads(file.read_text("utf-8-sig"))
        except OSError as error:
            problem = f"{file}: {error.strerror or error}"
        except (ValueError, RecursionError) as error:
            problem = f"{file}: invalid JSON: {error}"
        else:
            if isinstance(found, dict):
                yield found
            continue
        if not path.is_dir():
            raise SacKafkaError(f"{problem}; {_REMEDY}")
        print_error(f"{problem}; skipped")
    if not files:
        raise SacKafkaError(f"{path}: no .json files; {_REMEDY}")


def _together(models: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Merge the definitions of several files: the last definition of a name wins, and patches add attributes."""
    found: dict[str, dict[str, dict[str, Any]]] = {kind: {} for kind in KINDS}
    for model in models:
        for kind in KINDS:
            for each in objects_in(model.get(kind)):
                if isinstance(each.get("name"), str):
                    found[kind][each["name"]] = dict(each)
        for patch in objects_in(model.get("patches")):
            known = found["entityDefs"].get(str(patch.get("typeName")))
            if known is not None and patch.get("action") == "ADD_ATTRIBUTE":
                known["attributeDefs"] = [*(known.get("attributeDefs") or ()), *(patch.get("attributeDefs") or ())]
    return {kind: list(each.values()) for kind, each in found.items()}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    validate = add_command(
        commands,
        run,
        "check that a server would accept messages",
        "validate messages.jsonl --server https://atlas.example.org:21443",
    )
    add_source(validate)
    add_model_options(validate)
    add(
        validate,
        "--max-bytes N",
        "maximum record size (default: %(default)s, Atlas' own for atlas.notification.message.max.length.bytes)",
        type=number(1),
        default=_MAX_BYTES,
    )
    add(validate, "--since TIME", SINCE_HELP, type=since)
    add_allow_empty(validate)
    add(validate, "--json", "print one JSON object")


@dataclass(slots=True)
class _Counts:
    """Counts of what was checked so far; field names are JSON keys."""

    messages: int = 0
    entities: int = 0
    wrong: int = 0
    doubts: int = 0


def run(arguments: argparse.Namespace) -> int:
    """Print the violations, one per line; return 1 if there are any.

    Raises:
        SacKafkaError: The messages or the types cannot be read, or there are no messages.
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
        listed = [{"place": at, **asdict(violation)} for at, violation in found]
        print_data_json({"model": name, **asdict(counts), "violations": listed})
    else:
        places = Counter()  # type: Counter[str]
        for at, violation in found:
            places[at] += not violation.is_doubt
            print_data(f"{'doubt' if violation.is_doubt else 'wrong'}  {at}: {violation}", VIOLATIONS)
        entities = with_noun(counts.entities, "entity", "entities")
        what = f"{with_noun(counts.messages, 'message')} of {place}, {entities}, by {name}"
        doubts = f", {with_noun(counts.doubts, 'doubt')}" if counts.doubts else ""
        verdict = f"{counts.wrong} wrong in {with_noun(len(+places), 'place')}" if counts.wrong else "valid"
        if counts.messages or arguments.allow_empty:
            print_error(f"{what}: {verdict}{doubts}", arguments.program)
    require_content(arguments, arguments.source, counts.messages, "messages")
    return WRONG if counts.wrong else 0


def _violations(
    found: Iterable[TopicMessage | UnreadableRecord], validator: MessageValidator, max_bytes: int, counts: _Counts
) -> Iterator[tuple[str, Violation]]:
    """Yield the violations with their places, and count them."""
    for each in found:
        counts.messages += 1
        for violation in _of(each, validator, max_bytes):
            if violation.is_doubt:
                counts.doubts += 1
            else:
                counts.wrong += 1
            yield each.place, violation
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
