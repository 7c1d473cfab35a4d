"""`sac-kafka types`: print the type definitions that lineage needs, compare them with a server's, or create them on it.

The server is an Atlas server or a Purview account; their type definitions differ.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from sac_kafka.atlas.types.comparison import Difference, Fix, TypesDef, differences, missing, update_definitions
from sac_kafka.atlas.types.definitions import BRIDGE, KINDS, families, types_def
from sac_kafka.catalog.errors import RestError
from sac_kafka.catalog.server import JsonServer
from sac_kafka.errors import ConfigurationError
from sac_kafka.purview import types as purview
from sac_kafka.purview.types import account_differences
from sac_kafka.settings.declarations.choices import DialectName, EngineProcesses
from sac_kafka.tools.cli import styles
from sac_kafka.tools.cli.arguments import add, add_action, add_group, add_seconds
from sac_kafka.tools.cli.configured import add_options
from sac_kafka.tools.cli.output import print_data_json, print_masked, print_masked_json
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.cli.type_servers import add_login_options, configuration_of, server_of_types
from sac_kafka.transport.http.failures import TYPEDEFS

DIFFERENT = 1
_ASKING = "querying the server"
_CONFLICT = 409  # another client has created a type in the meantime

_OF_ATLAS = (*families(), BRIDGE)
_OF_PURVIEW = (*purview.families(), purview.BUILT_IN)
_HINTS = {Fix.CREATE: "apply creates it", Fix.UPDATE: "apply --update adds it", Fix.NONE: "never changed"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    actions = add_group(commands, __doc__, "types", "print, compare or create type definitions in Atlas or Purview")
    print_ = add_action(
        actions,
        "print",
        print_types,
        "print the type definitions as one JSON object",
        "types print --family spark > types.json",
    )
    diff = add_action(
        actions,
        "diff",
        diff_types,
        "print types that are missing or different on a server; exit status 1 if there are any",
        "types diff --server https://atlas.example.org:21443 --user admin",
        "types diff --account NAME --json",
    )
    apply = add_action(
        actions,
        "apply",
        apply_types,
        "create missing types on a server; never deletes types",
        "types apply --server https://atlas.example.org:21443 --user admin --update",
    )
    of_atlas, of_purview = ", ".join(_OF_ATLAS), ", ".join(_OF_PURVIEW)
    for action, purview_families, dialect in (
        (print_, of_purview, "atlas"),
        (diff, of_purview, "by --server and the configuration, else atlas"),
        (apply, ", ".join(purview.creatable()), "by --server and the configuration, else atlas"),
    ):
        add(
            action,
            "--family NAME,…",
            f"only these types: {of_atlas}; for purview: {purview_families} (default: all, but {BRIDGE} "
            "only with atlas.bridge.process.types=own; for purview: own)",
            type=_families,
        )
        add(action, "--dialect NAME", f"atlas or purview (default: {dialect})", type=_dialect)
    for action in (diff, apply):
        add(
            action,
            "--server URL",
            "such as https://atlas.example.org:21443 (default: atlas.rest.address of the configuration)",
        )
        add(action, "--account NAME", "name of a Purview account, instead of --server")
        add_options(action)
        add_login_options(action)
        add_seconds(action, "--timeout", 60.0, "maximum duration of a request")
        add(action, "--json", "print one JSON object")
    add(apply, "--update", "also add missing attributes and enum elements to existing types")


def print_types(arguments: argparse.Namespace) -> int:
    """Print the type definitions as an AtlasTypesDef object."""
    dialect = arguments.dialect or DialectName.ATLAS
    print_data_json(_definitions(dialect, _chosen(arguments, dialect)))
    return 0


def diff_types(arguments: argparse.Namespace) -> int:
    """Print the differences, one per line; return 1 if there are any."""
    dialect, server = server_of_types(arguments)
    chosen = _chosen(arguments, dialect)
    with show_progress(_ASKING):
        found = _differences(dialect, chosen, server.get(TYPEDEFS))
    if arguments.json:
        print_masked_json({"differences": _objects(found)})
    else:
        _print_differences(found)
    return DIFFERENT if found else 0


@show_progress(_ASKING)
def apply_types(arguments: argparse.Namespace) -> int:
    """Create missing types, family by family; extend existing ones with --update only."""
    dialect, server = server_of_types(arguments)
    chosen = _chosen(arguments, dialect)
    if dialect is DialectName.PURVIEW and (given := [each for each in chosen if each not in purview.creatable()]):
        raise ConfigurationError(
            f"--family {','.join(given)}: built into every account; apply creates {', '.join(purview.creatable())} only"
        )
    theirs = server.get(TYPEDEFS)
    created, changed = [], []
    for family in chosen:
        new = _make(server, _definitions(dialect, [family]), theirs)
        if new is not None:
            created += new
            if not arguments.json:
                print_masked(
                    f"{family}: created {', '.join(new)}" if new else f"{family}: created by another client",
                    styles.TYPES,
                )
    ours = _definitions(dialect, chosen)
    if arguments.update:
        for kind, definitions in update_definitions(ours, theirs, differences(ours, theirs)).items():
            for definition in definitions:
                server.put(TYPEDEFS, {**{each: [] for each in KINDS}, kind: [definition]})
                changed.append(definition["name"])
                if not arguments.json:
                    print_masked(f"updated {definition['name']}", styles.TYPES)
    left = _differences(dialect, chosen, server.get(TYPEDEFS))
    if arguments.json:
        print_masked_json({"created": created, "updated": changed, "differences": _objects(left)})
    else:
        _print_differences(left)
    return DIFFERENT if any(each.fix is Fix.CREATE for each in left) else 0


def _make(server: JsonServer, ours: TypesDef, theirs: TypesDef) -> list[str] | None:
    """Create the missing types of a family, also if another client creates some of them at the same time.

    Returns:
        The names of the created types; None if the server had all of them.
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
    return [definition["name"] for definitions in new.values() for definition in definitions]


