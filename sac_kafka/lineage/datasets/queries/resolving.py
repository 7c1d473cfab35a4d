"""Analyze a parsed query, from the innermost SELECT outwards: its tables, columns, and the clauses that decide its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from sqlglot import exp

from sac_kafka.lineage.columns.output_columns import Clause
from sac_kafka.lineage.datasets.queries.parsing import (
    AllColumns,
    AnalyzedQuery,
    Item,
    NotUnderstoodError,
    OutputItem,
    UnknownColumns,
)
from sac_kafka.lineage.datasets.queries.scopes import (
    FromItem,
    Items,
    QueryScope,
    drop_redefinitions,
    exclude_columns,
    rename,
    spell,
    union,
    union_by_position,
    uses_column,
    using_column,
)
from sac_kafka.lineage.datasets.queries.values import CONDITIONAL, NODE, columns_of_values, conditions, sources_of
from sac_kafka.model import Dependency
from sac_kafka.model.columns import NO_SOURCES, Sources, through

Common = Mapping[str, Items]

MAX_ROUNDS = 5
"""Maximum number of iterations over a recursive CTE."""
MAX_PARTS = 2000
"""Maximum number of analyzed SELECTs per query; conditions of subqueries are analyzed twice."""
MAX_CLAUSE_LENGTH = 1000
"""Maximum number of characters of a clause's text."""
_LATER_ALIASES = frozenset({"snowflake", "redshift", "teradata", "databricks", "spark", "duckdb", "clickhouse"})
"""Dialects whose SELECT lists may refer to preceding aliases."""


def analyze(tree: exp.Expr, dialect: str) -> AnalyzedQuery:
    """Return the tables, columns and clauses of a query.

    Raises:
        NotUnderstoodError: The tree is not a query, or uses an unsupported feature.
    """
    query = _Query(dialect)
    items = query.columns_of(tree, {}, None)
    return AnalyzedQuery(tables=tuple(query.tables), items=items, clauses=tuple(query.clauses))


def _sources_of_outputs(items: Iterable[Item]) -> Sources | None:
    return union(i.sources for i in items if isinstance(i, OutputItem))


