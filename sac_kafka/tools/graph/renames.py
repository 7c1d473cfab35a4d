"""Track renamed datasets and columns, so that earlier lineage appears under the current name."""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.tools.messages.model import LineageColumn


class _Names:
    """Stable keys of objects: the first name of an object, unless another object had that name before."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def add(self, old: str, new: str) -> None:
        key = self.key(old)
        self._keys |= {old: f"{old}\0{len(self._keys)}", new: key}
        self._names[key] = new

    def key(self, name: str) -> str:
        return self._keys.get(name, name)

    def name(self, key: str) -> str:
        return self._names.get(key) or key.partition("\0")[0]


class Renames:
    """Stable keys of datasets and their columns, and the current names for keys."""

    def __init__(self) -> None:
        self._datasets = _Names()
        self._columns: dict[str, _Names] = {}
        self._is_any = False

    def __bool__(self) -> bool:
        """Return whether anything was renamed."""
        return self._is_any

    def add(self, old: str, new: str) -> None:
        """Record the rename of a dataset; a later dataset with the old name is another one."""
        self._is_any = True
        self._datasets.add(old, new)

    def add_column(self, old: str, new: LineageColumn) -> None:
        """Record the rename of a column.

        Args:
            old: The old name of the column.
            new: The renamed column, under the current name of its dataset.
        """
        if old != new.name:  # Equal if only the dataset was renamed.
            self._is_any = True
            self._columns.setdefault(self.key(new.dataset), _Names()).add(old, new.name)

    def key(self, name: str) -> str:
        """Return the key of the dataset that has this name now."""
        return self._datasets.key(name)

    def name(self, key: str) -> str:
        """Return the current name of the dataset with this key."""
        return self._datasets.name(key)

    def column_key(self, column: LineageColumn) -> LineageColumn:
        """Return a column with the keys of its dataset and itself in place of their names."""
        key = self.key(column.dataset)
        names = self._columns.get(key)
        return replace(column, dataset=key, name=names.key(column.name) if names else column.name)

    def column(self, keys: LineageColumn) -> LineageColumn:
        """Return a column of keys with the current names of its dataset and itself."""
        names = self._columns.get(keys.dataset)
        return replace(keys, dataset=self.name(keys.dataset), name=names.name(keys.name) if names else keys.name)
