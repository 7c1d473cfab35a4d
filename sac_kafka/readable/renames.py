"""Datasets and columns that were renamed: what was told of one before is told of it under the name that it has now."""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.readable.told import ToldColumn


class _Names:
    """Gives each thing a key that it keeps: its first name, unless another one had that name before."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def take(self, old: str, new: str) -> None:
        key = self.key(old)
        self._keys |= {old: f"{old}\0{len(self._keys)}", new: key}
        self._names[key] = new

    def key(self, name: str) -> str:
        return self._keys.get(name, name)

    def name(self, key: str) -> str:
        return self._names.get(key) or key.partition("\0")[0]


class Renames:
    """Gives each dataset a key that it keeps, and each column of it one."""

    def __init__(self) -> None:
        self._datasets = _Names()
        self._columns: dict[str, _Names] = {}
        self._is_any = False

    def __bool__(self) -> bool:
        """Whether there are any."""
        return self._is_any

    def take(self, old: str, new: str) -> None:
        """Note that a dataset has another name from now on; whatever is called by its old one later is another."""
        self._is_any = True
        self._datasets.take(old, new)

    def take_column(self, old: str, new: ToldColumn) -> None:
        """Note that a column has another name from now on.

        Args:
            old: Its name within its dataset.
            new: What it is called now, with its dataset as that is called now.
        """
        if old != new.name:  # else only its dataset is called otherwise
            self._is_any = True
            self._columns.setdefault(self.key(new.dataset), _Names()).take(old, new.name)

    def key(self, name: str) -> str:
        """Give the key of the dataset that is called so at present."""
        return self._datasets.key(name)

    def name(self, key: str) -> str:
        """Give the dataset that has this key its name of the end."""
        return self._datasets.name(key)

    def column_key(self, column: ToldColumn) -> ToldColumn:
        """Give a column with the keys that it and its dataset have at present."""
        key = self.key(column.dataset)
        names = self._columns.get(key)
        return replace(column, dataset=key, name=names.key(column.name) if names else column.name)

    def column(self, keys: ToldColumn) -> ToldColumn:
        """Give a column of such keys with its names of the end."""
        names = self._columns.get(keys.dataset)
        return replace(keys, dataset=self.name(keys.dataset), name=names.name(keys.name) if names else keys.name)
