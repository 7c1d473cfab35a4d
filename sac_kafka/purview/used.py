"""What a flow uses, as assets: a dataset is one, or two where a table has a location in a store that is scanned, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.config.choices import TableAssets
from sac_kafka.lineage.model import Dataset, TableDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.owners import references
from sac_kafka.purview.required_attributes import required_attributes

AssetNaming = Callable[[Dataset, bool], Asset]
"""Gives the asset that a dataset is; the second argument is True for an output."""
LocationNaming = Callable[[TableDataset, bool], Asset | None]
"""Gives the asset that a table's location is, None where no scan would find it."""


@dataclass(frozen=True, slots=True)
class Used:
    """The assets of a dataset: itself, and for a table what its location is, where that is an asset, too."""

    asset: Asset | None
    location: Asset | None = None

    @property
    def assets(self) -> tuple[Asset, ...]:
        """All of them, the table first."""
        return tuple(each for each in (self.asset, self.location) if each is not None)

    @property
    def shown(self) -> Asset | None:
        """The one that people are shown: a table and its files are one dataset."""
        return self.asset or self.location


def used(
    dataset: Dataset, naming: AssetNaming, location: LocationNaming, tables: TableAssets, *, is_output: bool
) -> Used:
    """The assets of a dataset; one without a location is itself, whatever `tables` asks for."""
    if not isinstance(dataset, TableDataset) or tables is TableAssets.TABLE:
        return Used(naming(dataset, is_output))
    at = location(dataset, is_output)
    if tables is TableAssets.LOCATION and at is not None:
        return Used(None, at)
    return Used(naming(dataset, is_output), at)


def entity(asset: Asset) -> AtlasEntity:
    """An asset as it is sent: its identity, what its type demands, and nothing that a scan may know better."""
    owned = references(identity(asset))
    return AtlasEntity(
        id=identity(asset),
        attributes={"name": asset.name, **required_attributes(asset)},
        references=owned,
        relationships=dict.fromkeys(owned, ""),
    )


def identity(asset: Asset) -> AtlasObjectId:
    """The identity of an asset."""
    return AtlasObjectId(asset.type_name, asset.qualified_name)


def each_once(assets: Iterable[Asset]) -> tuple[Asset, ...]:
    """The assets without those that are there before: two datasets may be one asset."""
    return tuple({identity(each): each for each in assets}.values())
