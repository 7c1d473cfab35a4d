"""Names as messages have them, with their namespace, and as people are shown them: without it, where that is unambiguous.

A name in full is `NAME@NAMESPACE`, as Atlas has it (`atlas.qualified_name`): the same name under two namespaces is two things.
Names in Purview have no namespace; theirs is the empty one, so that an @ within them is none that divides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from sac_kafka.readable.told import ColumnFlow, ToldChange, ToldColumn, ToldProcess

Shown = Callable[[str], str]

_QUOTED_END = re.compile(r"(?<!`)`(?:[^`]|``)*`\Z", re.DOTALL)
"""A last part that holds what separates parts, as `atlas.qualified_name.quoted` gives it."""


def without_namespace(name: str) -> str:
    """Give the name in full of what has no namespace."""
    return f"{name}@"


def in_full(name: str) -> str:
    """Give a name in full, of one that may lack the @: other hooks write such."""
    return name if "@" in name else without_namespace(name)


def plain(name: str) -> str:
    """A name in full without its namespace."""
    return name.rpartition("@")[0] or name


def namespace_of(name: str) -> str:
    """The namespace of a name in full, "" where it has none."""
    return name.rpartition("@")[2] if "@" in name else ""


def column_called(name: str, mark: str) -> ToldColumn:
    """Give a column by its name in full, as it stands in Atlas: the namespace is behind the column.

    >>> column_called("sales.orders.id@prod", ".")
    ToldColumn(dataset='sales.orders@prod', name='id', mark='.')
    """
    short = plain(name)
    quoted = _QUOTED_END.search(short) if short.endswith("`") else None
    is_quoted = quoted is not None and short[: quoted.start()].endswith(mark)
    at = quoted.start() - 1 if quoted is not None and is_quoted else short.rfind(mark)
    return ToldColumn(f"{short[: max(at, 0)]}{name[len(short) :]}", short[at + 1 :], mark)


class Labels:
    """What names in full are shown as: without the namespace, unless names of one group differ by nothing else.

    Args:
        groups: The names that stand beside each other; those of two groups never do, as in two states that are compared.
    """

    def __init__(self, *groups: Iterable[str]) -> None:
        self._shared: set[str] = set()
        for names in groups:
            namespaces: dict[str, str] = {}
            for each in names:
                short, namespace = plain(each), namespace_of(each)
                if namespaces.setdefault(short, namespace) != namespace:
                    self._shared.add(short)

    def __call__(self, name: str) -> str:
        """Give what a name is shown as; a name that is shown so already stays as it is."""
        short = plain(name)
        return name.removesuffix("@") if short in self._shared else short


def with_names(
    process: ToldProcess, named: Shown, column: Callable[[ToldColumn], ToldColumn] | None = None
) -> ToldProcess:
    """The process with other names of datasets, and of columns where `column` gives them."""

    def of_dataset(each: ToldColumn) -> ToldColumn:
        return replace(each, dataset=named(each.dataset))

    of_column = column or of_dataset

    def flows(found: Iterable[ColumnFlow]) -> tuple[ColumnFlow, ...]:
        return tuple(
            replace(each, output=of_column(each.output), sources=tuple(map(of_column, each.sources))) for each in found
        )

    return replace(
        process,
        inputs=tuple(map(named, process.inputs)),
        outputs=tuple(map(named, process.outputs)),
        columns=flows(process.columns),
        made=flows(process.made),
        row_columns=tuple((clause, of_column(each)) for clause, each in process.row_columns),
        types={named(name): type_name for name, type_name in process.types.items()},
    )


def datasets_of(process: ToldProcess) -> tuple[str, ...]:
    """The names of all datasets that a process tells of."""
    flows = (*process.columns, *process.made)
    columns = (*(c for each in flows for c in (each.output, *each.sources)), *(c for _, c in process.row_columns))
    return (*process.inputs, *process.outputs, *(each.dataset for each in columns))


def process_as_shown(process: ToldProcess) -> ToldProcess:
    """Give a process with its names as people are shown them where it stands alone."""
    return replace(with_names(process, Labels(datasets_of(process))), job=plain(process.job))


def as_shown(each: ToldProcess | ToldChange) -> ToldProcess | ToldChange:
    """Give a process, or a change, with its names as people are shown them where it stands alone."""
    if isinstance(each, ToldProcess):
        return process_as_shown(each)
    return replace(each, name=plain(each.name), new_name=plain(each.new_name))
