"""Atlas' own model files as one set of definitions: the files in the order of a server's start, their patches applied."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

MODELS = Path(os.environ.get("ATLAS_MODELS") or Path(__file__).parents[4] / "shared" / "atlas_models")
KINDS = ("enumDefs", "structDefs", "classificationDefs", "entityDefs", "relationshipDefs")
VERSIONS = ("2.1.0", "2.5.0")

needs_models = pytest.mark.skipif(
    not MODELS.is_dir(),
    reason=f"ATLAS_MODELS names no folder with Atlas' type definitions: {'/ and '.join(VERSIONS)}/, each what addons/models has "
    "in the sources of that release of Apache Atlas",
)
versions = pytest.mark.parametrize("version", VERSIONS)

Definitions = dict[str, dict[str, dict[str, Any]]]


@cache
def stock(version: str) -> Definitions:
    """Kind → name → definition of a release."""
    definitions: Definitions = {kind: {} for kind in KINDS}
    for folder in sorted(each for each in (MODELS / version).iterdir() if each.is_dir()):
        for file in sorted(folder.glob("*.json")):
            for kind, found in json.loads(file.read_text("utf-8")).items():
                definitions[kind].update((each["name"], each) for each in found)
        for file in sorted((folder / "patches").glob("*.json")):
            for patch in json.loads(file.read_text("utf-8"))["patches"]:
                _apply(patch, definitions)
    return definitions


def _apply(patch: dict[str, Any], definitions: Definitions) -> None:
    """Apply patches as AtlasTypeDefStoreInitializer does: a patch is for one version of the type, given by its beginning."""
    target = next((found[patch["typeName"]] for found in definitions.values() if patch["typeName"] in found), None)
    wanted = patch.get("applyToVersion")
    if target is None or (wanted and not f"{target.get('typeVersion', wanted)}.".startswith(f"{wanted}.")):
        return
    match patch["action"]:
        case "ADD_ATTRIBUTE" | "ADD_MANDATORY_ATTRIBUTE" | "UPDATE_ATTRIBUTE":
            for attribute in patch["attributeDefs"]:
                _remove(target, attribute["name"])
                target.setdefault("attributeDefs", []).append(attribute)
        case "UPDATE_ENUMDEF":
            target["elementDefs"] += patch["elementDefs"]
        case "UPDATE_TYPEDEF_OPTIONS":
            target["options"] = {**(target.get("options") or {}), **patch["typeDefOptions"]}
        case "ADD_SUPER_TYPES":
            target["superTypes"] = [*target.get("superTypes", ()), *patch["superTypes"]]
        case "REMOVE_LEGACY_REF_ATTRIBUTES":
            _remove_legacy(target, patch.get("params") or {}, definitions)
    if patch.get("updateToVersion"):
        target["typeVersion"] = patch["updateToVersion"]


def _remove_legacy(relationship: dict[str, Any], params: dict[str, Any], definitions: Definitions) -> None:
    """Replace the reference attributes of both ends by pure relationship attributes."""
    if params.get("swapEnds"):
        relationship["endDef1"], relationship["endDef2"] = relationship["endDef2"], relationship["endDef1"]
    for end in (relationship["endDef1"], relationship["endDef2"]):
        if end["type"] in definitions["entityDefs"]:
            _remove(definitions["entityDefs"][end["type"]], end["name"])
        end["isLegacyAttribute"] = False
    for key in ("relationshipCategory", "relationshipLabel"):
        if params.get(key):
            relationship[key] = params[key]


def _remove(definition: dict[str, Any], attribute: str) -> None:
    definition["attributeDefs"] = [each for each in definition.get("attributeDefs", ()) if each["name"] != attribute]
