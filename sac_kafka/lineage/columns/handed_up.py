"""Column lineage: what each node of a plan hands up, bottom-up, by exprId.

What a node hands up is a value of its own (`Columns`), not an entry in a map of the whole plan: a union keeps the ids of
its first child, and `df.union(df)` repeats them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Set

from sac_kafka.lineage.columns.clause_texts import Relation
from sac_kafka.lineage.columns.combining import NOTHING, Sources
from sac_kafka.lineage.columns.definitions import Definition
from sac_kafka.lineage.columns.operands import ShapeKind
from sac_kafka.lineage.columns.stand_ins import is_stand_in
from sac_kafka.lineage.expressions.function_names import ANY, PART
from sac_kafka.lineage.expressions.rendering import Text
from sac_kafka.lineage.expressions.sql_parts import MARK, quoted
from sac_kafka.lineage.model import ColumnSource, Dependency
from sac_kafka.plan.expressions import AttributeReference, Expression, GetStructField


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class OutputColumn:
    """A column that a node hands up; `definition` renders the expression that made it, None for a plain copy.

    `read` is the name of the source's column that a plain copy was read by, or the text of those that a union unites.
    `type` is "" where it is not known. `kind` is that of its parts, each a column of its own: the fields of a struct, the
    items of an array; None where it has none that are known. A part has a name and a definition only where it was written as
    one, in a `struct(…)`. `relation` is what of the FROM clause it is a column of, None where it is made by an expression.
    """

    expr_id: int
    name: str
    sources: Sources
    definition: Definition | None = None
    type: str = ""
    kind: ShapeKind | None = None
    parts: tuple[OutputColumn, ...] = ()
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

    @property
    def is_written(self) -> bool:
        """True where it has a text: of parts those that were written as one."""
        return self.definition is not None or bool(self.read or self.name)

    def with_sources(self, change: Callable[[Sources], Sources]) -> OutputColumn:
        """The column with other sources, in all of its parts too."""
        parts = tuple(part.with_sources(change) for part in self.parts)
        return dataclasses.replace(self, sources=change(self.sources), parts=parts)

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
        """What `column.field`, of any depth, takes out of a column that was written as a struct; None of any other."""
        ordinals = []
        while isinstance(e, GetStructField):
            ordinals.append(e.ordinal)
            e = e.children[0]
        found = self.by_id.get(e.expr_id) if isinstance(e, AttributeReference) and ordinals else None
        for ordinal in reversed(ordinals):
            at = found.kind.at(ordinal, len(found.parts)) if found is not None and found.kind is not None else None
            found = found.parts[at] if found is not None and at is not None else None
        return found if found is not None and found.is_written else None

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


def also_of(view: str, columns: Columns, hidden: Set[int] = frozenset()) -> Columns:
    """The columns of a view: what they are made of, and the view's own, where it is an input beside its tables.

    `hidden` are the ids of those that are handed up, and are no columns of the view.
    """
    return Columns(
        c if c.expr_id in hidden else c.with_sources(frozenset({ColumnSource(view, c.name, Dependency.IDENTITY)}).union)
        for c in columns.outputs
    )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A clause that decides rows: how, by which columns, and its text for people, when it is asked for."""

    kind: Dependency
    sources: Sources
    text: Callable[[], str]


Clauses = tuple[Clause, ...]
