"""Files as datasets: one a root, whatever the format."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sac_kafka.lineage.datasets.folding import roots
from sac_kafka.lineage.model import Column, PathDataset

Patterns = tuple[re.Pattern[str], ...]
MOST_LOCATIONS = 1_000
"""Concrete paths of a dataset that are kept: the first ones, as Spark has them."""


def paths(
    locations: Sequence[str], file_format: str, of: tuple[Column, ...], patterns: Patterns
) -> tuple[PathDataset, ...]:
    """One dataset a root: a glob or a list of dated directories is usually one."""
    return tuple(
        PathDataset(path=path, format=format_name(file_format), columns=of, locations=tuple(there[:MOST_LOCATIONS]))
        for path, there in roots(locations, patterns).items()
    )


def format_name(file_format: str) -> str:
    """`parquet`; of the class of a format without a short name its simple name, `org.x.FooFileFormat` → `foo`."""
    return file_format.rpartition(".")[2].removesuffix("FileFormat").lower() or file_format
