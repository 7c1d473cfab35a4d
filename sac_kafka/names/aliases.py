"""Rewrite path prefixes as configured, so that one place has one name whatever a job calls it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from sac_kafka.model import Dataset, PathDataset


class Aliases:
    """The configured pairs of a prefix and its replacement: whole segments, the longest matching prefix, replaced once."""

    def __init__(self, pairs: Sequence[tuple[str, str]] = ()) -> None:
        self.targets: Mapping[str, str] = dict(pairs)

    def resolve(self, path: str) -> str:
        """Return a path under its configured name.

        >>> Aliases([("dbfs:/mnt/raw", "s3a://raw")]).resolve("dbfs:/mnt/raw/orders")
        's3a://raw/orders'
        """
        if not self.targets:
            return path
        end = len(path)
        while end > 0:
            for begin in (path[:end], path[: end + 1] if path[end : end + 1] == "/" else path[:end]):
                if begin in self.targets:
                    return self.targets[begin] + path[len(begin) :]
            end = path.rfind("/", 0, end)
        return path

    def resolve_dataset(self, dataset: Dataset) -> Dataset:
        """Return a dataset under its configured name."""
        if not isinstance(dataset, PathDataset) or not self.targets:
            return dataset
        return dataclasses.replace(
            dataset,
            path=self.resolve(dataset.path),
            locations=tuple(map(self.resolve, dataset.locations)),
            example=self.resolve(dataset.example) if dataset.example else "",
        )
