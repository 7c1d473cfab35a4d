"""`sac-kafka types`: print the type definitions, compare them with a server's, give a server those that it lacks.

The server is an Atlas or a Purview account: each has definitions of its own.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from sac_kafka.asking.errors import TYPEDEFS, RestError
from sac_kafka.asking.server import JsonServer
from sac_kafka.atlas.types.comparison import Cure, Difference, TypesDef, differences, missing, updated
from sac_kafka.atlas.types.definitions import KINDS, families, types_def
from sac_kafka.cli import styles
from sac_kafka.cli.configured import add_options
from sac_kafka.cli.help_texts import add_action, description, show_help_alone
from sac_kafka.cli.output import print_data_json, print_masked, print_masked_json
from sac_kafka.cli.progress import show_progress
from sac_kafka.cli.seconds import seconds
from sac_kafka.cli.type_servers import PASSWORD, TOKEN, target_of
from sac_kafka.config.choices import DialectName
from sac_kafka.errors import ConfigurationError
from sac_kafka.purview.types import definitions as purview
from sac_kafka.purview.types.comparison import account_differences

DIFFERENT = 1
_ASKING = "asking the server"
_CONFLICT = 409  # somebody else has made a type since we looked

_OF_PURVIEW = (*purview.families(), purview.BUILT_IN)
_HINTS = {Cure.CREATE: "apply makes it", Cure.UPDATE: "apply --update adds it", Cure.NONE: "left alone"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    types = commands.add_parser(
        "types", help="the types of what is sent, in Atlas or Purview", description=description(__doc__)
    )
    show_help_alone(types)
    actions = types.add_subparsers(metavar="ACTION")
    print_ = add_action(
        actions, "print", "write the definitions as one JSON object", "types print --family spark > types.json"
    )
    diff = add_action(
        actions,
        "diff",
        "say what a server lacks or has otherwise; exit status 1 if anything",
        "types diff --server https://atlas.example.org:21443 --user admin",
        "types diff --account NAME --json",
    )
    apply = add_action(
        actions,
        "apply",
        "give a server the types that it lacks; nothing is ever deleted",
        "types apply --server https://atlas.example.org:21443 --user admin --update",
    )
    for action, run, dialect in (
        (print_, print_types, "atlas"),
        (diff, diff_types, "by --server and the configuration, else atlas"),
        (apply, apply_types, "by --server and the configuration, else atlas"),
    ):
        action.add_argument(
            "--family",
            type=_families,
            metavar="NAME,…",
            help=f"only these types: {', '.join(families())}; of Purview: {', '.join(_OF_PURVIEW)} (default: own)",
        )
        action.add_argument(
            "--dialect",
            type=_dialect,
            metavar="NAME",
            help=f"atlas or purview (default: {dialect})",
        )
        action.set_defaults(run=run)
    for action in (diff, apply):
        action.add_argument(
            "--server",
            metavar="URL",
            help="such as https://atlas.example.org:21443 (default: atlas.rest.address of the configuration)",
        )
        action.add_argument("--account", metavar="NAME", help="that of a Purview account, instead of --server")
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
        action.add_argument("--json", action="store_true", help="as one JSON object")
    apply.add_argument(
        "--update", action="store_true", help="add attributes and elements that types of the server lack"
    )


def print_types(arguments: argparse.Namespace) -> int:
    """Write AtlasTypesDef to standard output."""
    dialect = arguments.dialect or DialectName.ATLAS
    print_data_json(_definitions(dialect, _chosen(arguments, dialect)))
    return 0


def diff_types(arguments: argparse.Namespace) -> int:
    """Say each difference on a line."""
    target = target_of(arguments)
    chosen = _chosen(arguments, target.dialect)
    with show_progress(_ASKING):
        found = _differences(target.dialect, chosen, target.server.get(TYPEDEFS))
    if arguments.json:
        print_masked_json({"differences": _objects(found)})
    else:
        _tell(found)
    return DIFFERENT if found else 0


def apply_types(arguments: argparse.Namespace) -> int:
    """Make what is missing, family by family; add to what is there only when asked."""
    with show_progress(_ASKING):
        return _apply(arguments)


def _apply(arguments: argparse.Namespace) -> int:
    target = target_of(arguments)
    server, chosen = target.server, _chosen(arguments, target.dialect)
    if target.dialect is DialectName.PURVIEW and (
        given := [each for each in chosen if each not in purview.registered()]
    ):
        raise ConfigurationError(
            f"--family {','.join(given)}: every account has these types; apply gives {', '.join(purview.registered())}"
        )
    theirs = server.get(TYPEDEFS)
    made, changed = [], []
    for family in chosen:
        new = _make(server, _definitions(target.dialect, [family]), theirs)
        if new is not None:
            made += new
            if not arguments.json:
                print_masked(
                    f"{family}: made {', '.join(new)}" if new else f"{family}: somebody else has made it", styles.TYPES
                )
    ours = _definitions(target.dialect, chosen)
    if arguments.update:
        for kind, definitions in updated(ours, theirs, differences(ours, theirs)).items():
            for definition in definitions:
                server.put(TYPEDEFS, {**{each: [] for each in KINDS}, kind: [definition]})
                changed.append(definition["name"])
                if not arguments.json:
                    print_masked(f"updated {definition['name']}", styles.TYPES)
    left = _differences(target.dialect, chosen, server.get(TYPEDEFS))
    if arguments.json:
        print_masked_json({"made": made, "updated": changed, "differences": _objects(left)})
    else:
        _tell(left)
    return DIFFERENT if any(each.cure is Cure.CREATE for each in left) else 0


def _make(server: JsonServer, ours: TypesDef, theirs: TypesDef) -> list[str] | None:
    """Make what a family has more than the server, though somebody else make part of it meanwhile.

    Gives the names of what was made; None where the server had all of it.
    """
    new = missing(ours, differences(ours, theirs))
    if not any(new.values()):
        return None
    try:
        server.post(TYPEDEFS, new)
    except RestError as error:
        if error.status != _CONFLICT:
            raise
        new = missing(ours, differences(ours, server.get(TYPEDEFS)))
        if any(new.values()):
            server.post(TYPEDEFS, new)
    return [each["name"] for definitions in new.values() for each in definitions]


def _definitions(dialect: DialectName, chosen: Iterable[str]) -> TypesDef:
    return types_def(chosen) if dialect is DialectName.ATLAS else purview.definitions(chosen)


def _differences(dialect: DialectName, chosen: Sequence[str], theirs: TypesDef) -> tuple[Difference, ...]:
    if dialect is DialectName.ATLAS:
        return differences(types_def(chosen), theirs)
    return account_differences(chosen, theirs)


def _chosen(arguments: argparse.Namespace, dialect: DialectName) -> tuple[str, ...]:
    """The families that are meant, in the order in which a server has to be given them."""
    named: tuple[str, ...] | None = arguments.family
    if dialect is DialectName.ATLAS:
        known, foreign = families(), set(_OF_PURVIEW) - set(families())
        chosen = known if named is None else named
    else:
        known, foreign = purview.families(), set(families()) - set(purview.families())
        wanted = {purview.OWN} if named is None else set(named)
        wanted |= set(purview.built_in()) if purview.BUILT_IN in wanted else set()
        chosen = tuple(each for each in known if each in wanted)
    if others := sorted(foreign & set(named or ())):
        whose = next(each for each in DialectName if each is not dialect)
        raise ConfigurationError(
            f"--family {','.join(others)}: not of {dialect.value}, which has {', '.join(known)}; for {whose.value} "
            f"add --dialect {whose.value}"
        )
    return chosen


def _dialect(text: str) -> DialectName:
    try:
        return DialectName(text.lower())
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: must be atlas or purview") from None


def _tell(found: tuple[Difference, ...]) -> None:
    for each in found:
        print_masked(f"{each}  ({_HINTS[each.cure]})", styles.TYPES)
    print_masked(_summary(found), styles.TYPES)


def _objects(found: tuple[Difference, ...]) -> list[dict[str, str]]:
    return [
        {"kind": each.kind, "type": each.type_name, "place": each.place, "text": each.text, "cure": each.cure.value}
        for each in found
    ]


def _families(text: str) -> tuple[str, ...]:
    """The named families in the order in which a server has to be given them."""
    names = {name.strip() for name in text.split(",") if name.strip()}
    known = (*families(), *(each for each in _OF_PURVIEW if each not in families()))
    if unknown := sorted(names - set(known)):
        raise argparse.ArgumentTypeError(f"no family {', '.join(unknown)}: there are {', '.join(known)}")
    if not names:
        raise argparse.ArgumentTypeError(f"no name: there are {', '.join(known)}")
    return tuple(each for each in known if each in names)


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
