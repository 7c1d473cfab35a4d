"""Load the type definitions that messages are validated against: those of the package, of a server or of files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sac_kafka.atlas.types.definitions import KINDS, types_def
from sac_kafka.errors import SacKafkaError
from sac_kafka.purview.types import definitions as purview
from sac_kafka.settings.declarations.choices import DialectName
from sac_kafka.tools.catalog.errors import TYPEDEFS
from sac_kafka.tools.cli.output import print_error
from sac_kafka.tools.cli.type_servers import PASSWORD, TOKEN, target_of
from sac_kafka.tools.validate.type_model import TypeModel

_PROG = "sac-kafka"
_REMEDY = "name a JSON file of type definitions, as served at /api/atlas/v2/types/typedefs, or a folder of such files"


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to select type definitions; the parser must have those of the configuration and --timeout."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--model",
        type=Path,
        metavar="FILE|DIR",
        help="JSON file of type definitions, or a folder of them such as Atlas' models/ (default: those of sac_kafka)",
    )
    which.add_argument(
        "--server", metavar="URL", help="Atlas server to read types from, such as https://atlas.example.org:21443"
    )
    parser.add_argument(
        "--dialect",
        choices=[each.value for each in DialectName],
        help="types of sac_kafka to use: atlas (default) or purview; with --server, the kind of server",
    )
    parser.add_argument(
        "--user",
        metavar="NAME",
        help=f"user at --server, with the password in {PASSWORD}; alternatively a token in {TOKEN}",
    )
    parser.add_argument(
        "--password-file", type=Path, metavar="FILE", help=f"file with the password, instead of {PASSWORD}"
    )
    parser.add_argument("--ca-file", type=Path, metavar="FILE", help="CA certificates to trust (PEM)")


def model_of(arguments: argparse.Namespace) -> tuple[str, TypeModel]:
    """Return the display name of the type definitions, and the definitions.

    Raises:
        SacKafkaError: They cannot be read, or have no entity types.
    """
    if arguments.server is not None:
        arguments.account = None
        arguments.dialect = DialectName(arguments.dialect) if arguments.dialect else None
        return _checked(arguments.server, target_of(arguments).server.get(TYPEDEFS))
    if arguments.model is not None:
        return _checked(str(arguments.model), _together(_read(arguments.model)))
    if arguments.dialect == DialectName.PURVIEW.value:
        return "the types of Purview", TypeModel(purview.definitions(purview.families()))
    return "the types of Atlas", TypeModel(types_def())


def _checked(name: str, definitions: Mapping[str, Any]) -> tuple[str, TypeModel]:
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
        print_error(f"{problem}; skipped", _PROG)
    if not files:
        raise SacKafkaError(f"{path}: no .json files; {_REMEDY}")


def _objects(listed: object) -> Iterator[dict[str, Any]]:
    """Yield the objects in a list; everything else is ignored."""
    yield from (each for each in (listed if isinstance(listed, list) else ()) if isinstance(each, dict))


def _together(models: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Merge the definitions of several files: the last definition of a name wins, and patches add attributes."""
    found: dict[str, dict[str, dict[str, Any]]] = {kind: {} for kind in KINDS}
    for model in models:
        for kind in KINDS:
            for each in _objects(model.get(kind)):
                if isinstance(each.get("name"), str):
                    found[kind][each["name"]] = dict(each)
        for patch in _objects(model.get("patches")):
            known = found["entityDefs"].get(str(patch.get("typeName")))
            if known is not None and patch.get("action") == "ADD_ATTRIBUTE":
                known["attributeDefs"] = [*(known.get("attributeDefs") or ()), *(patch.get("attributeDefs") or ())]
    return {kind: list(each.values()) for kind, each in found.items()}
