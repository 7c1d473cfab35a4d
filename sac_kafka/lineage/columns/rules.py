"""Register the rules of column lineage by node class, and resolve expressions over the output columns of a node's children.

`operators`, `row_functions` and others register their rules. An unknown node passes its children's columns through.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, singledispatch

from sac_kafka.lineage.columns.clause_texts import NameScope, find_expr_ids, qualify, shorten
from sac_kafka.lineage.columns.dependencies import Scope, Shape, ShapeBudget, shape_of, sources_of
from sac_kafka.lineage.columns.operands import OperandUse
from sac_kafka.lineage.columns.output_columns import Clause, Clauses, Columns, Definition, OutputColumn
from sac_kafka.lineage.expressions.rendering import Text, render
from sac_kafka.model import Dependency
from sac_kafka.model.columns import NO_SOURCES, Sources, through
from sac_kafka.plan.expressions import Alias, Expression, Literal, walk_expressions
from sac_kafka.plan.functions import SqlFunction
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.operators import Project

MAX_NESTED = 20
"""Maximum nesting of SQL function calls whose arguments are resolved."""


@dataclasses.dataclass(eq=False, kw_only=True)
class ChildColumns(Scope):
    """The output columns of a node's children, with the names and definitions of the columns that its expressions use.

    `cte` are the columns of common table expressions by id, `outer` those of the enclosing queries; the walk adds to them.
    `nodes` are the children themselves. Read-only for rules; `flow` fills it.
    """

    cte: Mapping[int, Columns]
    outer: Mapping[int, OutputColumn] = dataclasses.field(default_factory=dict)
    nodes: Sequence[LogicalPlan] = ()

    def sources_of(self, expression: Expression, use: Dependency = Dependency.IDENTITY) -> Sources:
        """Return the sources of an expression over the children's columns."""
        return sources_of(expression, self, use)

    def sources_of_operands(self, uses: Iterable[OperandUse]) -> Sources:
        """Return the combined sources of parts of expressions."""
        return NO_SOURCES.union(*(sources_of(t.operand, self, t.use, t.path) for t in uses))

    def shape_of(self, uses: Sequence[OperandUse], budget: ShapeBudget | None = None) -> Shape:
        """Return the kind and the parts of a value that consists of parts of expressions."""
        return shape_of(uses, self, budget)

    def sources_of_all(
        self, expressions: Iterable[Expression | None], use: Dependency = Dependency.IDENTITY
    ) -> Sources:
        """Return the combined sources of several expressions; None has no sources."""
        return NO_SOURCES.union(*(self.sources_of(e, use) for e in expressions if e is not None))

    def definition_of(self, expression: Expression, *, is_shared: bool = False) -> Definition:
        """Return the definition that lazily renders an expression over the children's columns."""
        naming = cache(lambda: self._naming((expression,)))
        return Definition(
            lambda: render(expression, naming().name, naming().field),
            lambda: _definitions(naming().used.values()),
            is_shared=is_shared,
        )

    def _naming(self, expressions: Sequence[Expression]) -> _Naming:
        """Name the columns that expressions use, qualified by their relation if they are ambiguous."""
        arguments, lower = self._arguments(expressions)
        known = (self.all, *lower)
        used = {
            i: c
            for i in find_expr_ids((*expressions, *arguments.values()))
            if i not in arguments and (c := _find(i, known) or self.outer.get(i)) is not None
        }
        return _Naming(self, arguments, known, used)

    def _arguments(self, expressions: Sequence[Expression]) -> tuple[dict[int, Expression], list[Columns]]:
        """Return the arguments of SQL functions by the exprId of their parameter, and the columns that the arguments use.

        The analyzer evaluates the arguments in a projection below the call.
        """
        arguments: dict[int, Expression] = {}
        lower: list[Columns] = []
        nodes, wanted = list(self.nodes), _parameters(expressions)
        for _ in range(MAX_NESTED):
            projections = [n for n in nodes if isinstance(n, Project)] if wanted else []
            if not projections:
                break
            aliases = (e for n in projections for e in n.project_list if isinstance(e, Alias))
            called = {e.expr_id: e.children[0] for e in aliases if e.expr_id in wanted}
            arguments.update(called)
            wanted = (wanted | _parameters(called.values())) - called.keys()
            nodes = [child for n in projections for child in n.children]
            lower += map(self.columns_of_plan, nodes)
        return arguments, lower

    def qualify(self, columns: Mapping[int, OutputColumn]) -> dict[int, Text]:
        """Return qualified names, by exprId, for the columns whose own names are ambiguous."""
        return qualify(columns, self._names)

    @cached_property
    def _names(self) -> NameScope:
        return NameScope.from_columns(self.all.outputs, self.outer.values())

    def clause(self, kind: Dependency, *expressions: Expression | None, word: str = "") -> Clauses:
        """Return the clause formed by some expressions, () if all are literals; its text begins with `word`."""
        used = tuple(e for e in expressions if e is not None and not isinstance(e, Literal))
        if not used:
            return ()

        def text() -> str:
            naming = self._naming(used)
            rendered = (render(e, naming.name, naming.field) for e in used)
            return shorten(f"{word} {', '.join(rendered)}".strip())

        return (Clause(kind, self.sources_of_all(used, kind), cache(text)),)


@dataclasses.dataclass(eq=False)
class _Naming:
    """Names of the columns that expressions use; `used` are those that are not parameters of SQL functions."""

    below: ChildColumns
    arguments: Mapping[int, Expression]
    known: Sequence[Columns]
    used: Mapping[int, OutputColumn]

    @cached_property
    def qualified_texts(self) -> Mapping[int, Text]:
        return self.below.qualify(self.used)

    def field(self, e: Expression) -> Text | None:
        """Return the text of a struct field defined by the query; None if unknown or if its column must be qualified."""
        column = self.below.all.field(e)
        return (
            None if column is None or any(i in self.qualified_texts for i in find_expr_ids((e,))) else column.render()
        )

    def name(self, expr_id: int) -> Text | None:
        if expr_id in self.arguments:
            return render(self.arguments[expr_id], self.name, self.field)
        if expr_id in self.qualified_texts:
            return self.qualified_texts[expr_id]
        column = _find(expr_id, self.known) or self.below.outer.get(expr_id)
        return None if column is None else column.render()


def _definitions(columns: Iterable[OutputColumn]) -> Iterator[Definition]:
    """Yield the definitions of columns and of their parts."""
    stack = list(columns)
    while stack:
        c = stack.pop()
        stack.extend(c.parts)
        if c.definition is not None:
            yield c.definition


def _parameters(expressions: Iterable[Expression]) -> set[int]:
    calls = (e for e in walk_expressions(expressions) if isinstance(e, SqlFunction))
    return {i for call in calls for i in find_expr_ids(call.parameters)}


def _find(expr_id: int, known: Iterable[Columns]) -> OutputColumn | None:
    return next((c.by_id[expr_id] for c in known if expr_id in c.by_id), None)


@singledispatch
def columns_of(node: LogicalPlan, below: ChildColumns) -> Columns:
    """Return the output columns of a node."""
    del node
    return below.all


@columns_of.register
def _(node: UnknownPlan, below: ChildColumns) -> Columns:
    """Use the node's output if the plan contains it; a new column may depend on every column below."""
    if not node.output:
        return below.all
    known = below.all.by_id
    new = through(below.all.all_sources(), Dependency.TRANSFORMATION)
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, new) for a in node.output)


@singledispatch
def row_clauses(node: LogicalPlan, below: ChildColumns) -> Clauses:
    """Return the clauses by which a node selects, groups or sorts its rows."""
    del node, below
    return ()
