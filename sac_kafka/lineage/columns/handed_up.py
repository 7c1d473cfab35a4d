"""Column lineage: what each node of a plan hands up, bottom-up, by exprId.

What a node hands up is a value of its own (`Columns`), not an entry in a map of the whole plan: a union keeps the ids of
its first child, and `df.union(df)` repeats them. One registered function a node family (`operators`, `row_functions`,
`loops`); a node that is not understood passes its children's columns through.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, singledispatch

from sac_kafka.lineage.columns.clause_texts import Relation, Seen, functions_of_sql, qualified, referred, shortened
from sac_kafka.lineage.columns.combining import NOTHING, Sources, through
from sac_kafka.lineage.columns.definitions import Definition
from sac_kafka.lineage.columns.dependencies import Scope, sources_of
from sac_kafka.lineage.columns.stand_ins import is_stand_in
from sac_kafka.lineage.expressions.function_names import ANY, PART
from sac_kafka.lineage.expressions.rendering import Text, render
from sac_kafka.lineage.expressions.sql_parts import MARK, quoted
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.expressions import Alias, AttributeReference, Expression, GetStructField, Literal
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.operators import Project


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class OutputColumn:
    """A column that a node hands up; `definition` renders the expression that made it, None for a plain copy.

    `read` is the name of the source's column that a plain copy was read by, or the text of those that a union unites.
    `type` is "" where it is not known. `fields` are those of a column that is made as a struct, each as a column, () of
    any other. `relation` is what of the FROM clause it is a column of, None where it is made by an expression.
    """

    expr_id: int
    name: str
    sources: Sources
    definition: Definition | None = None
    type: str = ""
    fields: tuple[OutputColumn, ...] = ()
    relation: Relation | None = None
    read: str = ""

    @property
    def read_as(self) -> str:
        """What copies of a plain copy keep as its name: that of the source's column; of one that only stands in, none."""
        return "" if any(is_stand_in(s.dataset) for s in self.sources) else self.read or self.name

    @property
    def copied(self) -> str:
        """The name of the source's column that it is a plain copy of; "" where it is none."""
        return "" if self.definition is not None or isinstance(self.read, Text) else self.read or self.name

    def shown(self) -> Text:
        """What it is in an expression: the name of the source's column, or what it is made of; names are marked."""
        if self.copied:
            return Text(MARK + quoted(self.copied))
        made = self.definition.marked() if self.definition is not None else Text.of(self.read, ANY)
        if _MADE_UP.match(self.name):
            return made
        if self.definition is not None and self.definition.is_shared:
            made = Text.of(f"{made if made.binding >= PART else f'({made})'}.{quoted(self.name)}", PART)
        return made.made_of(self.name)


NUMBER_OF_THE_SET = "spark_grouping_id"
"""The column that tells apart the grouping sets of ROLLUP and CUBE."""

_MADE_UP = re.compile(
    r"spark_grouping_id$|_we?\d+$|__pivot_|_gen_|gen_attr|_aggregateexpression$|_groupingexpression$|.*\("
)
"""Names of columns between two nodes that stand for one clause of the query: nobody knows them."""

MOST_NESTED = 20
"""Calls of functions of SQL that are looked through."""


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

    def field(self, e: Expression) -> OutputColumn | None:
        """What `column.field`, of any depth, takes out of a column that is made as a struct; None where that is not known."""
        ordinals = []
        while isinstance(e, GetStructField):
            ordinals.append(e.ordinal)
            e = e.children[0]
        found = self.by_id.get(e.expr_id) if isinstance(e, AttributeReference) and ordinals else None
        for ordinal in reversed(ordinals):
            found = found.fields[ordinal] if found is not None and ordinal < len(found.fields) else None
        return found

    def field_sources(self, e: Expression) -> Sources | None:
        """The sources of such a field."""
        found = self.field(e)
        return None if found is None else found.sources

    @property
    def shown(self) -> Mapping[int, str]:
        """What the columns are in an expression, by exprId."""
        return {c.expr_id: c.shown().labelled("") for c in self.outputs}

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
                known=self.all.sources,
                subquery=self.subquery,
                field=self.all.field_sources,
                correlating=self.correlating,
                deciding=self.deciding,
            )
        return sources_of(expression, self._scope, use)

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
    """Those of columns and of their fields."""
    stack = list(columns)
    while stack:
        c = stack.pop()
        stack.extend(c.fields)
        if c.definition is not None:
            yield c.definition


def _parameters(expressions: Iterable[Expression]) -> set[int]:
    return {i for f in functions_of_sql(expressions) for i in referred(f.parameters)}


def _found(expr_id: int, known: Iterable[Columns]) -> OutputColumn | None:
    return next((c.by_id[expr_id] for c in known if expr_id in c.by_id), None)


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
