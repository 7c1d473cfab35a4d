"""Datasets that were renamed: what was told of one before is told of it under the name that it has now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sac_kafka.readable.told import ColumnFlow, ToldColumn, ToldProcess


class Renames:
    """Gives each dataset a key that it keeps: its first name, unless another one had that name before."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._names)

    def take(self, old: str, new: str) -> None:
        """Note that a dataset has another name from now on; whatever is called by its old one later is another."""
        key = self.key(old)
        self._keys |= {old: f"{old}\0{len(self._keys)}", new: key}
        self._names[key] = new

    def key(self, name: str) -> str:
        """Give the key of what is called so at present."""
        return self._keys.get(name, name)

    def name(self, key: str) -> str:
        """Give what has this key its name of the end."""
        return self._names.get(key) or key.partition("\0")[0]


def with_names(process: ToldProcess, named: Callable[[str], str]) -> ToldProcess:
    """The process with other names of datasets."""

    def column(each: ToldColumn) -> ToldColumn:
        return replace(each, dataset=named(each.dataset))

    def flows(found: Iterable[ColumnFlow]) -> tuple[ColumnFlow, ...]:
        return tuple(
            replace(each, output=column(each.output), sources=tuple(map(column, each.sources))) for each in found
        )

    return replace(
        process,
        inputs=tuple(map(named, process.inputs)),
        outputs=tuple(map(named, process.outputs)),
        columns=flows(process.columns),
        made=flows(process.made),
        row_columns=tuple((clause, column(each)) for clause, each in process.row_columns),
        types={named(name): type_name for name, type_name in process.types.items()},
    )
