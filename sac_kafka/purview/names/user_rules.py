"""Apply the user's rules to paths: the asset, and the treatment of a location.

A rule names the asset at a path. If the rule's type belongs to a store, the choice between file, folder and resource set and
the replacement of dates and numbers are the same as for every path.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.dataset_fields import path_fields
from sac_kafka.purview.mapping.matching import first_match
from sac_kafka.purview.mapping.matching import location as location_rule
from sac_kafka.purview.mapping.rules import LocationRule, MappingRule, Treatment
from sac_kafka.purview.names.containers import ContainedKind, Container, StoreTypes, asset_in
from sac_kafka.purview.names.location import DataLocation, translate
from sac_kafka.purview.names.places import DataPlace, partition_folders
from sac_kafka.purview.names.stores import BLOB, FILES, GEN1, GEN2, S3
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import normalise

_URL = re.compile(r"(?P<server>[A-Za-z][A-Za-z0-9+.-]*://[^/]+)(?P<path>/.*)?", re.DOTALL)
_STORES: Mapping[str, tuple[StoreTypes, int]] = {
    **{name: (types, 1) for types in (GEN2, BLOB, FILES) for name in (types.file, types.folder)},
    **{name: (types, 0) for types in (GEN1, S3) for name in (types.file, types.folder)},
}
"""For types of files and folders: the types of the store, and the depth of its containers below the host."""
_KINDS = {
    Treatment.RESOURCE_SET: ContainedKind.SPARK_DIRECTORY,
    Treatment.FOLDER: ContainedKind.FOLDER,
    Treatment.FILE: ContainedKind.FILE,
}


def asset_by_rule(place: DataPlace, root: DataLocation, connector: str, naming_context: NamingContext) -> Asset | None:
    """Return the asset by the first matching rule for a place, with mounts resolved; None if no rule matches.

    `root` is the root of the dataset, which is the same for all runs; it is used for types that belong to no store.
    """
    if not naming_context.rules.rules:
        return None
    found = first_match(path_fields(_uri(place.location), connector), naming_context)
    if found is None:
        return None
    rule, asset = found
    container = _container(asset)
    if container is None:
        return normalise(_of_root(rule, root, connector, naming_context) or asset)
    in_store = asset_in(container, place.kind, naming_context, partition_folders(place, naming_context.partitions))
    own = asset.name if asset.name != path_fields(_uri(place.location), connector).values["name"] else in_store.name
    return dataclasses.replace(in_store, name=own, rule=asset.rule)


def _of_root(rule: MappingRule, root: DataLocation, connector: str, naming_context: NamingContext) -> Asset | None:
    segments = tuple(translate(segment) for segment in root.segments)
    found = first_match(path_fields(_uri(dataclasses.replace(root, segments=segments)), connector), naming_context)
    return found[1] if found is not None and found[0] is rule else None


def treatment(location: DataLocation, naming_context: NamingContext) -> LocationRule | None:
    """Return the user's rule for the treatment of a location, or None."""
    return location_rule(_uri(location), naming_context.rules)


def apply_treatment(place: DataPlace, rule: LocationRule | None) -> DataPlace:
    """Return the place with the user's treatment; a file in a folder or resource set stays a file unless the rule is exact."""
    if rule is None:
        return place
    if place.kind is ContainedKind.FILE and rule.treatment is not Treatment.FILE and not rule.is_exact:
        return place
    return dataclasses.replace(place, kind=_KINDS[rule.treatment])


def _uri(location: DataLocation) -> str:
    authority = f"//{location.authority}" if location.authority else ""
    return f"{location.scheme or 'file'}:{authority}/{'/'.join(location.segments)}"


def _container(asset: Asset) -> Container | None:
    """Return the container and path of a name, if its type belongs to a store."""
    store, url = _STORES.get(asset.type_name), _URL.fullmatch(asset.qualified_name)
    if store is None or url is None:
        return None
    types, depth = store
    folders = tuple(each for each in (url["path"] or "").split("/") if each)
    if len(folders) < depth:
        return None
    return Container(types=types, name="/".join((url["server"], *folders[:depth])), path=folders[depth:])
