"""Represent the output columns of a plan node, by exprId, and the clauses that decide its rows.

Each node has its own `Columns`, because exprIds are not unique in a plan: a union keeps the ids of its first child, and
`df.union(df)` repeats them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Set
from functools import cached_property

from sac_kafka.lineage.columns.operands import IF_SHAPED, Path, ShapeKind, rest_of
from sac_kafka.lineage.columns.placeholders import is_placeholder
from sac_kafka.lineage.expressions.function_names import ANY, PART
from sac_kafka.lineage.expressions.rendering import Text
from sac_kafka.lineage.expressions.sql_parts import MARK, quote
from sac_kafka.model import ColumnSource, Dependency
from sac_kafka.model.columns import NO_SOURCES, Sources
from sac_kafka.plan.expressions import AttributeReference, Expression, GetStructField


class Definition:
    """The defining expression of a column, rendered once, after the definitions of the columns that it uses.

    `is_shared` is True if it defines other columns too. Chains of definitions may be long and are walked with a stack.
    """

    __slots__ = ("_make", "_needs", "_text", "is_shared")

    def __init__(
        self,
        make: Callable[[], str],
        needs: Callable[[], Iterable[Definition]] = tuple,
        *,
        is_shared: bool = False,
    ) -> None:
        self._make: Callable[[], str] | None = make
        self._needs = needs
        self._text: Text | None = None
        self.is_shared = is_shared

    def __call__(self) -> Text:
        """Return the text for people, without marks."""
        return self.mark_columns().with_label("")

    def mark_columns(self) -> Text:
        """Return the text with a mark before the name of each source column."""
        stack, waited_for = [self], {self}
        while stack:
            missing = [d for d in stack[-1]._needs() if d._text is None and d not in waited_for]
            stack += missing
            waited_for.update(missing)
            if not missing:
                stack.pop()._render()
        assert self._text is not None
        return self._text

    def _render(self) -> None:
        if self._text is None and self._make is not None:
            text = self._make()
            self._text = text if isinstance(text, Text) else Text(text)
            self._make, self._needs = None, tuple  # free the plan below


GROUPING_SET_COLUMN = "spark_grouping_id"
"""Name of the column in which Spark stores the grouping set of a row under ROLLUP and CUBE."""

_INTERNAL_NAME = re.compile(
    r"spark_grouping_id$|_we?\d+$|__pivot_|_gen_|gen_attr|_aggregateexpression$|_groupingexpression$|.*\("
)
"""Names of internal columns that Spark creates between operators; users do not know them."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A table or subquery of a FROM clause, compared by identity: a self-join has two. `alias` is "" if unknown."""

    alias: str = ""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class OutputColumn:
    """An output column of a node; `definition` renders its defining expression, None for a plain copy.

    `read` is the name of the copied source column, or the text of the columns that a union combines. `type` is "" if unknown.
    `kind` is the kind of a nested value whose `parts` (fields of a struct, elements of an array) are columns themselves; None
    if it has no known parts. Only parts written in a `struct(…)` have a name and a definition. `relation` is the item of the
    FROM clause that the column belongs to, None if an expression defines it.
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
        """The name of the source column, to be passed on to copies; "" if the source is only a placeholder."""
        return "" if any(is_placeholder(s.dataset) for s in self.sources) else self.read or self.name

    @property
    def copied_name(self) -> str:
        """The name of the source column that this is a plain copy of; "" if it is not a copy."""
        return "" if self.definition is not None or isinstance(self.read, Text) else self.read or self.name

    @property
    def is_written(self) -> bool:
        """True if it has a text; of parts only those written in a `struct(…)` have one."""
        return self.definition is not None or bool(self.read or self.name)

    def part_at(self, path: Path) -> tuple[OutputColumn, Path]:
        """Follow a path as far as the shape is known; return the part reached and the rest of the path."""
        part = self
        while path and part.kind is not None:
            at = part.kind.at(path[0], len(part.parts))
            if at is None:
                break
            part, path = part.parts[at], rest_of(path)
        return part, path

    def sources_at(self, path: Path) -> tuple[Sources, bool]:
        """Return the sources of the part at a path, and False if they are those of an enclosing part."""
        part, rest = self.part_at(path)
        return (NO_SOURCES if IF_SHAPED in rest else part.sources), not rest

    def copy_as(self, expr_id: int, name: str, type_: str) -> OutputColumn:
        """Return a plain copy of the column, in no relation."""
        return OutputColumn(
            expr_id, name, self.sources, self.definition, type_, self.kind, self.parts, read=self.read_as
        )

    def with_sources(self, change: Callable[[Sources], Sources]) -> OutputColumn:
        """Return the column with changed sources, including those of its parts."""
        parts = tuple(part.with_sources(change) for part in self.parts)
        return dataclasses.replace(self, sources=change(self.sources), parts=parts)

    def render(self) -> Text:
        """Return its text within an expression: the source column's name or its definition, with marked names."""
        if self.copied_name:
            return Text(MARK + quote(self.copied_name))
        text = self.definition.mark_columns() if self.definition is not None else Text.create(self.read, ANY)
        if _INTERNAL_NAME.match(self.name):
            return text
        if self.definition is not None and self.definition.is_shared:
            text = Text.create(f"{text if text.binding >= PART else f'({text})'}.{quote(self.name)}", PART)
        return text.as_definition_of(self.name)


class Columns:
    """The output columns of a node, in order and by exprId."""

    def __init__(self, outputs: Iterable[OutputColumn] = ()) -> None:
        self.outputs = tuple(outputs)

    @cached_property
    def by_id(self) -> Mapping[int, OutputColumn]:
        """The columns by exprId."""
        return {c.expr_id: c for c in self.outputs}

    @cached_property
    def sources(self) -> Mapping[int, Sources]:
        """The sources of each column by exprId."""
        return {c.expr_id: c.sources for c in self.outputs}

    def field(self, e: Expression) -> OutputColumn | None:
        """Return the field that `column.field` (of any depth) selects from a `struct(…)`; None for any other expression."""
        path: Path = ()
        while isinstance(e, GetStructField):
            path = (e.ordinal, *path)
            e = e.children[0]
        if not path or not isinstance(e, AttributeReference) or e.expr_id not in self.by_id:
            return None
        part, rest = self.by_id[e.expr_id].part_at(path)
        return part if not rest and part.is_written else None

    @property
    def texts(self) -> Mapping[int, str]:
        """The texts of the columns within an expression, by exprId."""
        return {c.expr_id: c.render().with_label("") for c in self.outputs}

    def all_sources(self) -> Sources:
        """Return the combined sources of all columns."""
        return NO_SOURCES.union(*(c.sources for c in self.outputs))

    def with_relation(self, alias: str = "") -> Columns:
        """Return the columns as those of one relation."""
        relation = Relation(alias)
        return Columns(
            OutputColumn(c.expr_id, c.name, c.sources, c.definition, c.type, c.kind, c.parts, relation, c.read)
            for c in self.outputs
        )


EMPTY = Columns()


def with_view_columns(view: str, columns: Columns, hidden: Set[int] = frozenset()) -> Columns:
    """Return the columns of a view with the view's own columns as additional sources, for a view that is an input itself.

    `hidden` are the exprIds of output columns that do not belong to the view.
    """
    return Columns(
        c if c.expr_id in hidden else c.with_sources(frozenset({ColumnSource(view, c.name, Dependency.IDENTITY)}).union)
        for c in columns.outputs
    )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A clause that decides rows: its kind, its source columns, and a function that renders its text."""

    kind: Dependency
    sources: Sources
    text: Callable[[], str]


Clauses = tuple[Clause, ...]
