"""Convert datasets of a flow to assets: one, or two for a table whose location is in a scanned store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.lineage.model import Dataset, TableDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.owners import references
from sac_kafka.purview.required_attributes import required_attributes
from sac_kafka.settings.declarations.choices import TableAssets

AssetNaming = Callable[[Dataset, bool], Asset]
"""Function from a dataset to its asset; the second argument is True for an output."""
LocationNaming = Callable[[TableDataset, bool], Asset | None]
"""Function from a table to the asset of its location, or None if no scan would find it."""


@dataclass(frozen=True, slots=True)
class DatasetAssets:
    """Assets of a dataset: its own, and for a table also the one at its location."""

    asset: Asset | None
    location: Asset | None = None

    @property
    def assets(self) -> tuple[Asset, ...]:
        """All assets, the table first."""
        return tuple(each for each in (self.asset, self.location) if each is not None)

    @property
    def primary(self) -> Asset | None:
        """The asset that represents the dataset in labels: the table rather than its files."""
        return self.asset or self.location


def assets_of(
    dataset: Dataset, naming: AssetNaming, location: LocationNaming, tables: TableAssets, *, is_output: bool
) -> DatasetAssets:
    """Return the assets of a dataset; a dataset without a location has only its own, regardless of `tables`."""
    if not isinstance(dataset, TableDataset) or tables is TableAssets.TABLE:
        return DatasetAssets(naming(dataset, is_output))
    at = location(dataset, is_output)
    if tables is TableAssets.LOCATION and at is not None:
        return DatasetAssets(None, at)
    return DatasetAssets(naming(dataset, is_output), at)


def entity(asset: Asset) -> AtlasEntity:
    """Return the entity of an asset with its identity and required attributes only, as the scan supplies the rest."""
    owners = references(identity(asset))
    return AtlasEntity(
        id=identity(asset),
        attributes={"name": asset.name, **required_attributes(asset)},
        references=owners,
        relationships=dict.fromkeys(owners, ""),
    )


def identity(asset: Asset) -> AtlasObjectId:
    """Return the identity of an asset."""
    return AtlasObjectId(asset.type_name, asset.qualified_name)


def each_once(assets: Iterable[Asset]) -> tuple[Asset, ...]:
    """Return the assets without duplicates, as two datasets may be one asset."""
    return tuple({identity(each): each for each in assets}.values())
