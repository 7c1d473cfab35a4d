"""The columns of one part of a query made into those of another: renamed, united, left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from sac_kafka.lineage.columns.combining import Sources, through
from sac_kafka.lineage.datasets.queries.found import AllOf, Item, Output, SomeOf
from sac_kafka.lineage.datasets.queries.scopes import union
from sac_kafka.lineage.model import Dependency

Items = tuple[Item, ...]


def written(part: exp.Identifier) -> str:
    """A part of a name, in quotes where it was."""
    name = part.name.replace('"', '""')
    return f'"{name}"' if part.args.get("quoted") else part.name


def key_of_both(side: str, left: Sources | None, right: Sources | None) -> Sources | None:
    """The column that USING leaves of two: of an outer join that of the side whose rows all stay."""
    if side.upper() != "FULL":
        return right if side.upper() == "RIGHT" else left
    both = union((left, right))
    return None if both is None else through(both, Dependency.TRANSFORMATION)


def reads(node: exp.Expr, name: str) -> bool:
    """True where an expression has a column of the name."""
    return any(c.name.lower() == name.lower() for c in node.find_all(exp.Column))


def without_columns(seen: Mapping[str, Item], node: exp.Select) -> dict[str, Item]:
    """The names that clauses may use: not those that an expression over a column of the same name has."""
    made = {e.alias.lower() for e in node.expressions if isinstance(e, exp.Alias) and reads(e.this, e.alias)}
    return {name: item for name, item in seen.items() if name not in made}


def without(star: exp.Expr, items: list[Item]) -> list[Item]:
    """What a star stands for, without what it leaves out; what it replaces or renames is not followed."""
    args = star.args
    if any(args.get(k) for k in ("replace", "rename")):
        return [SomeOf(None)]
    out = {e.name.lower() for k in ("except", "except_", "exclude") for e in args.get(k) or ()}
    return [i for i in items if not (isinstance(i, Output) and i.name and i.name.lower() in out)]


def renamed(items: Items, node: exp.Expr) -> Items:
    """The columns under the names that an alias gives them: `t (a, b)`."""
    alias = node.args.get("alias")
    names = [c.name for c in alias.args.get("columns") or ()] if isinstance(alias, exp.TableAlias) else []
    if not names:
        return items
    if all(isinstance(i, Output) for i in items) and len(names) == len(items):
        return tuple(Output(name, item.of(name)) for name, item in zip(names, items, strict=True))
    if len(items) == 1 and isinstance(items[0], SomeOf):
        return tuple(Output(name, items[0].sources) for name in names)
    return tuple(Output(name, None) for name in names)


def united(branches: Sequence[Items]) -> Items:
    """The columns of a union, by place."""
    first = branches[0]
    if all(isinstance(i, Output) for items in branches for i in items) and len({len(b) for b in branches}) == 1:
        return tuple(Output(i[0].name, union(each.of("") for each in i)) for i in zip(*branches, strict=True))
    if all(len(b) == 1 and isinstance(b[0], AllOf) for b in branches):
        return _all_alike(branches)
    names = [i.name if isinstance(i, Output) else None for i in first]
    return tuple(Output(n, None) for n in names) if None not in names else (SomeOf(None),)


def _all_alike(branches: Iterable[Items]) -> Items:
    """All columns of several tables: which of one is which of another nobody knows, where these are not the same table."""
    tables = {b[0] for b in branches}
    return (tables.pop(),) if len(tables) == 1 else (SomeOf(None),)
