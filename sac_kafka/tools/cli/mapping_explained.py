"""Explain the name of a dataset in Purview for `sac-kafka map explain`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sac_kafka.lineage.model import Dataset, PathDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.dataset_fields import FIELDS, dataset_fields
from sac_kafka.purview.mapping.matching import asset_by_rules, location
from sac_kafka.purview.mapping.rules import LocationRule
from sac_kafka.purview.names import asset
from sac_kafka.purview.names.databricks import in_dbfs
from sac_kafka.purview.names.location import located
from sac_kafka.purview.names.mounts import behind_mount
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import RULES

_SET, _OF_A_PATH = "_resource_set", "_path"
_WIDTH = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Name of a dataset in Purview, with the rules that led to it.

    Attributes:
        dataset: The dataset.
        is_output: It is written, not read.
        behind: The path that its mount points to, "" if it is not in a mount.
        fields: Its attributes that rules can match.
        asset: The asset in Purview.
        is_by_user: It was named by a rule of the user.
        location: The user's rule for its location.
        normalised: Purview's normalisation rules that changed its name.
    """

    dataset: Dataset
    is_output: bool
    behind: str
    fields: Mapping[str, str]
    asset: Asset
    is_by_user: bool
    location: LocationRule | None
    normalised: tuple[str, ...]

    @property
    def is_resource_set(self) -> bool:
        """Return whether the asset is a resource set."""
        return self.asset.type_name.endswith(_SET)


def explained(dataset: Dataset, naming_context: NamingContext, *, is_output: bool) -> Explanation:
    """Return the name of a dataset in Purview with an explanation."""
    named = asset(dataset, naming_context, is_output=is_output)
    behind = _behind(dataset, naming_context)
    shown = dataset_fields(behind or dataset)
    raw = asset_by_rules(behind or dataset, naming_context, naming_context.rules)
    is_by_user = any(named.rule == each.description for each in naming_context.rules.rules)
    written = raw.qualified_name if is_by_user and raw is not None else _as_written(behind or dataset)
    return Explanation(
        dataset=dataset,
        is_output=is_output,
        behind=behind.path if behind is not None else "",
        fields={"kind": shown.kind.value}
        | {name: shown.values[name] for name in FIELDS[shown.kind] if name in shown.values},
        asset=named,
        is_by_user=is_by_user,
        location=location((behind or dataset).path, naming_context.rules) if isinstance(dataset, PathDataset) else None,
        normalised=tuple(_changing(named, written)) if written else (),
    )


def _behind(dataset: Dataset, naming_context: NamingContext) -> PathDataset | None:
    in_mount = in_dbfs(located(dataset.path)) if isinstance(dataset, PathDataset) else None
    found = behind_mount(in_mount, naming_context) if in_mount is not None else None
    if found is None or not isinstance(dataset, PathDataset):
        return None
    return PathDataset(path=f"{found.scheme}://{found.authority}/{'/'.join(found.segments)}", format=dataset.format)


def _as_written(dataset: Dataset) -> str:
    """Return the qualified name of a path before Purview's normalisation of case and slashes."""
    uri = dataset.locations[0] if isinstance(dataset, PathDataset) and dataset.locations else ""
    scheme, slashes, rest = uri.partition("://")
    authority, slash, path = rest.partition("/")
    container, at, host = authority.rpartition("@")
    return f"{scheme}://{host}/{container}{slash}{path}" if slashes and at else uri if slashes else ""


def _changing(named: Asset, written: str) -> Iterator[str]:
    type_name = named.type_name
    if type_name.endswith(_SET):
        type_name = type_name.removesuffix(_SET) + _OF_A_PATH
    for rule in RULES:
        if type_name in rule.types:
            becomes = rule.apply(written)
            if becomes != written:
                yield rule.name
            written = becomes


def lines(of: Explanation) -> Iterator[str]:
    """Yield the explanation as text."""
    name = of.dataset.key.partition(":")[2].lstrip("/")
    yield f"{of.fields['kind']} {name}, {'written' if of.is_output else 'read'}"
    rows = [
        ("behind mount", of.behind),
        ("attributes", ", ".join(f"{name} = {text}" for name, text in of.fields.items())),
        ("rule", f"{of.asset.rule}, {_whose(of)}"),
        ("location", f"{of.location.treatment.value}, by {of.location.place}" if of.location else ""),
        ("type", of.asset.type_name),
        ("qualifiedName", of.asset.qualified_name),
        ("name", of.asset.name),
        ("resource set", "yes" if of.is_resource_set else "no"),
        ("normalised by", ", ".join(of.normalised)),
    ]
    for title, text in rows:
        if text:
            yield f"  {title:<{_WIDTH}}{text}"


def _whose(of: Explanation) -> str:
    if of.is_by_user:
        return "rule of your mapping file"
    return "built-in rule" if of.asset.is_known else "no built-in rule: if Purview scans it, add a mapping rule"


def as_json(of: Explanation) -> dict[str, object]:
    """Return the explanation as a JSON object."""
    return {
        "dataset": of.dataset.key,
        "side": "output" if of.is_output else "input",
        "behind_mount": of.behind,
        "fields": dict(of.fields),
        "rule": of.asset.rule,
        "is_by_user": of.is_by_user,
        "is_known": of.asset.is_known,
        "location": {"treatment": of.location.treatment.value, "place": of.location.place} if of.location else None,
        "type": of.asset.type_name,
        "qualified_name": of.asset.qualified_name,
        "name": of.asset.name,
        "is_resource_set": of.is_resource_set,
        "normalised_by": list(of.normalised),
    }
