"""Column lineage: what each node of a plan hands up, bottom-up, by exprId.

What a node hands up is a value of its own (`Columns`), not an entry in a map of the whole plan: a union keeps the ids of
its first child, and `df.union(df)` repeats them. One registered function a node family (`operators`, `row_functions`,
`loops`); a node that is not understood passes its children's columns through.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextvars import ContextVar
from functools import cache, singledispatch

from sac_kafka.lineage.columns.clause_texts import Relation, Seen, functions_of_sql, qualified, referred, shortened
from sac_kafka.lineage.columns.combining import NOTHING, Sources, through
from sac_kafka.lineage.columns.dependencies import Scope, sources_of
from sac_kafka.lineage.expressions.rendering import Text, render
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.expressions import Alias, Expression, Literal
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.operators import Project


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class OutputColumn:
    """A column that a node hands up; `definition` renders the expression that made it, None for a plain copy.

    `type` is "" where it is not known. `fields` are the sources of each field of a column that is made as a struct, () of
    any other. `relation` is what of the FROM clause it is a column of, None where it is made by an expression.
    """

    expr_id: int
    name: str
    sources: Sources
    definition: Callable[[], str] | None = None
    type: str = ""
    fields: tuple[Sources, ...] = ()
    relation: Relation | None = None


NUMBER_OF_THE_SET = "spark_grouping_id"
"""The column that tells apart the grouping sets of ROLLUP and CUBE."""

_MADE_UP = re.compile(
    r"spark_grouping_id$|_we?\d+$|__pivot_|_gen_|gen_attr|_aggregateexpression$|_groupingexpression$|.*\("
)
"""Names of columns between two nodes that stand for one clause of the query."""

MOST_NESTED = 20
"""Definitions that are rendered within one another; beyond it made-up names stay."""

_NESTED = ContextVar("nested definitions", default=0)


class Columns:
    """The columns that a node hands up, in order, and by exprId."""

    __slots__ = ("_by_id", "_sources", "outputs")

    def __init__(self, outputs: Iterable[OutputColumn] = ()) -> None:
        self.outputs = tuple(outputs)
        self._by_id: dict[int, OutputColumn] | None = None
        self._sources: dict[int, Sources] | None = None

    @property
    def by_id(self) -> Mapping[int, OutputColumn]:
        """The columns by exprId."""
        if self._by_id is None:
            self._by_id = {c.expr_id: c for c in self.outputs}
        return self._by_id

    @property
    def sources(self) -> Mapping[int, Sources]:
        """The sources of each column by exprId."""
        if self._sources is None:
            self._sources = {c.expr_id: c.sources for c in self.outputs}
        return self._sources

    @property
    def fields(self) -> Mapping[int, Sequence[Sources]]:
        """The sources of each field, of the columns where they are known."""
        return {c.expr_id: c.fields for c in self.outputs if c.fields}

    @property
    def names(self) -> Mapping[int, str]:
        """The names of the columns by exprId."""
        return {c.expr_id: c.name for c in self.outputs}

    def text(self, expr_id: int) -> str | None:
        """What a column is called in an expression: its name, or what it is made of where Spark made the name up."""
        column = self.by_id.get(expr_id)
        if column is None:
            return None
        depth = _NESTED.get()
        if depth == MOST_NESTED or column.definition is None or not _MADE_UP.match(column.name):
            return column.name
        token = _NESTED.set(depth + 1)
        try:
            made = column.definition()
            return made if isinstance(made, Text) else Text(made)
        finally:
            _NESTED.reset(token)

    def all_sources(self) -> Sources:
        """What any of the columns depends on."""
        return NOTHING.union(*(c.sources for c in self.outputs))

    def standing_as(self, alias: str = "") -> Columns:
        """The columns as those of one relation."""
        relation = Relation(alias)
        return Columns(dataclasses.replace(c, relation=relation) for c in self.outputs)


EMPTY = Columns()


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A clause that decides rows: how, by which columns, and its text for people, when it is asked for."""

    kind: Dependency
    sources: Sources
    text: Callable[[], str]


Clauses = tuple[Clause, ...]