def _definitions(dialect: DialectName, chosen: Iterable[str]) -> TypesDef:
    return types_def(chosen) if dialect is DialectName.ATLAS else purview.definitions(chosen)


def _differences(dialect: DialectName, chosen: Sequence[str], theirs: TypesDef) -> tuple[Difference, ...]:
    if dialect is DialectName.ATLAS:
        return differences(types_def(chosen), theirs)
    return account_differences(chosen, theirs)


def _chosen(arguments: argparse.Namespace, dialect: DialectName) -> tuple[str, ...]:
    """Return the selected families, in the order in which a server must create them."""
    named: tuple[str, ...] | None = arguments.family
    if dialect is DialectName.ATLAS:
        known, foreign = _OF_ATLAS, set(_OF_PURVIEW) - set(_OF_ATLAS)
        chosen = (_OF_ATLAS if _wants_own(arguments) else families()) if named is None else named
    else:
        known, foreign = purview.families(), set(_OF_ATLAS) - set(purview.families())
        wanted = {purview.OWN} if named is None else set(named)
        wanted |= set(purview.built_in()) if purview.BUILT_IN in wanted else set()
        chosen = tuple(each for each in known if each in wanted)
    if others := sorted(foreign & set(named or ())):
        other = DialectName.PURVIEW if dialect is DialectName.ATLAS else DialectName.ATLAS
        raise ConfigurationError(
            f"--family {','.join(others)}: unknown for {dialect.value}, which has {', '.join(known)}; for {other.value} "
            f"add --dialect {other.value}"
        )
    return chosen


def _wants_own(arguments: argparse.Namespace) -> bool:
    """Return whether the configuration asks for our own types; `print` has none."""
    configured = configuration_of(arguments) if "conf" in arguments else None
    return configured is not None and configured.settings.content.engine_processes is EngineProcesses.OWN


def _dialect(text: str) -> DialectName:
    found = next((each for each in (DialectName.ATLAS, DialectName.PURVIEW) if each.value == text.lower()), None)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text}: must be atlas or purview")
    return found


def _print_differences(found: tuple[Difference, ...]) -> None:
    for each in found:
        print_masked(f"{each}  ({_HINTS[each.fix]})", styles.TYPES)
    print_masked(_summary(found), styles.TYPES)


def _objects(found: tuple[Difference, ...]) -> list[dict[str, str]]:
    return [
        {"kind": each.kind, "type": each.type_name, "place": each.place, "text": each.text, "fix": each.fix.value}
        for each in found
    ]


def _families(text: str) -> tuple[str, ...]:
    """Parse a list of families into the order in which a server must create them."""
    names = {name.strip() for name in text.split(",") if name.strip()}
    known = tuple(dict.fromkeys((*_OF_ATLAS, *_OF_PURVIEW)))
    if unknown := sorted(names - set(known)):
        raise argparse.ArgumentTypeError(f"unknown family {', '.join(unknown)}: use {', '.join(known)}")
    if not names:
        raise argparse.ArgumentTypeError(f"no family given: use {', '.join(known)}")
    return tuple(each for each in known if each in names)


def _summary(found: tuple[Difference, ...]) -> str:
    if not found:
        return "no differences"
    counts = {fix: sum(each.fix is fix for each in found) for fix in Fix}
    return ", ".join(
        f"{counts[fix]} {text}"
        for fix, text in (
            (Fix.CREATE, "missing types"),
            (Fix.UPDATE, "missing parts of types"),
            (Fix.NONE, "other differences"),
        )
        if counts[fix]
    )
