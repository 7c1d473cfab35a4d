"""Catalyst expressions: only those whose meaning for lineage is not "a value made of its children" are declared."""

from __future__ import annotations

import dataclasses

from sac_kafka.plan.declaration import accessor, base, spark_class

_E = "org.apache.spark.sql.catalyst.expressions"


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    """A column where it is defined: Spark's `AttributeReference` in the output of a leaf or of a node that makes it.

    `type` is `DataType.catalogString`.
    """

    expr_id: int
    name: str
    type: str
    nullable: bool


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Expression:
    """Spark's `org.apache.spark.sql.catalyst.expressions.Expression`."""

    class_name: str = base()
    children: tuple[Expression, ...] = base()

    @property
    def simple_name(self) -> str:
        """The class without its package."""
        return self.class_name.rpartition(".")[2]


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AttributeReference(Expression):
    """The use of a column: what the id means is a matter of the node's children."""

    expr_id: int


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UnknownExpression(Expression):
    """An expression that is not declared: its value is made of its children's values."""


@spark_class(f"{_E}.Alias")
class Alias(Expression):
    """`child AS name`, under a new id."""

    name: str
    expr_id: int = accessor("exprId.id")


@spark_class(f"{_E}.OuterReference")
class OuterReference(Expression):
    """A column of the query around a correlated subquery."""

    reference: Expression = accessor("e")


@spark_class(f"{_E}.Literal")
class Literal(Expression):
    """A constant. Its value never travels."""


@spark_class(f"{_E}.CaseWhen")
class CaseWhen(Expression):
    """Children alternate condition, value; an odd last one is the ELSE."""


@spark_class(f"{_E}.If")
class If(Expression):
    """Children: predicate, value if true, value if false."""


@spark_class(f"{_E}.WindowExpression")
class WindowExpression(Expression):
    """Children: the function, the `WindowSpecDefinition`."""


@spark_class(f"{_E}.aggregate.AggregateExpression")
class AggregateExpression(Expression):
    """Children: the aggregate function, and the condition of a FILTER clause if there is one."""


@spark_class(f"{_E}.Cast")
class Cast(Expression):
    """`CAST(child AS type)`."""

    type: str = accessor("dataType")


@spark_class(f"{_E}.PythonUDF", f"{_E}.PythonUDAF", f"{_E}.PythonUDTF")
class PythonUDF(Expression):
    """A Python function over its children."""

    name: str


@spark_class(f"{_E}.ScalaUDF")
class ScalaUDF(Expression):
    """A Scala or Java function over its children."""

    name: str | None = accessor("udfName")
