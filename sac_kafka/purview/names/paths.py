"""Name paths by their scheme: files, folders and resource sets; paths that Purview does not scan are a `DataSet`.

`asset` names inputs and outputs of a query, `asset_of_location` the location of a table or any URI.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sac_kafka.model import ModelDataset, PathDataset
from sac_kafka.purview.asset import WORLDWIDE_SCHEMES, Asset, unknown
from sac_kafka.purview.mapping.rules import LocationRule, Treatment
from sac_kafka.purview.names import onelake
from sac_kafka.purview.names.containers import ContainedKind, asset_in, is_data_file
from sac_kafka.purview.names.dbfs import behind_mount, dbfs, in_dbfs, managed_table
from sac_kafka.purview.names.location import DataLocation, is_placeholder, located_root, parse_location
from sac_kafka.purview.names.places import DataPlace, fixed_part, partition_folders, place_of, places
from sac_kafka.purview.names.stores import STORES
from sac_kafka.purview.names.user_rules import apply_treatment, asset_by_rule, treatment
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import normalise

MAX_CHARACTERS = 8_000
"""Maximum characters of a path in a store: names of blobs and keys have at most 1,024, path segments in ADLS Gen2 255."""


def asset(dataset: PathDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return the asset that Purview's scan creates for a path; a `DataSet` if it creates none.

    >>> orders = PathDataset(path="abfss://raw@acct.dfs.core.windows.net/orders", format="parquet")
    >>> asset(orders, NamingContext(), is_output=True).qualified_name
    'https://acct.dfs.core.windows.net/raw/orders/{SparkPartitions}'
    """
    root = located_root(dataset.path)
    if any(len(each) > MAX_CHARACTERS for each in (dataset.path, *dataset.known_locations)):
        return _asset_without_scan(root, naming_context)
    rule, naming_context = _treatment(_behind(root, naming_context), naming_context)
    if naming_context.uses_resource_sets:
        candidates = places(dataset, is_output=is_output)
    else:
        candidates = (_as_path(root, is_output=is_output),)
    candidates = tuple(apply_treatment(candidate, rule) for candidate in candidates)
    by_rule = _chosen(_by_rule(candidate, root, dataset.format, naming_context) for candidate in candidates)
    if by_rule is not None:
        return by_rule
    fixed = _without_patterns(fixed_part(_with_ids(root, dataset)), naming_context)
    if fixed is not None:
        return normalise(fixed)
    return _chosen(_in_store(candidate, naming_context) for candidate in candidates) or _asset_without_scan(
        root, naming_context
    )


