"""Catalyst expressions: only those whose meaning for lineage is not "a value made of its children" are declared."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sac_kafka.plan.declaration import accessor, base, spark_class

_E = "org.apache.spark.sql.catalyst.expressions"


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    """A column where it is defined: Spark's `AttributeReference` in the output of a leaf or of a node that makes it.

    `type` is `DataType.catalogString`.
    """

    travels_as: ClassVar = "attributes"

    expr_id: int
    name: str
    type: str
    nullable: bool


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Expression:
    """Spark's `org.apache.spark.sql.catalyst.expressions.Expression`."""

    travels_as: ClassVar = "expressions"

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
    """An expression that is not declared: its value is made of its children's values.

    `name` is what Spark's SQL calls it; `formats` are constants by the position of the argument (`plan.formats`).
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


@spark_class(f"{_E}.Literal")
class Literal(Expression):
    """A constant. `text` is it as SQL where a statement's text shows such a one too (`spark/java/Constants`), else None."""

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
    """`child DESC NULLS LAST`; what follows the first child is sorted the same way and was not written."""

    direction: str = accessor("direction.sql", default="ASC")
    nulls: str = accessor("nullOrdering.sql", default="")


@spark_class(f"{_E}.aggregate.AggregateExpression")
class AggregateExpression(Expression):
    """Children: the aggregate function, and the condition of a FILTER clause if there is one."""

    is_distinct: bool = accessor("isDistinct", default=False)


@spark_class(
    f"{_E}.aggregate.First",
    f"{_E}.aggregate.Last",
    f"{_E}.aggregate.AnyValue",
    f"{_E}.NthValue",
    f"{_E}.FrameLessOffsetWindowFunction",
)
class ChoosingFunction(Expression):
    """A function that takes the value of one row, with or without those that are NULL."""

    name: str = accessor("prettyName", default="")
    ignores_nulls: bool = accessor("ignoreNulls", default=False)


@spark_class(f"{_E}.aggregate.CollectList", f"{_E}.aggregate.CollectSet")
class Collect(Expression):
    """`collect_list`, `collect_set`; before Spark 4.2 these leave out NULL always, so that what is always true stands for it."""

    name: str = accessor("prettyName", default="")
    ignores_nulls: bool = accessor("ignoreNulls|resolved", default=True)


@spark_class(f"{_E}.aggregate.PercentileCont", f"{_E}.aggregate.PercentileDisc")
class PercentileWithinGroup(Expression):
    """`percentile_cont(fraction) WITHIN GROUP (ORDER BY value)`. Children: the value, the fraction."""

    name: str = accessor("prettyName", default="")
    is_descending: bool = accessor("reverse", default=False)


@spark_class(f"{_E}.aggregate.HyperLogLogPlusPlus")
class ApproximateCount(Expression):
    """`approx_count_distinct(child, error)`."""

    error: str = accessor("relativeSD", default="0.05")


@spark_class(f"{_E}.Rand", f"{_E}.Randn")
class Random(Expression):
    """`rand(seed)`; the seed is Spark's own where the statement has none."""

    name: str = accessor("prettyName", default="")
    hides_seed: bool = accessor("hideSeed", default=False)


@spark_class(f"{_E}.TimestampAdd", f"{_E}.TimestampDiff")
class TimestampArithmetic(Expression):
    """`timestampadd(unit, quantity, timestamp)`, `timestampdiff(unit, start, end)`; the children are the last two."""

    name: str = accessor("prettyName", default="")
    unit: str = accessor("unit", default="")


@spark_class(f"{_E}.JsonToStructs", f"{_E}.CsvToStructs", f"{_E}.XmlToStructs")
class FromText(Expression):
    """`from_json(child, schema, options)` and its like; of the options only how many there are."""

    name: str = accessor("prettyName", default="")
    schema: str = accessor("schema", default="")
    options: int = accessor("options.size", default=0)


@spark_class(
    f"{_E}.StructsToJson", f"{_E}.StructsToCsv", f"{_E}.StructsToXml", f"{_E}.SchemaOfJson", f"{_E}.SchemaOfCsv"
)
class ToText(Expression):
    """`to_json(child, options)` and its like; of the options only how many there are."""

    name: str = accessor("prettyName", default="")
    options: int = accessor("options.size", default=0)