@dataclasses.dataclass(slots=True, eq=False, kw_only=True)
class Below:
    """What the nodes below a node have handed up.

    `cte` are the columns of common table expressions by their ids; `correlating` gives the exprIds of outer columns that
    decide the rows of a subquery's plan, `outer` are columns of queries around it, more of them as the
    walk goes on. `nodes` are those that have handed up. Rules write into none of this: the walk does (`flow`).
    """

    children: Sequence[Columns]
    of_plan: Callable[[LogicalPlan], Columns]
    cte: Mapping[int, Columns]
    correlating: Callable[[LogicalPlan], Set[int]] = lambda _: frozenset()
    outer: Mapping[int, OutputColumn] = dataclasses.field(default_factory=dict)
    nodes: Sequence[LogicalPlan] = ()
    _all: Columns | None = None
    _scope: Scope | None = None
    _seen: Seen | None = None

    @property
    def all(self) -> Columns:
        """The columns of all children, one after the other."""
        if self._all is None:
            one = len(self.children) == 1
            self._all = self.children[0] if one else Columns(c for child in self.children for c in child.outputs)
        return self._all

    def subquery(self, plan: LogicalPlan) -> Sources:
        """The sources of the value of a subquery."""
        return self.of_plan(plan).all_sources()

    def of(self, expression: Expression, use: Dependency = Dependency.IDENTITY) -> Sources:
        """The sources of an expression over the columns of the children."""
        if self._scope is None:
            self._scope = Scope(
                known=self.all.sources, subquery=self.subquery, fields=self.all.fields, correlating=self.correlating
            )
        return sources_of(expression, self._scope, use)

    def of_all(self, expressions: Iterable[Expression | None], use: Dependency = Dependency.IDENTITY) -> Sources:
        """The sources of several expressions; None counts as none."""
        return NOTHING.union(*(self.of(e, use) for e in expressions if e is not None))

    def defining(self, expression: Expression) -> Callable[[], str]:
        """Renders an expression over the columns of the children, when it is asked for."""
        naming = self._naming((expression,))
        # Rendered once: a definition that is used twice, of one that is used twice …, would double with each.
        return cache(lambda: render(expression, naming()))

    def _naming(self, expressions: Sequence[Expression]) -> Callable[[], Callable[[int], str | None]]:
        """Gives, when it is asked for, what the columns are called that expressions use: by origin if mistaken."""
        columns, outer = self.all, self.outer

        def naming() -> Callable[[int], str | None]:
            arguments, lower = self._arguments(expressions)
            known = (columns, *lower)
            used = {
                i: c
                for i in referred((*expressions, *arguments.values()))
                if i not in arguments and (c := _found(i, known) or outer.get(i)) is not None
            }
            told = self.qualified(used)

            def name(expr_id: int) -> str | None:
                if expr_id in arguments:
                    return render(arguments[expr_id], name)
                found = next(filter(None, (c.text(expr_id) for c in known)), None) or _name(outer.get(expr_id))
                return found if isinstance(found, Text) else told.get(expr_id, found)

            return name

        return naming

    def _arguments(self, expressions: Sequence[Expression]) -> tuple[dict[int, Expression], list[Columns]]:
        """What functions of SQL are called with, by the columns that stand for it; and the columns that it is made of.

        The analyzer makes a projection of the arguments below the call.
        """
        arguments: dict[int, Expression] = {}
        lower: list[Columns] = []
        nodes, wanted = list(self.nodes), _parameters(expressions)
        for _ in range(MOST_NESTED):
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
            self._seen = Seen.of(self.all.outputs, self.outer.values())
        return qualified(columns, self._seen)

    def clause(self, kind: Dependency, *expressions: Expression | None, word: str = "") -> Clauses:
        """The clause that some expressions are, none where nothing of them looks at a row; its text begins with `word`."""
        used = tuple(e for e in expressions if e is not None and not isinstance(e, Literal))
        if not used:
            return ()
        naming = self._naming(used)

        def text() -> str:
            rendered = (render(e, naming()) for e in used)
            return shortened(f"{word} {', '.join(rendered)}".strip())

        return (Clause(kind, self.of_all(used, kind), cache(text)),)


def _parameters(expressions: Iterable[Expression]) -> set[int]:
    return {i for f in functions_of_sql(expressions) for i in referred(f.parameters)}


def _found(expr_id: int, known: Iterable[Columns]) -> OutputColumn | None:
    return next((c.by_id[expr_id] for c in known if expr_id in c.by_id), None)


def _name(column: OutputColumn | None) -> str | None:
    return None if column is None else column.name


@singledispatch
def columns_of(node: LogicalPlan, below: Below) -> Columns:
    """The columns that a node hands up."""
    del node
    return below.all


@columns_of.register
def _(node: UnknownPlan, below: Below) -> Columns:
    """Its own output where the plan shows one; a column that is new may come from every column below."""
    if not node.output:
        return below.all
    known = below.all.by_id
    new = through(below.all.all_sources(), Dependency.TRANSFORMATION)
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, new) for a in node.output)


@singledispatch
def row_clauses(node: LogicalPlan, below: Below) -> Clauses:
    """What decides which rows a node hands up, or how they are grouped and sorted."""
    del node, below
    return ()


@singledispatch
def superseded(node: LogicalPlan) -> Sequence[LogicalPlan]:
    """The nodes below that only prepare what this one does: what decided their rows is none of the query's."""
    del node
    return ()
