"""`sac-kafka types`: print the type definitions, compare them with a server's, give a server those that it lacks."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from sac_kafka.atlas.types import FAMILIES
from sac_kafka.atlas.types.comparison import Cure, Difference, differences, missing, updated
from sac_kafka.atlas.types.declaration import Family
from sac_kafka.atlas.types.typedefs import KINDS, types_def
from sac_kafka.cli.rest import TYPEDEFS, Server
from sac_kafka.errors import ConfigurationError

DIFFERENT = 1
PASSWORD = "ATLAS_PASSWORD"  # noqa: S105 # the name of the variable
TOKEN = "ATLAS_TOKEN"  # noqa: S105

_HINTS = {Cure.CREATE: "apply makes it", Cure.UPDATE: "apply --update adds it", Cure.NONE: "left alone"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    types = commands.add_parser("types", help="the Atlas types of what is sent", description=__doc__)
    actions = types.add_subparsers(required=True, metavar="ACTION")
    print_ = actions.add_parser("print", help="write the definitions as one JSON object")
    diff = actions.add_parser("diff", help="say what a server lacks or has otherwise; exit status 1 if anything")
    apply = actions.add_parser("apply", help="give a server the types that it lacks; nothing is ever deleted")
    for action, run in ((print_, print_types), (diff, diff_types), (apply, apply_types)):
        action.add_argument(
            "--family",
            type=_families,
            default=FAMILIES,
            metavar="NAME,…",
            help=f"only these types: {', '.join(each.name for each in FAMILIES)}",
        )
        action.set_defaults(run=run)
    for action in (diff, apply):
        action.add_argument("--server", required=True, metavar="URL", help="as https://atlas.example.org:21443")
        action.add_argument("--user", metavar="NAME", help=f"with the password of {PASSWORD}; or a token in {TOKEN}")
        action.add_argument("--password-file", type=Path, metavar="FILE", help=f"the password, instead of {PASSWORD}")
        action.add_argument("--ca-file", type=Path, metavar="FILE", help="PEM certificates to trust")
        action.add_argument(
            "--timeout", type=_seconds, default=60.0, metavar="SECONDS", help="for each request: %(default)g"
        )
    apply.add_argument(
        "--update", action="store_true", help="add attributes and elements that types of the server lack"
    )


def print_types(arguments: argparse.Namespace) -> int:
    """Write AtlasTypesDef to standard output."""
    _say(json.dumps(types_def(arguments.family), indent=2))
    return 0


def diff_types(arguments: argparse.Namespace) -> int:
    """Say each difference on a line."""
    found = differences(types_def(arguments.family), _server(arguments).get(TYPEDEFS))
    for each in found:
        _say(f"{each}  ({_HINTS[each.cure]})")
    _say(_summary(found))
    return DIFFERENT if found else 0


def apply_types(arguments: argparse.Namespace) -> int:
    """Make what is missing, family by family; add to what is there only when asked."""
    server = _server(arguments)
    ours, theirs = types_def(arguments.family), server.get(TYPEDEFS)
    found = differences(ours, theirs)
    for family in arguments.family:
        new = missing(types_def([family]), found)
        if any(new.values()):
            server.post(TYPEDEFS, new)
            _say(f"{family.name}: made {_names(new)}")
    if arguments.update:
        for kind, definitions in updated(ours, theirs, found).items():
            for definition in definitions:
                server.put(TYPEDEFS, {**{each: [] for each in KINDS}, kind: [definition]})
                _say(f"updated {definition['name']}")
    left = differences(ours, server.get(TYPEDEFS))
    for each in left:
        _say(f"{each}  ({_HINTS[each.cure]})")
    _say(_summary(left))
    return DIFFERENT if any(each.cure is Cure.CREATE for each in left) else 0


def _server(arguments: argparse.Namespace) -> Server:
    token = os.environ.get(TOKEN)
    if arguments.user and token:
        raise ConfigurationError(f"--user and {TOKEN} are both given: unset one of them")
    return Server(
        address=arguments.server,
        user=arguments.user,
        password=_password(arguments) if arguments.user else None,
        token=token,
        ca_file=arguments.ca_file,
        timeout=arguments.timeout,
    )


def _password(arguments: argparse.Namespace) -> str:
    if arguments.password_file is None:
        if PASSWORD not in os.environ:
            raise ConfigurationError(
                f"--user {arguments.user} needs a password: set {PASSWORD} or give --password-file"
            )
        return os.environ[PASSWORD]
    try:
        text: str = arguments.password_file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--password-file {arguments.password_file} cannot be read: {error}") from None
    return text.rstrip("\r\n")


def _families(text: str) -> tuple[Family, ...]:
    """The named families in the order in which a server has to be given them."""
    names = {name.strip() for name in text.split(",") if name.strip()}
    known = {each.name: each for each in FAMILIES}
    if unknown := sorted(names - set(known)):
        raise argparse.ArgumentTypeError(f"no family {', '.join(unknown)}: there are {', '.join(known)}")
    if not names:
        raise argparse.ArgumentTypeError(f"no name: there are {', '.join(known)}")
    return tuple(each for each in FAMILIES if each.name in names)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return seconds


def _names(types: dict[str, list[dict[str, Any]]]) -> str:
    return ", ".join(each["name"] for definitions in types.values() for each in definitions)


def _summary(found: tuple[Difference, ...]) -> str:
    if not found:
        return "the server has all of it"
    counts = {cure: sum(each.cure is cure for each in found) for cure in Cure}
    return ", ".join(
        f"{counts[cure]} {text}"
        for cure, text in (
            (Cure.CREATE, "missing types"),
            (Cure.UPDATE, "missing parts of types"),
            (Cure.NONE, "other differences"),
        )
        if counts[cure]
    )


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