@spark_class(f"{_E}.variant.VariantGet")
class VariantGet(Expression):
    """`variant_get(child, path, type)` (Spark 4). Children: the value, the path."""

    name: str = accessor("prettyName", default="")
    formats: tuple[str | None, ...] = accessor("@formats", default=())
    type: str = accessor("targetType", default="")


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


@spark_class(f"{_E}.aggregate.MaxMinBy", f"{_E}.aggregate.MaxMinByK")
class MaxMinBy(Expression):
    """`max_by`, `min_by`. Children: the value, what orders the rows."""

    name: str = accessor("prettyName")


@spark_class(f"{_E}.aggregate.ListAgg")
class ListAgg(Expression):
    """`listagg(child, delimiter) WITHIN GROUP (ORDER BY …)` of Spark 4; the children are all of these."""

    order: tuple[Expression, ...] = accessor("orderExpressions", default=())
    formats: tuple[str | None, ...] = accessor("@formats", default=())


@spark_class(f"{_E}.aggregate.PivotFirst")
class PivotFirst(Expression):
    """What PIVOT makes: of each pivot value the value that stands with it. Children: the pivot column, the value.

    `values` are the pivot values as SQL, None where no constant of the kind is shown.
    """

    values: tuple[str | None, ...] = accessor("@pivotValues", default=())


@spark_class(f"{_E}.NullIfResult")
class NullIfResult(Expression):
    """`nullif` of Spark 4.3. Children: the predicate, the value."""


@spark_class(f"{_E}.InheritAnalysisRules")
class ReplacedExpression(Expression):
    """A function that Spark defines by others (`nvl`, `nullif`, `try_add`): the child is what it means.

    `parameters` are what was written. They are as they were when the function was found: the ids of columns that the
    analyzer has changed since are unknown there.
    """

    name: str = accessor("prettyName", default="")
    parameters: tuple[Expression, ...] = accessor("parameters", default=())
    formats: tuple[str | None, ...] = accessor("@formats", default=())


@spark_class("org.apache.spark.sql.catalyst.analysis.SQLScalarFunction")
class SqlFunction(Expression):
    """A function of CREATE FUNCTION … RETURN (Spark 4). Child: what it means, over columns named after its parameters.

    `parameters` are these columns: a projection below makes them of the arguments.
    """

    name: str = accessor("function.name.funcName", default="")
    parameters: tuple[Expression, ...] = accessor("inputs", default=())


@spark_class(f"{_E}.VariableReference")
class Variable(Expression):
    """A variable of the session or of a script (Spark 4); `parts` are its name as it was written."""

    parts: tuple[str, ...] = accessor("originalNameParts", default=())


@spark_class(f"{_E}.objects.StaticInvoke", f"{_E}.objects.Invoke")
class Invoke(Expression):
    """A method of the JVM: what some functions are replaced with. The children are its arguments, of Invoke the object too."""

    name: str = accessor("functionName", default="")


@spark_class(f"{_E}.HigherOrderFunction")
class HigherOrderFunction(Expression):
    """`transform`, `filter`, `zip_with` …. Children: what it works on, then `LambdaFunction`s. `name` is the SQL name."""

    name: str = accessor("prettyName")

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """What the functions are applied to the elements of."""
        return tuple(c for c in self.children if not isinstance(c, LambdaFunction))


@spark_class(f"{_E}.LambdaFunction")
class LambdaFunction(Expression):
    """`(x, …) -> body`. Children: the body, then the variables."""

    @property
    def body(self) -> Expression:
        """What the function gives."""
        return self.children[0]


@spark_class(f"{_E}.NamedLambdaVariable")
class NamedLambdaVariable(Expression):
    """A variable of a lambda function; it stands for elements of what the higher-order function works on."""

    name: str
    expr_id: int = accessor("exprId.id")


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
    """`child.field` of each struct of an array."""

    name: str = accessor("field.name", default="")


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


@spark_class(f"{_E}.Stack")
class Stack(Expression):
    """`stack(n, …)`: the first child is the number of rows, the others their values, row by row."""


@spark_class(f"{_E}.Inline")
class Inline(Expression):
    """`inline(array of structs)`: a column a field."""


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