def model_asset(dataset: ModelDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return the asset of a model: its directory as a folder, regardless of the files in it."""
    del is_output
    return asset(dataset, replace(naming_context, uses_resource_sets=False), is_output=True)


def asset_of_location(
    uri: str, naming_context: NamingContext, *, is_output: bool, partitions: tuple[str, ...] = ()
) -> Asset:
    """Return the asset of a location that contains the folders of these partition columns.

    >>> asset_of_location("s3a://lake/in/orders_2026-11-21.csv", NamingContext(), is_output=False).qualified_name
    's3://lake/in/orders_{Year}-{Month}-{Day}.csv'
    """
    location = parse_location(uri)
    if len(uri) > MAX_CHARACTERS:
        return _asset_without_scan(location, naming_context)
    rule, naming_context = _treatment(_behind(location, naming_context), naming_context)
    place = apply_treatment(place_of(uri, is_output=is_output, partitions=partitions), rule)
    by_rule = _by_rule(place, location, "", naming_context)
    if by_rule is not None:
        return by_rule
    fixed = _without_patterns(place.location, naming_context)
    if fixed is not None:
        return normalise(fixed)
    return _in_store(place, naming_context) or _asset_without_scan(location, naming_context)


def _chosen(found: Iterable[Asset | None]) -> Asset | None:
    """Return the asset nearest to the root of its store, of several that denote one dataset."""
    known = (each for each in found if each is not None)
    return min(known, key=lambda each: (each.qualified_name.count("/"), each.qualified_name), default=None)


def _treatment(behind: DataLocation, naming_context: NamingContext) -> tuple[LocationRule | None, NamingContext]:
    """Return the rule for a location, and the context with its treatment of resource sets."""
    rule = treatment(behind, naming_context)
    if rule is None:
        return None, naming_context
    return rule, replace(naming_context, uses_resource_sets=rule.treatment is Treatment.RESOURCE_SET)


def _by_rule(place: DataPlace, root: DataLocation, connector: str, naming_context: NamingContext) -> Asset | None:
    behind = replace(place, location=_behind(place.location, naming_context))
    return asset_by_rule(behind, _behind(root, naming_context), connector, naming_context)


def _with_ids(root: DataLocation, dataset: PathDataset) -> DataLocation:
    """Return the root with the ids of OneLake workspaces and items restored, which are not ids of a run."""
    if not onelake.is_onelake(root) or not dataset.known_locations:
        return root
    segments = parse_location(min(dataset.known_locations)).segments
    ids = (
        own if is_placeholder(each) else each
        for each, own in zip(root.segments[: onelake.LEVELS], segments, strict=False)
    )
    return replace(root, segments=(*ids, *root.segments[onelake.LEVELS :]))


def _without_patterns(location: DataLocation, naming_context: NamingContext) -> Asset | None:
    """Return the asset of a path without resource sets: Fabric items and Hive tables on DBFS; None for others."""
    behind = _behind(location, naming_context)
    if onelake.is_onelake(behind):
        return onelake.onelake(behind)
    if behind.scheme == "dbfs":
        return managed_table(behind, naming_context)
    return onelake.mounted_lakehouse(behind, naming_context) if behind.scheme in {"", "file"} else None


def _in_store(place: DataPlace, naming_context: NamingContext) -> Asset | None:
    behind = _behind(place.location, naming_context)
    store = STORES.get(behind.scheme)
    container = store(behind) if store is not None else None
    return (
        None
        if container is None
        else asset_in(container, place.kind, naming_context, partition_folders(place, naming_context.partitions))
    )


def _behind(location: DataLocation, naming_context: NamingContext) -> DataLocation:
    """Return the location with DBFS paths recognised and mounts resolved."""
    path = in_dbfs(location)
    if path is None:
        return location
    return behind_mount(path, naming_context) or path


def _asset_without_scan(location: DataLocation, naming_context: NamingContext) -> Asset:
    behind = _behind(location, naming_context)
    return dbfs(behind, naming_context) if behind.scheme == "dbfs" else _plain_asset(behind, naming_context)


def _plain_asset(location: DataLocation, naming_context: NamingContext) -> Asset:
    """Return the asset of a location, without user information; local locations include the namespace.

    `hdfs_path` and `fs_path` are not used: no scan creates them, and Purview drops messages without their required `path`.
    """
    scheme = location.scheme or "file"
    host = f"//{_authority(location)}" if location.authority else ""
    path = f"{scheme}:{host}/{'/'.join(location.segments)}"
    is_worldwide = scheme in WORLDWIDE_SCHEMES and location.authority
    return unknown(
        path if is_worldwide else f"{path}@{naming_context.namespace}",
        name=location.segments[-1] if location.segments else location.host or "/",
        rule=f"{scheme}: is not scanned",
    )


def _authority(location: DataLocation) -> str:
    """Return the host with the container before it (`container@host`); user information with a password is removed."""
    before = location.authority.rpartition("@")[0]
    return f"{before}@{location.host}" if before and ":" not in before else location.host


def _as_path(root: DataLocation, *, is_output: bool) -> DataPlace:
    """Return the place of a root without resource sets: the file that is read, or the folder common to all runs."""
    folder = fixed_part(root)
    is_file = not is_output and folder == root and bool(root.segments) and is_data_file(root.segments[-1])
    return DataPlace(folder, ContainedKind.FILE if is_file else ContainedKind.FOLDER)
