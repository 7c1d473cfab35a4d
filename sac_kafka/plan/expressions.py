"""Declare the Catalyst expressions whose value is not simply computed from all their children.

Columns, aliases, casts, conditions and nested values are here; functions are in `plan.functions`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import ClassVar

from sac_kafka.plan.declaration import accessor, base, copied, spark_class

_E = "org.apache.spark.sql.catalyst.expressions"


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    """A column at its definition: Spark's `AttributeReference` in the output of a leaf or of the node that defines it.

    `type` is `DataType.catalogString`.
    """

    travels_as: ClassVar[str] = "attributes"

    expr_id: int
    name: str
    type: str
    nullable: bool


@copied
class Expression:
    """Spark's `org.apache.spark.sql.catalyst.expressions.Expression`."""

    travels_as: ClassVar[str] = "expressions"

    class_name: str = base("")
    children: tuple[Expression, ...] = base(())

    @property
    def simple_name(self) -> str:
        """The class without its package."""
        return self.class_name.rpartition(".")[2] or type(self).__name__


@copied
class AttributeReference(Expression):
    """A use of a column; the nodes below define what the id means."""

    expr_id: int


@copied
class UnknownExpression(Expression):
    """An expression that is not declared: its value is computed from its children's values.

    `name` is its name in Spark's SQL; `formats` are constants by the position of the argument (`plan.formats`).
    """

    name: str = accessor("prettyName", default="")
    formats: tuple[str | None, ...] = accessor("@formats", default=())


@spark_class(f"{_E}.Alias")
class Alias(Expression):
    """`child AS name`, under a new id."""

    name: str
    expr_id: int = accessor("exprId.id")


@spark_class(f"{_E}.OuterReference", f"{_E}.OuterScopeReference")
class OuterReference(Expression):
    """A column of the query around a correlated subquery, or (Spark 4) of a query further out."""

    reference: Expression = accessor("e|namedExpression")


def walk_expressions(expressions: Iterable[Expression]) -> Iterator[Expression]:
    """Yield expressions and all within them, each once, in the order of their text; outer references with their columns."""
    seen: set[int] = set()
    stack = list(expressions)[::-1]
    while stack:
        e = stack.pop()
        if id(e) not in seen:
            seen.add(id(e))
            yield e
            stack.extend(reversed(e.children))
            if isinstance(e, OuterReference):
                stack.append(e.reference)


@spark_class(f"{_E}.Literal")
class Literal(Expression):
    """A constant; `text` is its SQL if masked statements show constants of this kind (`spark/java/Constants`), else None."""

    is_null: bool = accessor("nullable", default=False)
    text: str | None = accessor("@literal", default=None)


@spark_class(f"{_E}.CaseWhen")
class CaseWhen(Expression):
    """Children alternate condition, value; an odd last one is the ELSE."""


@spark_class(f"{_E}.If")
class If(Expression):
    """Children: predicate, value if true, value if false."""


@spark_class(f"{_E}.WindowExpression")
class WindowExpression(Expression):
    """Children: the function, the `WindowSpecDefinition`."""


@spark_class(f"{_E}.WindowSpecDefinition")
class WindowSpecDefinition(Expression):
    """Children: the columns of PARTITION BY, the `SortOrder`s, the frame."""


@spark_class(f"{_E}.SpecifiedWindowFrame")
class SpecifiedWindowFrame(Expression):
    """`ROWS BETWEEN … AND …`. Children: the lower and the upper bound; `unit` is ROWS or RANGE."""

    unit: str = accessor("frameType.sql", default="")


@spark_class(f"{_E}.SortOrder")
class SortOrder(Expression):
    """`child DESC NULLS LAST`; further children are sorted alike and were added by Spark."""

    direction: str = accessor("direction.sql", default="ASC")
    nulls: str = accessor("nullOrdering.sql", default="")


@spark_class(f"{_E}.aggregate.AggregateExpression")
class AggregateExpression(Expression):
    """Children: the aggregate function, and the condition of a FILTER clause if there is one."""

    is_distinct: bool = accessor("isDistinct", default=False)


@spark_class(f"{_E}.ResolvedCollation")
class Collation(Expression):
    """The name of a collation (Spark 4)."""

    name: str = accessor("collationName", default="")


@spark_class(f"{_E}.Cast")
class Cast(Expression):
    """`CAST(child AS type)`; `name` is `try_cast` where that was written, `is_written` false where the analyzer added it."""

    type: str = accessor("dataType")
    name: str = accessor("prettyName", default="cast")
    is_written: bool = accessor("@isWritten", default=True)


@spark_class(f"{_E}.Like", f"{_E}.ILike")
class Like(Expression):
    """`child LIKE pattern ESCAPE escape`."""

    escape: str = accessor("escapeChar", default="\\")


@spark_class(f"{_E}.With")
class With(Expression):
    """An expression that uses others several times (Spark 4). Children: it, then `CommonExpressionDef`s."""


@spark_class(f"{_E}.CommonExpressionDef")
class CommonExpressionDef(Expression):
    """The definition of a common expression; ids are unique within a JVM."""

    id: int = accessor("id.id")


@spark_class(f"{_E}.CommonExpressionRef")
class CommonExpressionRef(Expression):
    """The use of a common expression."""

    id: int = accessor("id.id")


@spark_class(f"{_E}.GetStructField")
class GetStructField(Expression):
    """`child.field`; `ordinal` counts the fields from 0."""

    ordinal: int
    name: str = accessor("extractFieldName", default="")


@spark_class(f"{_E}.GetArrayStructFields")
class GetArrayStructFields(Expression):
    """`child.field` of each struct of an array; `ordinal` counts the fields from 0, -1 where it is not known."""

    name: str = accessor("field.name", default="")
    ordinal: int = accessor("ordinal", default=-1)


@spark_class(f"{_E}.UpdateFields")
class UpdateFields(Expression):
    """`s.withField(…).dropFields(…)`. Children: the struct, then `FieldChange`s.

    `before` and `names` are the names of the fields before and after, () where they are not known.
    """

    before: tuple[str, ...] = accessor("structExpr.dataType.fieldNames", default=())
    names: tuple[str, ...] = accessor("dataType.fieldNames", default=())


@spark_class(f"{_E}.WithField", f"{_E}.DropField")
class FieldChange(Expression):
    """A step of `UpdateFields`: a field gets the value that is the child, or goes."""

    field: str = accessor("name", default="")


@spark_class(f"{_E}.CreateNamedStruct")
class CreateNamedStruct(Expression):
    """Children alternate name, value. `name` is `struct` or `named_struct`."""

    name: str = accessor("prettyName", default="struct")
    names: tuple[str, ...] = accessor("dataType.fieldNames", default=())

    @property
    def values(self) -> tuple[Expression, ...]:
        """The values of the fields."""
        return self.children[1::2]


@spark_class(f"{_E}.CreateArray")
class CreateArray(Expression):
    """`array(…)`."""


@spark_class(f"{_E}.CreateMap")
class CreateMap(Expression):
    """`map(…)`: children alternate key, value."""
