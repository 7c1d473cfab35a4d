"""Paths under the name that a setting gives them: one place has one name, whatever a job calls it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from sac_kafka.lineage.catalog.substitution import substituted
from sac_kafka.lineage.model import Dataset, PathDataset, Process


class Aliases:
    """The pairs of a setting, `from` and `to`: whole segments, the longest that a path begins with, once."""

    def __init__(self, pairs: Sequence[tuple[str, str]] = ()) -> None:
        self._meant: Mapping[str, str] = dict(pairs)

    def of(self, path: str) -> str:
        """The path under its name.

        >>> Aliases([("dbfs:/mnt/raw", "s3a://raw")]).of("dbfs:/mnt/raw/orders")
        's3a://raw/orders'
        """
        if not self._meant:
            return path
        end = len(path)
        while end > 0:
            for begin in (path[:end], path[: end + 1] if path[end : end + 1] == "/" else path[:end]):
                if begin in self._meant:
                    return self._meant[begin] + path[len(begin) :]
            end = path.rfind("/", 0, end)
        return path

    def applied(self, process: Process) -> Process:
        """The process with its paths under their names, in its column lineage too."""
        if not self._meant:
            return process
        named: dict[str, Dataset] = {
            d.key: self._named(d) for d in process.datasets if isinstance(d, PathDataset) and self.of(d.path) != d.path
        }
        return substituted(process, named)

    def _named(self, path: PathDataset) -> PathDataset:
        return dataclasses.replace(
            path,
            path=self.of(path.path),
            locations=tuple(map(self.of, path.locations)),
            example=self.of(path.example) if path.example else "",
        )
