"""Declare functions that have more than their arguments, or of which not all arguments flow into the result.

Any other function is its name applied to its children (`plan.expressions.UnknownExpression`).
"""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, copied, spark_class
from sac_kafka.plan.expressions import Expression

_E = "org.apache.spark.sql.catalyst.expressions"


@copied
class NamedFunction(Expression):
    """A function with its name in Spark's SQL."""

    name: str = accessor("prettyName", default="")


@spark_class(
    f"{_E}.aggregate.First",
    f"{_E}.aggregate.Last",
    f"{_E}.aggregate.AnyValue",
    f"{_E}.NthValue",
    f"{_E}.FrameLessOffsetWindowFunction",
)
class ChoosingFunction(NamedFunction):
    """A function that returns the value of one row, with or without NULLs."""

    ignores_nulls: bool = accessor("ignoreNulls", default=False)


@spark_class(f"{_E}.aggregate.CollectList", f"{_E}.aggregate.CollectSet")
class Collect(NamedFunction):
    """`collect_list`, `collect_set`.

    Before Spark 4.2 they always ignore NULL; `resolved`, which is always true, stands in for the missing accessor.
    """

    ignores_nulls: bool = accessor("ignoreNulls|resolved", default=True)


@spark_class(f"{_E}.aggregate.PercentileCont", f"{_E}.aggregate.PercentileDisc")
class PercentileWithinGroup(NamedFunction):
    """`percentile_cont(fraction) WITHIN GROUP (ORDER BY value)`. Children: the value, the fraction."""

    is_descending: bool = accessor("reverse", default=False)


@spark_class(f"{_E}.AtLeastNNonNulls")
class AtLeastNNonNulls(Expression):
    """At least `n` of the children are neither NULL nor NaN: the condition of `DataFrame.dropna`."""

    n: int | None = accessor("n", default=None)


@spark_class(f"{_E}.aggregate.HyperLogLogPlusPlus")
class ApproximateCount(Expression):
    """`approx_count_distinct(child, error)`."""

    error: str = accessor("relativeSD", default="0.05")


@spark_class(f"{_E}.Rand", f"{_E}.Randn")
class Random(NamedFunction):
    """`rand(seed)`; the seed is Spark's if the statement has none."""

    hides_seed: bool = accessor("hideSeed", default=False)


@spark_class(f"{_E}.TimestampAdd", f"{_E}.TimestampDiff")
class TimestampArithmetic(NamedFunction):
    """`timestampadd(unit, quantity, timestamp)`, `timestampdiff(unit, start, end)`; the children are the last two."""

    unit: str = accessor("unit", default="")


@spark_class(f"{_E}.JsonToStructs", f"{_E}.CsvToStructs", f"{_E}.XmlToStructs")
class FromText(NamedFunction):
    """`from_json(child, schema, options)` and similar functions; `options` is the number of options."""

    schema: str = accessor("schema", default="")
    options: int = accessor("options.size", default=0)


@spark_class(
    f"{_E}.StructsToJson", f"{_E}.StructsToCsv", f"{_E}.StructsToXml", f"{_E}.SchemaOfJson", f"{_E}.SchemaOfCsv"
)
class ToText(NamedFunction):
    """`to_json(child, options)` and similar functions; `options` is the number of options."""

    options: int = accessor("options.size", default=0)


@spark_class(f"{_E}.variant.VariantGet")
class VariantGet(NamedFunction):
    """`variant_get(child, path, type)` (Spark 4). Children: the value, the path."""

    formats: tuple[str | None, ...] = accessor("@formats", default=())
    type: str = accessor("targetType", default="")


@spark_class(f"{_E}.aggregate.MaxMinBy", f"{_E}.aggregate.MaxMinByK")
class MaxMinBy(Expression):
    """`max_by`, `min_by`. Children: the value, the ordering."""

    name: str = accessor("prettyName")


@spark_class(f"{_E}.aggregate.ListAgg")
class ListAgg(Expression):
    """`listagg(child, delimiter) WITHIN GROUP (ORDER BY …)` of Spark 4; the children are all of these."""

    order: tuple[Expression, ...] = accessor("orderExpressions", default=())
    formats: tuple[str | None, ...] = accessor("@formats", default=())


@spark_class(f"{_E}.aggregate.PivotFirst")
class PivotFirst(Expression):
    """The result of PIVOT: for each pivot value the value of its row. Children: the pivot column, the value.

    `values` are the pivot values as SQL; None if constants of that kind are masked.
    """

    values: tuple[str | None, ...] = accessor("@pivotValues", default=())


@spark_class(f"{_E}.NullIfResult")
class NullIfResult(Expression):
    """`nullif` of Spark 4.3. Children: the predicate, the value."""


@spark_class(f"{_E}.InheritAnalysisRules")
class ReplacedExpression(NamedFunction):
    """A function that Spark defines by others (`nvl`, `nullif`, `try_add`): the child is its replacement.

    `parameters` are the arguments as written, from when the function was resolved: ids of columns may be outdated.
    """

    parameters: tuple[Expression, ...] = accessor("parameters", default=())
    formats: tuple[str | None, ...] = accessor("@formats", default=())


@spark_class("org.apache.spark.sql.catalyst.analysis.SQLScalarFunction")
class SqlFunction(Expression):
    """A function of CREATE FUNCTION … RETURN (Spark 4). Child: its body, over columns named after its parameters.

    `parameters` are these columns; a projection below computes them from the arguments.
    """

    name: str = accessor("function.name.funcName", default="")
    parameters: tuple[Expression, ...] = accessor("inputs", default=())


@spark_class(f"{_E}.objects.StaticInvoke", f"{_E}.objects.Invoke")
class Invoke(Expression):
    """A call of a JVM method, which replaces some functions. Children: the arguments, for Invoke preceded by the object."""

    name: str = accessor("functionName", default="")


@spark_class(f"{_E}.HigherOrderFunction")
class HigherOrderFunction(Expression):
    """`transform`, `filter`, `zip_with` …. Children: the arguments, then `LambdaFunction`s. `name` is the SQL name."""

    name: str = accessor("prettyName")

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """The arguments whose elements the functions are applied to."""
        return tuple(c for c in self.children if not isinstance(c, LambdaFunction))


@spark_class(f"{_E}.LambdaFunction")
class LambdaFunction(Expression):
    """`(x, …) -> body`. Children: the body, then the variables."""

    @property
    def body(self) -> Expression:
        """The result of the function."""
        return self.children[0]


@spark_class(f"{_E}.NamedLambdaVariable")
class NamedLambdaVariable(Expression):
    """A variable of a lambda function: an element of an argument of the higher-order function."""

    name: str
    expr_id: int = accessor("exprId.id")


@spark_class(f"{_E}.Stack")
class Stack(Expression):
    """`stack(n, …)`: the first child is the number of rows, the others their values, row by row."""


@spark_class(f"{_E}.Inline")
class Inline(Expression):
    """`inline(array of structs)`: one column per field."""


@spark_class(f"{_E}.Explode")
class Explode(Expression):
    """`explode(array or map)`."""


@spark_class(f"{_E}.PosExplode")
class PosExplode(Expression):
    """`posexplode(array or map)`: the position comes first."""


@spark_class(f"{_E}.PythonUDF", f"{_E}.PythonUDAF", f"{_E}.PythonUDTF")
class PythonUDF(Expression):
    """A Python function over its children."""

    name: str


@spark_class(f"{_E}.ScalaUDF")
class ScalaUDF(Expression):
    """A Scala or Java function over its children."""

    name: str | None = accessor("udfName")
