"""The asset that the user's rules say a dataset is, and what they say of a location."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.lineage.model import Dataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.rules import Location, Rules
from sac_kafka.purview.mapping.seen import Kind, Seen, of_location, seen
from sac_kafka.purview.surroundings import Surroundings


def mapped(dataset: Dataset, surroundings: Surroundings, rules: Rules) -> Asset | None:
    """The asset by the first rule that holds, before it is normalised; None where none holds."""
    if not rules.rules:
        return None
    found = seen(dataset)
    if found.is_too_long:
        return None
    around = _around(surroundings)
    return next((asset for rule in rules.rules if (asset := rule.asset(found, around)) is not None), None)


def location(uri: str, rules: Rules) -> Location | None:
    """What the user says of a location, by the first line that is about it; None where nothing is said."""
    if not rules.locations:
        return None
    texts = {name: text for name, text in of_location(uri).items() if text is not None}
    found = Seen(Kind.PATH, texts)
    return None if found.is_too_long else next((each for each in rules.locations if each.holds(found)), None)


def _around(surroundings: Surroundings) -> Mapping[str, str]:
    known = {
        "workspace": surroundings.workspace_host,
        "metastore": surroundings.metastore_id,
        "namespace": surroundings.namespace,
    }
    return {name: text for name, text in known.items() if text}
