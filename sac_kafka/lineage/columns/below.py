"""What a rule is told of the nodes below its own: their columns, and what expressions over these depend on and are called."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache

from sac_kafka.lineage.columns.clause_texts import Sight, functions_of_sql, qualified, referred, shortened
from sac_kafka.lineage.columns.combining import NOTHING, Sources
from sac_kafka.lineage.columns.definitions import Definition
from sac_kafka.lineage.columns.dependencies import Allowance, Scope, Shape, shape_of, sources_of
from sac_kafka.lineage.columns.handed_up import Clause, Clauses, Columns, OutputColumn
from sac_kafka.lineage.columns.operands import Taken
from sac_kafka.lineage.expressions.rendering import Text, render
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.expressions import Alias, Expression, Literal
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Project

MAX_NESTED = 20
"""Calls of functions of SQL that are looked through."""


@dataclasses.dataclass(slots=True, eq=False, kw_only=True)
class Below:
    """What the nodes below a node have handed up.

    `cte` are the columns of common table expressions by their ids; `correlating` gives the exprIds of outer columns that
    decide the rows of a subquery's plan, `deciding` the other columns that do, `outer` are columns of queries around it, more
    of them as the walk goes on. `nodes` are those that have handed up. Rules write into none of this: the walk does (`flow`).
    """

    children: Sequence[Columns]
    of_plan: Callable[[LogicalPlan], Columns]
    cte: Mapping[int, Columns]
    correlating: Callable[[LogicalPlan], Set[int]] = lambda _: frozenset()
    deciding: Callable[[LogicalPlan], Sources] = lambda _: NOTHING
    outer: Mapping[int, OutputColumn] = dataclasses.field(default_factory=dict)
    nodes: Sequence[LogicalPlan] = ()
    _all: Columns | None = None
    _scope: Scope | None = None
    _seen: Sight | None = None

    @property
    def all(self) -> Columns:
        """The columns of all children, one after the other."""
        if self._all is None:
            one = len(self.children) == 1
            self._all = self.children[0] if one else Columns(c for child in self.children for c in child.outputs)
        return self._all

    @property
    def scope(self) -> Scope:
        """What expressions over the columns of the children see."""
        if self._scope is None:
            self._scope = Scope(
                columns=self.all.by_id,
                known=self.all.sources,
                subquery=self.of_plan,
                correlating=self.correlating,
                deciding=self.deciding,
            )
        return self._scope

    def of(self, expression: Expression, use: Dependency = Dependency.IDENTITY) -> Sources:
        """The sources of an expression over the columns of the children."""
        return sources_of(expression, self.scope, use)

    def of_parts(self, made_of: Iterable[Taken]) -> Sources:
        """The sources of parts of expressions, together."""
        return NOTHING.union(*(sources_of(t.of, self.scope, t.use, t.path) for t in made_of))

    def shape(self, made_of: Sequence[Taken], allowance: Allowance | None = None) -> Shape:
        """The kind and the parts of a value that is made of parts of expressions."""
        return shape_of(made_of, self.scope, allowance)

    def of_all(self, expressions: Iterable[Expression | None], use: Dependency = Dependency.IDENTITY) -> Sources:
        """The sources of several expressions; None counts as none."""
        return NOTHING.union(*(self.of(e, use) for e in expressions if e is not None))

    def defining(self, expression: Expression, *, is_shared: bool = False) -> Definition:
        """Renders an expression over the columns of the children, when it is asked for."""
        naming = cache(lambda: self._naming((expression,)))
        return Definition(
            lambda: render(expression, naming().name, naming().field),
            lambda: _definitions(naming().used.values()),
            is_shared=is_shared,
        )

    def _naming(self, expressions: Sequence[Expression]) -> _Naming:
        """What the columns are called that expressions use: by origin if mistaken."""
        arguments, lower = self._arguments(expressions)
        known = (self.all, *lower)
        used = {
            i: c
            for i in referred((*expressions, *arguments.values()))
            if i not in arguments and (c := _found(i, known) or self.outer.get(i)) is not None
        }
        return _Naming(self, arguments, known, used)

    def _arguments(self, expressions: Sequence[Expression]) -> tuple[dict[int, Expression], list[Columns]]:
        """What functions of SQL are called with, by the columns that stand for it; and the columns that it is made of.

        The analyzer makes a projection of the arguments below the call.
        """
        arguments: dict[int, Expression] = {}
        lower: list[Columns] = []
        nodes, wanted = list(self.nodes), _parameters(expressions)
        for _ in range(MAX_NESTED):
            projections = [n for n in nodes if isinstance(n, Project)] if wanted else []
            if not projections:
                break
            made = (e for n in projections for e in n.project_list if isinstance(e, Alias))
            called = {e.expr_id: e.children[0] for e in made if e.expr_id in wanted}
            arguments.update(called)
            wanted = (wanted | _parameters(called.values())) - called.keys()
            nodes = [child for n in projections for child in n.children]
            lower += map(self.of_plan, nodes)
        return arguments, lower

    def qualified(self, columns: Mapping[int, OutputColumn]) -> dict[int, Text]:
        """Names for those columns that their own do not tell apart."""
        if self._seen is None:
            self._seen = Sight.of(self.all.outputs, self.outer.values())
        return qualified(columns, self._seen)

    def clause(self, kind: Dependency, *expressions: Expression | None, word: str = "") -> Clauses:
        """The clause that some expressions are, none where nothing of them looks at a row; its text begins with `word`."""
        used = tuple(e for e in expressions if e is not None and not isinstance(e, Literal))
        if not used:
            return ()

        def text() -> str:
            naming = self._naming(used)
            rendered = (render(e, naming.name, naming.field) for e in used)
            return shortened(f"{word} {', '.join(rendered)}".strip())

        return (Clause(kind, self.of_all(used, kind), cache(text)),)


@dataclasses.dataclass(slots=True, eq=False)
class _Naming:
    """What the columns are called that expressions use; `used` are those that are no argument of a function of SQL."""

    below: Below
    arguments: Mapping[int, Expression]
    known: Sequence[Columns]
    used: Mapping[int, OutputColumn]
    _told: Mapping[int, Text] | None = None

    @property
    def told(self) -> Mapping[int, Text]:
        if self._told is None:
            self._told = self.below.qualified(self.used)
        return self._told

    def field(self, e: Expression) -> Text | None:
        """The text of a field that the query itself made, where its column need not be told apart."""
        found = self.below.all.field(e)
        return None if found is None or any(i in self.told for i in referred((e,))) else found.shown()

    def name(self, expr_id: int) -> Text | None:
        if expr_id in self.arguments:
            return render(self.arguments[expr_id], self.name, self.field)
        if expr_id in self.told:
            return self.told[expr_id]
        found = _found(expr_id, self.known) or self.below.outer.get(expr_id)
        return None if found is None else found.shown()


def _definitions(columns: Iterable[OutputColumn]) -> Iterator[Definition]:
    """Those of columns and of their parts."""
    stack = list(columns)
    while stack:
        c = stack.pop()
        stack.extend(c.parts)
        if c.definition is not None:
            yield c.definition


def _parameters(expressions: Iterable[Expression]) -> set[int]:
    return {i for f in functions_of_sql(expressions) for i in referred(f.parameters)}


def _found(expr_id: int, known: Iterable[Columns]) -> OutputColumn | None:
    return next((c.by_id[expr_id] for c in known if expr_id in c.by_id), None)
