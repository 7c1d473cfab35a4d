"""`sac-kafka types`: print the type definitions, compare them with a server's, give a server those that it lacks."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from sac_kafka.atlas.types.comparison import Cure, Difference, differences, missing, updated
from sac_kafka.atlas.types.definitions import KINDS, families, types_def
from sac_kafka.cli.configured import add_options, read_configured
from sac_kafka.cli.help_texts import add_action, description, show_help_alone
from sac_kafka.cli.rest import TYPEDEFS, Server, server_of
from sac_kafka.cli.saying import say
from sac_kafka.cli.seconds import seconds
from sac_kafka.errors import ConfigurationError, NoConfigurationError

DIFFERENT = 1
PASSWORD = "ATLAS_PASSWORD"  # noqa: S105 # the name of the variable
TOKEN = "ATLAS_TOKEN"  # noqa: S105

_HINTS = {Cure.CREATE: "apply makes it", Cure.UPDATE: "apply --update adds it", Cure.NONE: "left alone"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    types = commands.add_parser("types", help="the Atlas types of what is sent", description=description(__doc__))
    show_help_alone(types)
    actions = types.add_subparsers(metavar="ACTION")
    print_ = add_action(actions, "print", "write the definitions as one JSON object")
    diff = add_action(actions, "diff", "say what a server lacks or has otherwise; exit status 1 if anything")
    apply = add_action(actions, "apply", "give a server the types that it lacks; nothing is ever deleted")
    for action, run in ((print_, print_types), (diff, diff_types), (apply, apply_types)):
        action.add_argument(
            "--family",
            type=_families,
            default=families(),
            metavar="NAME,…",
            help=f"only these types: {', '.join(families())}",
        )
        action.set_defaults(run=run)
    for action in (diff, apply):
        action.add_argument(
            "--server",
            metavar="URL",
            help="such as https://atlas.example.org:21443 (default: atlas.rest.address of the configuration)",
        )
        add_options(action)
        action.add_argument("--user", metavar="NAME", help=f"with the password of {PASSWORD}; or a token in {TOKEN}")
        action.add_argument("--password-file", type=Path, metavar="FILE", help=f"the password, instead of {PASSWORD}")
        action.add_argument("--ca-file", type=Path, metavar="FILE", help="PEM certificates to trust")
        action.add_argument(
            "--timeout",
            type=seconds,
            default=60.0,
            metavar="SECONDS",
            help="how long a request may take (default: %(default)g)",
        )
    apply.add_argument(
        "--update", action="store_true", help="add attributes and elements that types of the server lack"
    )


def print_types(arguments: argparse.Namespace) -> int:
    """Write AtlasTypesDef to standard output."""
    sys.stdout.write(json.dumps(types_def(arguments.family), indent=2) + "\n")
    return 0


def diff_types(arguments: argparse.Namespace) -> int:
    """Say each difference on a line."""
    found = differences(types_def(arguments.family), _server(arguments).get(TYPEDEFS))
    for each in found:
        say(f"{each}  ({_HINTS[each.cure]})")
    say(_summary(found))
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
            say(f"{family}: made {_names(new)}")
    if arguments.update:
        for kind, definitions in updated(ours, theirs, found).items():
            for definition in definitions:
                server.put(TYPEDEFS, {**{each: [] for each in KINDS}, kind: [definition]})
                say(f"updated {definition['name']}")
    left = differences(ours, server.get(TYPEDEFS))
    for each in left:
        say(f"{each}  ({_HINTS[each.cure]})")
    say(_summary(left))
    return DIFFERENT if any(each.cure is Cure.CREATE for each in left) else 0


def _server(arguments: argparse.Namespace) -> Server:
    token = os.environ.get(TOKEN)
    if arguments.user and token:
        raise ConfigurationError(f"--user and {TOKEN} are both given: unset one of them")
    if arguments.server is None:
        return _configured(arguments, token)
    return Server(
        address=arguments.server,
        user=arguments.user,
        password=_password(arguments) if arguments.user else None,
        token=token,
        ca_file=arguments.ca_file,
        timeout=arguments.timeout,
    )


def _configured(arguments: argparse.Namespace, token: str | None) -> Server:
    """The server of the configuration, with its log-in where none is given here."""
    try:
        found = server_of(read_configured(arguments), arguments.timeout)
    except NoConfigurationError:
        found = None
    if found is None:
        raise ConfigurationError(
            "no server is named: give --server URL or --conf atlas.rest.address=URL, or set it in the configuration"
        )
    if token or arguments.user:
        password = _password(arguments) if arguments.user else None
        found = replace(found, user=arguments.user, password=password, token=token)
    return replace(found, ca_file=arguments.ca_file or found.ca_file)


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
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise ConfigurationError(
            f"--password-file {arguments.password_file} cannot be read: {why}; name the file that holds the password"
        ) from None
    return text.rstrip("\r\n")


def _families(text: str) -> tuple[str, ...]:
    """The named families in the order in which a server has to be given them."""
    names = {name.strip() for name in text.split(",") if name.strip()}
    known = families()
    if unknown := sorted(names - set(known)):
        raise argparse.ArgumentTypeError(f"no family {', '.join(unknown)}: there are {', '.join(known)}")
    if not names:
        raise argparse.ArgumentTypeError(f"no name: there are {', '.join(known)}")
    return tuple(each for each in known if each in names)


def _names(types: dict[str, list[dict[str, Any]]]) -> str:
    return ", ".join(each["name"] for definitions in types.values() for each in definitions)


def _summary(found: tuple[Difference, ...]) -> str:
    if not found:
        return "nothing is missing"
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
