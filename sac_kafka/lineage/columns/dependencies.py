"""Find the columns that an expression depends on, and the kind of each dependency.

The rules in `operands` define how an expression uses its operands. Expressions may have thousands of terms, so they are walked
with a stack, not by recursion.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from sac_kafka.lineage.columns.operands import (
    CHOOSING,
    IF_SHAPED,
    Composite,
    OperandUse,
    Path,
    Provenance,
    ShapeKind,
    all_uses,
    bound_variables,
    comparison_parts,
    is_nested,
    rest_of,
    rule_of,
)
from sac_kafka.lineage.columns.output_columns import Columns, OutputColumn
from sac_kafka.lineage.columns.placeholders import outer_column, with_outer
from sac_kafka.lineage.expressions.sql_parts import find_original, keeps_values
from sac_kafka.model import ColumnSource, Dependency
from sac_kafka.model.columns import NO_SOURCES, Sources, combine, through
from sac_kafka.plan.expressions import (
    AttributeReference,
    Cast,
    CommonExpressionDef,
    CommonExpressionRef,
    CreateNamedStruct,
    Expression,
    OuterReference,
    UnknownExpression,
    With,
)
from sac_kafka.plan.functions import HigherOrderFunction, NamedLambdaVariable
from sac_kafka.plan.nodes import LogicalPlan, SubqueryExpression

MAX_NESTED = 20
"""Maximum length of a path into nested values."""

_CLAUSES_WITHOUT_VALUES = frozenset({Dependency.JOIN, Dependency.FILTER, Dependency.SORT})
"""Uses by clauses whose operators produce no values; GROUP BY belongs to Aggregate, which does."""
_BOUND_USE = {NamedLambdaVariable: Dependency.TRANSFORMATION, CommonExpressionRef: Dependency.IDENTITY}
_WITHOUT_RULE = (AttributeReference, SubqueryExpression, NamedLambdaVariable, CommonExpressionRef)

_Bindings = dict[tuple[str, int], Sequence[tuple[Expression, Path]]]


@dataclasses.dataclass(eq=False, kw_only=True)
class Scope:
    """The context of the expressions of a node: the output columns of its children, and the columns of any other plan.

    `correlating` returns the exprIds of the outer columns that decide the rows of a subquery's plan, `deciding` the other
    columns that do. `bound` collects the values of lambda variables and common expressions, `shapes` caches wide structs.
    """

    children: Sequence[Columns]
    columns_of_plan: Callable[[LogicalPlan], Columns]
    correlating: Callable[[LogicalPlan], Set[int]] = lambda _: frozenset()
    deciding: Callable[[LogicalPlan], Sources] = lambda _: NO_SOURCES
    bound: _Bindings = dataclasses.field(default_factory=dict)
    shapes: dict[int, Provenance] = dataclasses.field(default_factory=dict)

    @cached_property
    def all(self) -> Columns:
        """The concatenated columns of all children."""
        one = len(self.children) == 1
        return self.children[0] if one else Columns(c for child in self.children for c in child.outputs)


def sources_of(
    expression: Expression, scope: Scope, start: Dependency = Dependency.IDENTITY, path: Path = ()
) -> Sources:
    """Return the columns on which the part of an expression at a path depends; the part itself is used as `start`."""
    columns, known = scope.all.by_id, scope.all.sources
    by_use: dict[Dependency, set[ColumnSource]] = {}
    seen: set[tuple[int, Dependency, Path]] = set()
    stack: list[tuple[Expression, Dependency, Path]] = [(expression, start, path)]
    while stack:
        e, use, path = stack.pop()
        if type(e) is AttributeReference:
            if not path:
                by_use.setdefault(use, set()).update(known.get(e.expr_id, NO_SOURCES))
                continue
            part, is_exact = columns[e.expr_id].sources_at(path) if e.expr_id in columns else (NO_SOURCES, True)
            by_use.setdefault(use if is_exact else combine(use, Dependency.TRANSFORMATION), set()).update(part)
            continue
        if (id(e), use, path) in seen:
            continue
        seen.add((id(e), use, path))
        if type(e) is UnknownExpression and rule_of(e) is None:  # fast path for most functions
            if not _is_to_nothing(path):
                as_what = combine(use, Dependency.TRANSFORMATION)
                stack.extend([(c, as_what, ()) for c in e.children])
            continue
        if isinstance(e, OuterReference):
            by_use.setdefault(use, set()).update(_outer(e, path))
            continue
        inner = None if path else find_original(e)
        if inner is not None:
            stack.append((inner, use if keeps_values(e, inner) else combine(use, Dependency.TRANSFORMATION), ()))
            continue
        _bind(e, scope.bound)
        if isinstance(e, SubqueryExpression):
            if e.has_value:
                part, is_exact = _of_subquery(scope.columns_of_plan(e.plan), path)
                as_what = use if is_exact else combine(use, Dependency.TRANSFORMATION)
                by_use.setdefault(as_what, set()).update(with_outer(part, part_of(columns)))
            elif e.has_values:
                chosen = combine(use, Dependency.CONDITIONAL)
                values = scope.columns_of_plan(e.plan).all_sources()
                by_use.setdefault(chosen, set()).update(with_outer(values, part_of(columns)))
            if use not in _CLAUSES_WITHOUT_VALUES:  # else the subquery's clauses already count as clauses of the rows
                by_use.setdefault(combine(use, Dependency.CONDITIONAL), set()).update(scope.deciding(e.plan))
            stack.extend(_correlation(e, use, scope.correlating(e.plan)))
        elif isinstance(e, (NamedLambdaVariable, CommonExpressionRef)):
            as_what = combine(use, _BOUND_USE[type(e)])
            stack.extend((operand, as_what, (*at, *path)) for operand, at in scope.bound.get(_key(e), ()))
        else:
            stack.extend(_operands(e, use, path, scope))
    if len(by_use) == 1 and Dependency.IDENTITY in by_use:
        return frozenset(by_use[Dependency.IDENTITY])
    return NO_SOURCES.union(*(through(frozenset(s), use) for use, s in by_use.items()))


def _key(e: NamedLambdaVariable | CommonExpressionRef) -> tuple[str, int]:
    return ("variable", e.expr_id) if isinstance(e, NamedLambdaVariable) else ("common", e.id)


def _bind(e: Expression, bound: _Bindings) -> None:
    """Record the values of the lambda variables or common expressions that an expression defines."""
    if isinstance(e, With):
        definitions = (d for d in e.children if isinstance(d, CommonExpressionDef))
        bound.update({("common", d.id): [(operand, ()) for operand in d.children] for d in definitions})
    elif isinstance(e, HigherOrderFunction):
        bound.update({_key(v): operand for v, operand in bound_variables(e) if isinstance(v, NamedLambdaVariable)})


def _outer(e: Expression, path: Path) -> Sources:
    while isinstance(e, OuterReference):
        e = e.reference
    return outer_column(e.expr_id, path) if isinstance(e, AttributeReference) else NO_SOURCES


def part_of(columns: Mapping[int, OutputColumn]) -> Callable[..., Sources | None]:
    """Return a function that returns the sources of a part of a column by exprId and path; None for an unknown column."""

    def sources(expr_id: int, *path: int) -> Sources | None:
        if expr_id not in columns:
            return None
        part, is_exact = columns[expr_id].sources_at(path)
        return part if is_exact else through(part, Dependency.TRANSFORMATION)

    return sources


def _is_to_nothing(path: Path) -> bool:
    return IF_SHAPED in path


# ---- Parts of values

Operands = Iterator[tuple[Expression, Dependency, Path]]


def _operands(e: Expression, use: Dependency, path: Path, scope: Scope) -> Operands:
    """Yield the operands that the part of an expression at a path consists of."""
    part = _rule(e, path, scope)
    if part is None:
        if not _is_to_nothing(path):
            as_what = combine(use, Dependency.TRANSFORMATION)
            for c in e.children:
                yield c, as_what, ()
        return
    rest: Path = ()
    if path:
        part, rest = _descend(part, path)
    if isinstance(part, Composite):
        if not _is_to_nothing(rest):
            as_what = combine(use, Dependency.TRANSFORMATION)
            for t in all_uses(part):
                yield t.operand, combine(as_what, t.use), t.path
        return
    for t in part:
        yield t.operand, combine(use, t.use), (*t.path, *rest) if rest and t.passes_parts else t.path
    if path:
        for t in comparison_parts(e, path):
            yield t.operand, combine(use, t.use), t.path


def _rule(e: Expression, path: Path, scope: Scope) -> Provenance | None:
    """Return the provenance of an expression by its rule; None if it has no rule, or if the path is too long."""
    rule = rule_of(e)
    if rule is None or len(path) > MAX_NESTED:
        return None
    if type(e) is not CreateNamedStruct:
        return rule(e)
    known = scope.shapes.get(id(e))  # a struct may be as wide as a table, and every field may be requested
    if known is None:
        known = scope.shapes[id(e)] = rule(e)
    return known


def _descend(part: Provenance, path: Path) -> tuple[Provenance, Path]:
    """Follow a path within a nested value, and return the part reached and the rest of the path."""
    while path and isinstance(part, Composite):
        at = part.kind.at(path[0], len(part.parts))
        if at is None:
            break
        part, path = part.parts[at], rest_of(path)
    return part, path


def _of_subquery(columns: Columns, path: Path) -> tuple[Sources, bool]:
    if len(columns.outputs) == 1:
        return columns.outputs[0].sources_at(path)
    return columns.all_sources(), not path


def _correlation(e: SubqueryExpression, use: Dependency, correlating: Set[int]) -> Operands:
    """Yield the children of a subquery (columns of the enclosing query that it references) that decide its rows."""
    for child in e.children:
        if not isinstance(child, AttributeReference) or child.expr_id in correlating:
            yield child, combine(use, Dependency.JOIN), ()


# ---- Shapes of columns


@dataclasses.dataclass(slots=True)
class ShapeBudget:
    """Limit for the shape of one column: the number of parts and of their sources."""

    left: int = 20_000

    def take(self, amount: int) -> bool:
        """Consume an amount; return False if the budget is exceeded."""
        self.left -= amount
        return self.left >= 0


Shape = tuple[ShapeKind | None, tuple[OutputColumn, ...]]
SHAPELESS: Shape = (None, ())


def shape_of(made_of: Sequence[OperandUse], scope: Scope, budget: ShapeBudget | None = None, path: Path = ()) -> Shape:
    """Return the kind and the parts of a value that consists of some expressions; SHAPELESS if it is not nested.

    A shape over budget is SHAPELESS as well: each part of the value then has the sources of the whole.
    """
    if len(path) > MAX_NESTED:
        return SHAPELESS
    shape = _shape_at(made_of, scope, path)
    if shape is None:
        return SHAPELESS
    kind, count = shape
    budget = budget or ShapeBudget()
    parts: list[OutputColumn] = []
    for step in kind.steps(count):
        at = (*path, step)
        sources = NO_SOURCES.union(*(sources_of(t.operand, scope, t.use, (*t.path, *at)) for t in made_of))
        if not budget.take(1 + len(sources)):
            return SHAPELESS
        inner, of_inner = shape_of(made_of, scope, budget, at)
        parts.append(OutputColumn(-1, "", sources, kind=inner, parts=of_inner))
    return kind, tuple(parts)


def may_have_a_shape(e: Expression, columns: Mapping[int, OutputColumn]) -> bool:
    """Return False for an expression without parts: no column that it uses has any, and no function in it makes some."""
    stack, seen = [e], set()
    while stack:
        e = stack.pop()
        if type(e) is AttributeReference:
            column = columns.get(e.expr_id)
            if column is not None and column.kind is not None:
                return True
        elif type(e) is not Cast or is_nested(e.type):
            rule = rule_of(e)
            if rule in CHOOSING:
                if id(e) not in seen:
                    seen.add(id(e))
                    stack.extend(e.children)
            elif rule is not None or isinstance(e, _WITHOUT_RULE):
                return True
    return False


def _shape_at(made_of: Sequence[OperandUse], scope: Scope, path: Path) -> tuple[ShapeKind, int] | None:
    """Return the kind and the number of parts of the value at a path, taken from the operands that pass their parts on."""
    stack: list[tuple[Expression, Path]] = [(t.operand, (*t.path, *path)) for t in made_of if t.passes_parts]
    seen: set[tuple[int, Path]] = set()
    while stack:
        e, at = stack.pop()
        if (id(e), at) in seen:
            continue
        seen.add((id(e), at))
        column: OutputColumn | None = None
        if type(e) is AttributeReference:
            column = scope.all.by_id.get(e.expr_id)
        elif isinstance(e, SubqueryExpression):
            outputs = scope.columns_of_plan(e.plan).outputs if e.has_value else ()
            column = outputs[0] if len(outputs) == 1 else None
        elif isinstance(e, (NamedLambdaVariable, CommonExpressionRef)):
            stack.extend((operand, (*inner, *at)) for operand, inner in scope.bound.get(_key(e), ()))
        else:
            _bind(e, scope.bound)
            part = _rule(e, at, scope)
            if part is None:
                continue
            part, rest = _descend(part, at)
            if not isinstance(part, Composite):
                stack.extend((t.operand, (*t.path, *rest)) for t in part if t.passes_parts)
            elif not rest:
                return part.kind, len(part.parts)
        if column is not None:
            reached, rest = column.part_at(at)
            if reached.kind is not None and not rest:
                return reached.kind, len(reached.parts)
    return None
