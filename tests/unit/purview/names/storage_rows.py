"""Rows of the table of storage: paths of Spark, and the asset of their data in Purview."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from pathlib import Path

from sac_kafka.model import PathDataset
from sac_kafka.names.files import paths
from sac_kafka.purview.naming_context import NamingContext

HERE = Path(__file__).parent
_RANGE = re.compile(r"<(\w+)\.\.(\w+)>")


@dataclass(frozen=True)
class Row:
    """A row. `shown` are concrete paths, or there is only a `root`, as of a dataset whose paths are not known any more."""

    id: str
    dataset: PathDataset
    is_output: bool
    surroundings: NamingContext
    type: str
    qualified_name: str
    name: str
    source: str
    certainty: str


def storage_rows() -> list[Row]:
    with (HERE / "storage.csv").open(encoding="utf-8", newline="") as file:
        return [_row(each) for each in csv.DictReader(file)]


def shown(locations: list[str], file_format: str, partitions: tuple[str, ...] = ()) -> PathDataset:
    """Return what the hook makes of concrete paths, which are one dataset, with the partition columns that Spark knows."""
    (found,) = paths(locations, file_format, (), ())
    return replace(found, partitions=partitions)


def _row(cells: dict[str, str]) -> Row:
    locations = [each for cell in cells["shown"].split(" | ") if cell for each in _expanded(cell)]
    return Row(
        id=cells["id"],
        dataset=shown(locations, cells["format"])
        if locations
        else PathDataset(path=cells["root"], format=cells["format"]),
        is_output=cells["role"] == "out",
        surroundings=_surroundings(cells["surroundings"]),
        type=cells["type"],
        qualified_name=cells["qualified_name"],
        name=cells["name"],
        source=cells["source"],
        certainty=cells["certainty"],
    )


def _expanded(path: str) -> list[str]:
    """Expand `<1..30>` and `<a..z>` into many paths."""
    found = _RANGE.search(path)
    if found is None:
        return [path]
    first, last = found[1], found[2]
    each = range(int(first), int(last) + 1) if first.isdigit() else map(chr, range(ord(first), ord(last) + 1))
    return [path.replace(found[0], str(value)) for value in each]


def _surroundings(cell: str) -> NamingContext:
    facts = {key: value for pair in cell.split(" | ") if pair for key, _, value in (pair.partition("="),)}
    mounts = tuple(
        (point, source)
        for each in facts.pop("mounts", "").split(";")
        if each
        for point, _, source in (each.partition(">"),)
    )
    return NamingContext(
        mounts=mounts,
        uses_resource_sets=facts.pop("uses_resource_sets", "yes") == "yes",
        **facts,
    )
