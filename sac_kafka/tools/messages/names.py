"""Convert between qualified names (`NAME@NAMESPACE`, see `atlas.qualified_name`) and display names without the namespace.

The same name under two namespaces is two objects. Names of scanned assets in Purview have no namespace; here they get an empty
one, so that an @ within such a name is not taken for the separator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.purview.asset import has_namespace
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess

Rename = Callable[[str], str]
"""Returns the new name of a dataset."""

_QUOTED_END = re.compile(r"(?<!`)`(?:[^`]|``)*`\Z", re.DOTALL)
"""A quoted last part, which may contain separators (see `atlas.qualified_name.quote`)."""


def with_empty_namespace(name: str) -> str:
    """Return the qualified name of an object without a namespace."""
    return f"{name}@"


def qualify(name: str) -> str:
    """Return a qualified name unchanged; names without an @, as other hooks send them, get an empty namespace."""
    return name if "@" in name else with_empty_namespace(name)


def asset_name(id_: AtlasObjectId) -> str:
    """Return the qualified name of an asset in Purview, with an empty namespace if its type has none."""
    name = id_.qualified_name
    return name if has_namespace(id_.type_name, name) else with_empty_namespace(name)


def strip_namespace(name: str) -> str:
    """Return a qualified name without its namespace."""
    return name.rpartition("@")[0] or name


def namespace_of(name: str) -> str:
    """Return the namespace of a qualified name, "" if it has none."""
    return name.rpartition("@")[2] if "@" in name else ""


def parse_column(name: str, mark: str) -> LineageColumn:
    """Parse the qualified name of a column; in Atlas the namespace comes after the column.

    >>> parse_column("sales.orders.id@prod", ".")
    LineageColumn(dataset='sales.orders@prod', name='id', mark='.')
    """
    short = strip_namespace(name)
    quoted = _QUOTED_END.search(short) if short.endswith("`") else None
    is_quoted = quoted is not None and short[: quoted.start()].endswith(mark)
    at = quoted.start() - 1 if quoted is not None and is_quoted else short.rfind(mark)
    return LineageColumn(f"{short[: max(at, 0)]}{name[len(short) :]}", short[at + 1 :], mark)


class Labels:
    """Display names for qualified names: without the namespace, unless two names in a group differ only by it.

    Names of different groups are not displayed together, as in two states that are compared.
    """

    def __init__(self, *groups: Iterable[str]) -> None:
        self._shared: set[str] = set()
        for names in groups:
            namespaces: dict[str, str] = {}
            for name in names:
                short, namespace = strip_namespace(name), namespace_of(name)
                if namespaces.setdefault(short, namespace) != namespace:
                    self._shared.add(short)

    def __call__(self, name: str) -> str:
        """Return the display name; a display name is returned unchanged."""
        short = strip_namespace(name)
        return name.removesuffix("@") if short in self._shared else short


def with_names(
    process: LineageProcess, rename: Rename, rename_column: Callable[[LineageColumn], LineageColumn] | None = None
) -> LineageProcess:
    """Return a process with renamed datasets, and renamed columns if `rename_column` is given."""

    def with_renamed_dataset(each: LineageColumn) -> LineageColumn:
        return replace(each, dataset=rename(each.dataset))

    of_column = rename_column or with_renamed_dataset

    def flows(found: Iterable[ColumnFlow]) -> tuple[ColumnFlow, ...]:
        return tuple(
            replace(each, output=of_column(each.output), sources=tuple(map(of_column, each.sources))) for each in found
        )

    return replace(
        process,
        inputs=tuple(map(rename, process.inputs)),
        outputs=tuple(map(rename, process.outputs)),
        columns=flows(process.columns),
        constant_columns=flows(process.constant_columns),
        row_columns=tuple((clause, of_column(each)) for clause, each in process.row_columns),
        types={rename(name): type_name for name, type_name in process.types.items()},
    )


def datasets_of(process: LineageProcess) -> tuple[str, ...]:
    """Return the names of all datasets in the lineage of a process."""
    columns = (
        *(c for flow in process.flows for c in (flow.output, *flow.sources)),
        *(c for _, c in process.row_columns),
    )
    return (*process.inputs, *process.outputs, *(column.dataset for column in columns))


def process_with_labels(process: LineageProcess) -> LineageProcess:
    """Return a process with the display names of a process that is rendered alone."""
    return replace(with_names(process, Labels(datasets_of(process))), job=strip_namespace(process.job))


def with_labels(each: LineageProcess | CatalogChange) -> LineageProcess | CatalogChange:
    """Return a process or a change with the display names of an item that is rendered alone."""
    if isinstance(each, LineageProcess):
        return process_with_labels(each)
    return replace(each, name=strip_namespace(each.name), new_name=strip_namespace(each.new_name))