class _Query:
    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.tables: dict[str, None] = {}
        self.clauses: list[Clause] = []
        self.correlating: list[Sources] = []
        self.left = MAX_PARTS

    def columns_of(self, node: exp.Expr, common: Common, outer: QueryScope | None) -> Items:
        """Return the columns of a query of any form."""
        self.left -= 1
        if self.left < 0:
            raise NotUnderstoodError("too many parts")
        common = self._with_common(node, common)
        if isinstance(node, (exp.Subquery, exp.Paren)):
            if isinstance(node.this, exp.Table):  # (a JOIN b)
                scope = QueryScope(common=common, outer=outer)
                self._from(node.this, scope)
                return tuple(i for r in scope.relations for i in r.items)
            return self.columns_of(node.this, common, outer)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, common, outer)
        if isinstance(node, exp.Select):
            return self._select(node, common, outer)
        if isinstance(node, exp.Values):
            return columns_of_values(node, lambda value: self._value(value, QueryScope(common=common, outer=outer)))
        if isinstance(node, exp.Table):  # TABLE t
            return self._table(node, QueryScope(common=common, outer=outer)).items
        raise NotUnderstoodError(type(node).__name__)

    def _with_common(self, node: exp.Expr, common: Common) -> Common:
        with_ = node.args.get("with_")
        if with_ is None:
            return common
        known = dict(common)
        for cte in with_.expressions:
            name = cte.alias.lower()
            if with_.args.get("recursive") or self.dialect in ("tsql", "oracle", "teradata"):
                self._recursive(name, cte, known)
            else:
                known[name] = rename(self.columns_of(cte.this, known, None), cte)
        return known

    def _recursive(self, name: str, cte: exp.Expr, known: dict[str, Items]) -> None:
        """Analyze a CTE that may refer to itself: start with its first branch, and iterate until nothing changes."""
        body = cte.this
        first = body
        while isinstance(first, exp.SetOperation):
            first = first.left
        if first is body or not any(t.name.lower() == name and not t.db for t in body.find_all(exp.Table)):
            known[name] = rename(self.columns_of(body, known, None), cte)
            return
        clauses = len(self.clauses)
        known[name] = rename(self.columns_of(first, known, None), cte)
        for _ in range(MAX_ROUNDS):
            del self.clauses[clauses:]
            again = rename(self.columns_of(body, known, None), cte)
            if again == known[name]:
                break
            known[name] = again

    def _set_operation(self, node: exp.SetOperation, common: Common, outer: QueryScope | None) -> Items:
        branches: list[exp.Expr] = []
        rest: exp.Expr = node
        while type(rest) is type(node) and rest.args.get("with_") is (
            None if rest is not node else node.args.get("with_")
        ):
            branches.append(rest.expression)
            rest = rest.this
        columns = [self.columns_of(branch, common, outer) for branch in (rest, *reversed(branches))]
        if isinstance(node, exp.Union):
            items = union_by_position(columns)
            if node.args.get("distinct"):
                self._add_clause(Dependency.GROUP_BY, "UNION", _sources_of_outputs(items))
        else:
            items = columns[0]
            compared = _sources_of_outputs(chain.from_iterable(columns))
            self._add_clause(Dependency.FILTER, type(node).__name__.upper(), compared)
        self._add_order(node, items, QueryScope(common=common, outer=outer))
        return items

    def _select(self, node: exp.Select, common: Common, outer: QueryScope | None) -> Items:
        scope = QueryScope(common=common, outer=outer)
        from_ = node.args.get("from_")
        if from_ is not None:
            self._from(from_.this, scope)
        self._joins(node, scope)
        for lateral in node.args.get("laterals") or ():
            scope.relations.append(self._lateral(lateral, scope))
        items: list[Item] = []
        for expression in node.expressions:
            columns = self._items(expression, scope)
            items += columns
            is_new = isinstance(expression, exp.Alias) and not uses_column(expression.this, expression.alias)
            if is_new and self.dialect in _LATER_ALIASES:
                scope.aliases[expression.alias.lower()] = columns[0]
        aliases = dict(scope.aliases)
        for kind, condition in conditions(node):
            self._clause(kind, condition, scope)
        for name, item in ((i.name, i) for i in items if isinstance(i, OutputItem) and i.name):
            aliases.setdefault(name.lower(), item)
        grouped = QueryScope(common, outer, scope.relations, drop_redefinitions(aliases, node), scope.joined)
        self._add_list_clause(Dependency.GROUP_BY, node.args.get("group"), items, grouped)
        self._clause(Dependency.FILTER, node.args.get("having"), grouped)
        self._clause(Dependency.FILTER, node.args.get("qualify"), grouped)
        distinct = node.args.get("distinct")
        if distinct is not None:
            on = distinct.args.get("on")
            by = _sources_of_outputs(items) if on is None else self._value(on, scope)
            self._add_clause(Dependency.GROUP_BY, "DISTINCT", by)
        self._add_order(node, tuple(items), QueryScope(common, outer, scope.relations, aliases, scope.joined))
        return tuple(items)

    def _items(self, node: exp.Expr, scope: QueryScope) -> list[Item]:
        if isinstance(node, exp.Star):
            return exclude_columns(node, scope.all_of())
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            qualifier = tuple(p.name.lower() for p in node.parts[:-1])
            relations = [r for r in scope.relations if r.has_name(qualifier)]
            return exclude_columns(node.this, list(relations[0].items)) if relations else [UnknownColumns(None)]
        name = (
            node.alias if isinstance(node, exp.Alias) else node.name if isinstance(node, (exp.Column, exp.Dot)) else ""
        )
        return [OutputItem(name or None, self._value(node, scope))]

    def _value(self, node: exp.Expr, scope: QueryScope, use: Dependency = Dependency.IDENTITY) -> Sources | None:
        return sources_of(node, scope, self._inner, use)

    def _inner(self, node: exp.Expr, scope: QueryScope) -> tuple[Sources | None, Sources]:
        """Analyze a subquery within an expression; its clauses are not clauses of the enclosing query."""
        clauses, correlating = len(self.clauses), len(self.correlating)
        items = self.columns_of(node, scope.common, scope)
        own, outer = self.clauses[clauses:], NO_SOURCES.union(*self.correlating[correlating:])
        del self.clauses[clauses:], self.correlating[correlating:]
        kinds = (Dependency.JOIN, Dependency.FILTER)
        deciding = NO_SOURCES.union(*(c.sources for c in own if c.kind in kinds))
        value = union(i.sources_of("") if isinstance(i, OutputItem) else None for i in items)
        return value, through(deciding, CONDITIONAL) | outer

    # ---- FROM

    def _from(self, node: exp.Expr, scope: QueryScope) -> None:
        scope.relations.append(self._relation(node, scope))
        self._joins(node, scope)

    def _joins(self, node: exp.Expr, scope: QueryScope) -> None:
        for join in node.args.get("joins") or ():
            names = [column.name for column in join.args.get("using") or ()]
            left = {name: scope.column((), name) for name in names}
            before = len(scope.relations)
            self._from(join.this, scope)
            self._clause(Dependency.JOIN, join.args.get("on"), scope)
            for name in names:
                right = union(r.column(name) for r in scope.relations[before:])
                both = union((left[name], right))
                self._add_clause(Dependency.JOIN, name, both)
                scope.joined[name.lower()] = using_column(join.side, left[name], right)

    def _relation(self, node: exp.Expr, scope: QueryScope) -> FromItem:
        if isinstance(node, exp.Final):
            node = node.this
        if isinstance(node, exp.Table):
            return self._table(node, scope)
        if isinstance(node, exp.Lateral):
            return self._lateral(node, scope)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table) and not node.alias:
            inside = QueryScope(common=scope.common, outer=scope.outer)
            self._from(node.this, inside)
            scope.relations += inside.relations[:-1]
            scope.joined.update(inside.joined)
            return inside.relations[-1]
        if isinstance(node, (exp.Subquery, exp.Query)):
            return self._from_item(node, self.columns_of(node, scope.common, scope.outer))
        if isinstance(node, (exp.Values, exp.Unnest, exp.Func)):
            return self._from_item(node, (UnknownColumns(self._value(node, scope, Dependency.TRANSFORMATION)),))
        raise NotUnderstoodError(type(node).__name__)

    def _lateral(self, node: exp.Expr, scope: QueryScope) -> FromItem:
        """Analyze a lateral query or function, which may use the columns of the preceding relations."""
        if isinstance(node.this, (exp.Subquery, exp.Query)):
            items = self.columns_of(node.this, scope.common, scope)
            self._add_clause(Dependency.JOIN, "LATERAL", NO_SOURCES.union(*self.correlating))
            self.correlating.clear()
            return self._from_item(node, items)
        return self._from_item(node, (UnknownColumns(self._value(node.this, scope, Dependency.TRANSFORMATION)),))

    def _table(self, node: exp.Table, scope: QueryScope) -> FromItem:
        if not isinstance(node.this, exp.Identifier):  # a function, or a dotted call of one
            return self._from_item(node, (UnknownColumns(self._value(node.this, scope, Dependency.TRANSFORMATION)),))
        parts = [p for p in node.parts if isinstance(p, exp.Identifier)]
        if len(parts) != len(node.parts):
            raise NotUnderstoodError("name of a table")
        common = scope.common.get(node.name.lower()) if len(parts) == 1 else None
        path = () if common is not None else tuple(p.name.lower() for p in parts)
        if common is None:
            name = ".".join(map(spell, parts))
            if node.catalog and not node.db:  # catalog..table: the user's default schema
                name = name.replace(".", "..", 1)
            self.tables.setdefault(name)
            common = (AllColumns(name),)
        return self._from_item(node, common, node.name.lower(), path)

    def _from_item(self, node: exp.Expr, items: Items, name: str = "", path: tuple[str, ...] = ()) -> FromItem:
        if node.args.get("pivots") or node.args.get("match_recognize"):
            items = (UnknownColumns(None),)
        return FromItem(node.alias.lower() or name, rename(items, node), () if node.alias else path)

    # ---- Clauses

    def _clause(self, kind: Dependency, node: exp.Expr | None, scope: QueryScope) -> None:
        if node is None:
            return
        condition = node.this if isinstance(node, (exp.Where, exp.Having, exp.Qualify, exp.PreWhere)) else node
        sources = self._value(condition, scope, kind)
        if scope.outer is not None and sources:
            own = self._value(condition, replace(scope, outer=None), kind) or NO_SOURCES
            self.correlating.append(through(sources - own, Dependency.JOIN))
            sources &= own
        self._add_clause(kind, self._text(condition), sources)

    def _add_order(self, node: exp.Expr, items: Sequence[Item], scope: QueryScope) -> None:
        aliases = {i.name.lower(): i for i in items if isinstance(i, OutputItem) and i.name}
        scope.aliases = {**aliases, **scope.aliases}
        self._add_list_clause(Dependency.SORT, node.args.get("order"), items, scope)

    def _add_list_clause(
        self, kind: Dependency, node: exp.Expr | None, items: Sequence[Item], scope: QueryScope
    ) -> None:
        """Add the clause of a list of expressions, aliases, or positions in the SELECT list."""
        if node is None:
            return
        parts: list[exp.Expr] = list(node.expressions)
        for sets in ("rollup", "cube", "grouping_sets"):
            parts += [e for e in node.args.get(sets) or () if isinstance(e, NODE)]
        named = []
        for part in parts:
            bare = part.this if isinstance(part, exp.Ordered) else part
            if isinstance(bare, exp.Literal) and bare.this.isdigit() and all(isinstance(i, OutputItem) for i in items):
                position = int(bare.this)
                named.append(items[position - 1].sources_of("") if 0 < position <= len(items) else NO_SOURCES)
            else:
                named.append(self._value(part, scope))
        known = [sources for sources in named if sources is not None]
        self._add_clause(kind, ", ".join(map(self._text, parts)), union(known))

    def _add_clause(self, kind: Dependency, text: str, sources: Sources | None) -> None:
        if sources:
            self.clauses.append(Clause(kind, through(sources, kind), partial(str, text)))

    def _text(self, node: exp.Expr) -> str:
        text = node.sql(dialect=self.dialect).replace("'?'", "?")
        return text if len(text) <= MAX_CLAUSE_LENGTH else f"{text[: MAX_CLAUSE_LENGTH - 1]}…"
