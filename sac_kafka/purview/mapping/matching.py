"""Match datasets and locations with the user's rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sac_kafka.model import Dataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.dataset_fields import DatasetFields, dataset_fields, path_fields
from sac_kafka.purview.mapping.rules import LocationRule, MappingRule, MappingRules
from sac_kafka.purview.naming_context import NamingContext


def asset_by_rules(dataset: Dataset, naming_context: NamingContext) -> Asset | None:
    """Return the asset by the first matching rule, before normalisation; None if no rule matches.

    Of a path, the root is matched; `names.paths` matches the paths of a run.
    """
    found = first_match(dataset_fields(dataset), naming_context) if naming_context.rules.rules else None
    return found[1] if found is not None else None


def first_match(fields: DatasetFields, naming_context: NamingContext) -> tuple[MappingRule, Asset] | None:
    """Return the first rule that matches the fields of a dataset, with its asset."""
    if fields.is_too_long:
        return None
    driver_values = _driver_values(naming_context)
    named = ((rule, rule.asset(fields, driver_values)) for rule in naming_context.rules.rules)
    return next(((rule, asset) for rule, asset in named if asset is not None), None)


def with_rules(naming_context: NamingContext, rules: MappingRules) -> NamingContext:
    """Return the context with the rules and mounts of a user; a mount of the user replaces one of the driver."""
    own = {point for point, _ in rules.mounts}
    others = (mount for mount in naming_context.mounts if mount[0].rstrip("/") not in own)
    return replace(naming_context, rules=rules, mounts=(*rules.mounts, *others))


def location(uri: str, rules: MappingRules) -> LocationRule | None:
    """Return the first rule that matches a location, or None."""
    if not rules.locations:
        return None
    found = path_fields(uri)
    return None if found.is_too_long else next((rule for rule in rules.locations if rule.holds(found)), None)


def _driver_values(naming_context: NamingContext) -> Mapping[str, str]:
    known = {
        "workspace": naming_context.workspace_host,
        "metastore": naming_context.metastore_id,
        "namespace": naming_context.namespace,
    }
    return {name: text for name, text in known.items() if text}
