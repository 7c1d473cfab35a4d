"""Gives a real Atlas the types of Purview, so that it can be sent messages of that dialect.

    register(atlas_server)      # as often as a test likes

Atlas takes them as they are in the package: what it keeps of a message then, and what it draws, follows its own rules, not
Purview's.
"""

from __future__ import annotations

from typing import Any

from sac_kafka.purview.types import OWN, built_in, definitions
from tests.live.server.live_atlas import RunningAtlas

_PATH = "/v2/types/typedefs"


def register(atlas: RunningAtlas) -> list[str]:
    """Make the types that the server lacks, family by family; give their names."""
    made: list[str] = []
    there = _names(atlas.rest.get(_PATH))
    for family in (*built_in(), OWN):
        new = {
            kind: [each for each in found if each["name"] not in there] for kind, found in definitions([family]).items()
        }
        if any(new.values()):
            atlas.rest.call("POST", _PATH, new)
            made += sorted(_names(new))
    return made


def _names(types: dict[str, list[dict[str, Any]]]) -> set[str]:
    return {each["name"] for found in types.values() for each in found}
