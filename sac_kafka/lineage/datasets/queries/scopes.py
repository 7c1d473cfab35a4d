"""Resolve the names in a query: relations of its FROM clause and of the enclosing queries, and common table expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from sac_kafka.lineage.datasets.queries.parsing import AllColumns, Item, OutputItem, UnknownColumns
from sac_kafka.model import Dependency
from sac_kafka.model.columns import NO_SOURCES, Sources, through

ABSENT = object()
"""Result of a lookup if no relation in the scope has the column."""


@dataclass(frozen=True, slots=True)
class FromItem:
    """A relation in FROM, identified by its alias, or by the parts of its name if it has none; in lower case."""

    alias: str
    items: tuple[Item, ...]
    path: tuple[str, ...] = ()

    def has_name(self, qualifier: tuple[str, ...]) -> bool:
        """Return True if a qualifier is the alias or a suffix of the name."""
        return qualifier == (self.alias,) or (bool(self.path) and self.path[-len(qualifier) :] == qualifier)

    def column(self, name: str) -> Sources | object | None:
        """Return the sources of a column; None if unknown, ABSENT if there is no such column."""
        if (named := self._find_output(name)) is not None:
            return named.sources
        wide = [i for i in self.items if not isinstance(i, OutputItem)]
        return ABSENT if not wide else wide[0].sources_of(name) if len(wide) == 1 else None

    @property
    def has_names(self) -> bool:
        """True if all of its columns are known by name."""
        return all(isinstance(i, OutputItem) for i in self.items)

    def is_value(self, name: str) -> bool:
        """Return True if the name is the alias of a function's result: `unnest(a) x`."""
        return self.alias == name.lower() and all(isinstance(i, UnknownColumns) for i in self.items)

    def has_column(self, name: str) -> bool:
        """Return True if the relation is known to have a column."""
        return self._find_output(name) is not None

    def _find_output(self, name: str) -> OutputItem | None:
        outputs = (i for i in self.items if isinstance(i, OutputItem))
        return next((i for i in outputs if (i.name or "").lower() == name.lower()), None)


@dataclass(slots=True)
class QueryScope:
    """The names visible to one SELECT; `joined` are the columns merged by USING."""

    common: Mapping[str, tuple[Item, ...]] = field(default_factory=dict)
    outer: QueryScope | None = None
    relations: list[FromItem] = field(default_factory=list)
    aliases: dict[str, Item] = field(default_factory=dict)
    joined: dict[str, Sources | None] = field(default_factory=dict)

    def column(self, qualifier: tuple[str, ...], name: str) -> Sources | None:
        """Return the sources of a column; None if unknown."""
        scope: QueryScope | None = self
        while scope is not None:
            column = scope._resolve(qualifier, name) if qualifier else scope._bare(name)
            if column is not ABSENT:
                return column  # type: ignore[return-value] # the object is ABSENT
            scope = scope.outer
        # Either a pseudo-column of the database, such as ROWNUM, or a field of a column named like the qualifier.
        if not qualifier:
            return NO_SOURCES
        whole = self.column((), qualifier[0])
        return None if whole is None else through(whole, Dependency.TRANSFORMATION)

    def all_of(self) -> list[Item]:
        """Return the columns of a star; those merged by USING come first, and once."""
        rest = [i for r in self.relations for i in r.items]
        joined = [OutputItem(name, sources) for name, sources in self.joined.items()]
        return [
            *joined,
            *(i for i in rest if not (isinstance(i, OutputItem) and (i.name or "").lower() in self.joined)),
        ]

    def _resolve(self, qualifier: tuple[str, ...], name: str) -> object:
        return next((r.column(name) for r in self.relations if r.has_name(qualifier)), ABSENT)

    def _bare(self, name: str) -> object:
        if name.lower() in self.joined:
            return self.joined[name.lower()]
        known = (
            [r for r in self.relations if r.has_column(name)]
            or [r for r in self.relations if r.is_value(name)]
            or [r for r in self.relations if not r.has_names]
        )
        if known:
            # The query is valid, so exactly one relation has the column; which one is unknown if there are several candidates.
            return known[0].column(name) if len(known) == 1 else None
        return ABSENT


def union(sources: Iterable[object]) -> Sources | None:
    """Combine sources; return None if any of them are unknown."""
    all_of: Sources = NO_SOURCES
    for source in sources:
        if source is None:
            return None
        if source is not ABSENT:
            all_of |= source  # type: ignore[operator] # the object is ABSENT
    return all_of


Items = tuple[Item, ...]


def spell(part: exp.Identifier) -> str:
    """Return a part of a name as written, with quotes if it had any."""
    name = part.name.replace('"', '""')
    return f'"{name}"' if part.args.get("quoted") else part.name


def using_column(side: str, left: Sources | None, right: Sources | None) -> Sources | None:
    """Return the sources of the column that USING merges from two: of an outer join, that of the preserved side."""
    if side.upper() != "FULL":
        return right if side.upper() == "RIGHT" else left
    both = union((left, right))
    return None if both is None else through(both, Dependency.TRANSFORMATION)


def uses_column(node: exp.Expr, name: str) -> bool:
    """Return True if an expression contains a column of that name."""
    return any(c.name.lower() == name.lower() for c in node.find_all(exp.Column))


def drop_redefinitions(aliases: Mapping[str, Item], node: exp.Select) -> dict[str, Item]:
    """Return the aliases that clauses may use, without those that redefine a column of the same name."""
    redefined = {e.alias.lower() for e in node.expressions if isinstance(e, exp.Alias) and uses_column(e.this, e.alias)}
    return {name: item for name, item in aliases.items() if name not in redefined}


def exclude_columns(star: exp.Expr, items: list[Item]) -> list[Item]:
    """Return the columns of a star without its EXCEPT or EXCLUDE list; unknown columns if it replaces or renames some."""
    args = star.args
    if any(args.get(k) for k in ("replace", "rename")):
        return [UnknownColumns(None)]
    excluded = {e.name.lower() for k in ("except", "except_", "exclude") for e in args.get(k) or ()}
    return [i for i in items if not (isinstance(i, OutputItem) and i.name and i.name.lower() in excluded)]


def rename(items: Items, node: exp.Expr) -> Items:
    """Return the columns under the names in an alias: `t (a, b)`."""
    alias = node.args.get("alias")
    names = [c.name for c in alias.args.get("columns") or ()] if isinstance(alias, exp.TableAlias) else []
    if not names:
        return items
    if all(isinstance(i, OutputItem) for i in items) and len(names) == len(items):
        return tuple(OutputItem(name, item.sources_of(name)) for name, item in zip(names, items, strict=True))
    if len(items) == 1 and isinstance(items[0], UnknownColumns):
        return tuple(OutputItem(name, items[0].sources) for name in names)
    return tuple(OutputItem(name, None) for name in names)


def union_by_position(branches: Sequence[Items]) -> Items:
    """Combine the columns of a union's branches by position."""
    first = branches[0]
    if all(isinstance(i, OutputItem) for items in branches for i in items) and len({len(b) for b in branches}) == 1:
        return tuple(
            OutputItem(i[0].name, union(item.sources_of("") for item in i)) for i in zip(*branches, strict=True)
        )
    if all(len(b) == 1 and isinstance(b[0], AllColumns) for b in branches):
        tables = {b[0] for b in branches}  # columns of different tables cannot be matched
        return (tables.pop(),) if len(tables) == 1 else (UnknownColumns(None),)
    names = [i.name if isinstance(i, OutputItem) else None for i in first]
    return tuple(OutputItem(n, None) for n in names) if None not in names else (UnknownColumns(None),)
