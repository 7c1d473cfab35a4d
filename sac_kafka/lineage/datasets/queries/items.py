"""Transform the columns of a query: rename, combine and exclude them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from sac_kafka.lineage.columns.combining import Sources, through
from sac_kafka.lineage.datasets.queries.analyzed_query import AllColumns, Item, Output, UnknownColumns
from sac_kafka.lineage.datasets.queries.scopes import union
from sac_kafka.lineage.model import Dependency

Items = tuple[Item, ...]


def written(part: exp.Identifier) -> str:
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


def without_redefined(aliases: Mapping[str, Item], node: exp.Select) -> dict[str, Item]:
    """Return the aliases that clauses may use, without those that redefine a column of the same name."""
    redefined = {e.alias.lower() for e in node.expressions if isinstance(e, exp.Alias) and uses_column(e.this, e.alias)}
    return {name: item for name, item in aliases.items() if name not in redefined}


def without_excluded(star: exp.Expr, items: list[Item]) -> list[Item]:
    """Return the columns of a star without its EXCEPT or EXCLUDE list; unknown columns if it replaces or renames some."""
    args = star.args
    if any(args.get(k) for k in ("replace", "rename")):
        return [UnknownColumns(None)]
    excluded = {e.name.lower() for k in ("except", "except_", "exclude") for e in args.get(k) or ()}
    return [i for i in items if not (isinstance(i, Output) and i.name and i.name.lower() in excluded)]


def renamed(items: Items, node: exp.Expr) -> Items:
    """Return the columns under the names in an alias: `t (a, b)`."""
    alias = node.args.get("alias")
    names = [c.name for c in alias.args.get("columns") or ()] if isinstance(alias, exp.TableAlias) else []
    if not names:
        return items
    if all(isinstance(i, Output) for i in items) and len(names) == len(items):
        return tuple(Output(name, item.sources_of(name)) for name, item in zip(names, items, strict=True))
    if len(items) == 1 and isinstance(items[0], UnknownColumns):
        return tuple(Output(name, items[0].sources) for name in names)
    return tuple(Output(name, None) for name in names)


def union_by_position(branches: Sequence[Items]) -> Items:
    """Combine the columns of a union's branches by position."""
    first = branches[0]
    if all(isinstance(i, Output) for items in branches for i in items) and len({len(b) for b in branches}) == 1:
        return tuple(Output(i[0].name, union(each.sources_of("") for each in i)) for i in zip(*branches, strict=True))
    if all(len(b) == 1 and isinstance(b[0], AllColumns) for b in branches):
        tables = {b[0] for b in branches}  # columns of different tables cannot be matched
        return (tables.pop(),) if len(tables) == 1 else (UnknownColumns(None),)
    names = [i.name if isinstance(i, Output) else None for i in first]
    return tuple(Output(n, None) for n in names) if None not in names else (UnknownColumns(None),)
