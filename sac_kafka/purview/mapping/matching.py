"""The asset that the user's rules say a dataset is, and what they say of a location."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sac_kafka.lineage.model import Dataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.rules import LocationRule, MappingRules, NamingRule
from sac_kafka.purview.mapping.seen import DatasetKind, Seen, of_location, seen
from sac_kafka.purview.surroundings import AssetSurroundings


def mapped(dataset: Dataset, surroundings: AssetSurroundings, rules: MappingRules) -> Asset | None:
    """The asset by the first rule that holds, before it is normalised; None where none holds.

    A path is taken as its root: `names.paths` asks for the places of a run.
    """
    found = ruled(seen(dataset), replace(surroundings, rules=rules)) if rules.rules else None
    return found[1] if found is not None else None


def ruled(found: Seen, surroundings: AssetSurroundings) -> tuple[NamingRule, Asset] | None:
    """The first rule that holds for what is seen of a dataset, and the asset by it."""
    if found.is_too_long:
        return None
    around = _around(surroundings)
    named = ((rule, rule.asset(found, around)) for rule in surroundings.rules.rules)
    return next(((rule, asset) for rule, asset in named if asset is not None), None)


def with_rules(surroundings: AssetSurroundings, rules: MappingRules) -> AssetSurroundings:
    """The surroundings with a user's rules and mounts; where a mount point is known twice, the user's counts."""
    own = {point for point, _ in rules.mounts}
    others = (each for each in surroundings.mounts if each[0].rstrip("/") not in own)
    return replace(surroundings, rules=rules, mounts=(*rules.mounts, *others))


def location(uri: str, rules: MappingRules) -> LocationRule | None:
    """What the user says of a location, by the first line that is about it; None where nothing is said."""
    if not rules.locations:
        return None
    texts = {name: text for name, text in of_location(uri).items() if text is not None}
    found = Seen(DatasetKind.PATH, texts)
    return None if found.is_too_long else next((each for each in rules.locations if each.holds(found)), None)


def _around(surroundings: AssetSurroundings) -> Mapping[str, str]:
    known = {
        "workspace": surroundings.workspace_host,
        "metastore": surroundings.metastore_id,
        "namespace": surroundings.namespace,
    }
    return {name: text for name, text in known.items() if text}
