"""Declare nodes that pass rows through a function opaque to Spark: Python, R, a script, typed functions of the JVM."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute, Expression
from sac_kafka.plan.nodes import LogicalPlan

_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class(
    f"{_L}.MapElements",
    f"{_L}.MapPartitions",
    f"{_L}.MapPartitionsInR",
    f"{_L}.MapPartitionsInRWithArrow",
    f"{_L}.MapPartitionsExternalUDF",
    f"{_L}.AppendColumnsWithObject",
    f"{_L}.SerializeFromObject",
    f"{_L}.ScriptTransformation",
)
class RowFunction(LogicalPlan):
    """A function over rows: any new column may come from any column of the child."""

    output: tuple[Attribute, ...]


@spark_class(f"{_L}.MapInPandas", f"{_L}.MapInArrow", f"{_L}.PythonMapInArrow")
class PythonRowFunction(LogicalPlan):
    """`mapInPandas`, `mapInArrow`: a function over the rows; the arguments of `function` are the columns it sees."""

    function: Expression = accessor("functionExpr")
    output: tuple[Attribute, ...]


@spark_class(
    *(f"{_L}.FlatMapGroupsInPandas", f"{_L}.FlatMapGroupsInArrow", f"{_L}.FlatMapGroupsInPandasWithState"),
    *(f"{_L}.TransformWithStateInPySpark", f"{_L}.TransformWithStateInPandas"),
)
class PythonGroupFunction(LogicalPlan):
    """`applyInPandas`, `applyInArrow`, `transformWithState`: a function over the rows of a group, with or without a state."""

    function: Expression = accessor("functionExpr")
    grouping: tuple[Expression, ...] = accessor("groupingAttributes|leftAttributes")
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.FlatMapCoGroupsInPandas", f"{_L}.FlatMapCoGroupsInArrow")
class PythonCoGroupFunction(LogicalPlan):
    """`cogroup(…).applyInPandas`: a function over the groups of both sides that have the same key."""

    function: Expression = accessor("functionExpr")
    left_key: tuple[Expression, ...] = accessor("leftAttributes")
    right_key: tuple[Expression, ...] = accessor("rightAttributes")
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.DeserializeToObject")
class DeserializeToObject(LogicalPlan):
    """Creation of an object from the columns that `deserializer` uses."""

    deserializer: Expression
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.AppendColumns")
class AppendColumns(LogicalPlan):
    """`Dataset.groupByKey`: the child's columns, and those of the key that a function computes from the deserialized row."""

    deserializer: Expression
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.TypedFilter")
class TypedFilter(LogicalPlan):
    """`Dataset.filter` with a function over the deserialized row."""

    deserializer: Expression


@spark_class(f"{_L}.MapGroups")
class MapGroups(LogicalPlan):
    """`mapGroups`, `flatMapGroups`, `flatMapSortedGroups`."""

    key_deserializer: Expression
    value_deserializer: Expression
    grouping: tuple[Expression, ...] = accessor("groupingAttributes")
    order: tuple[Expression, ...] = accessor("dataOrder")
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.FlatMapGroupsWithState", f"{_L}.TransformWithState")
class GroupStateFunction(LogicalPlan):
    """`mapGroupsWithState`, `flatMapGroupsWithState`, `transformWithState`; the second child is the initial state."""

    key_deserializer: Expression
    value_deserializer: Expression
    grouping: tuple[Expression, ...] = accessor("groupingAttributes")
    output: tuple[Attribute, ...]


@spark_class(f"{_L}.CoGroup")
class CoGroup(LogicalPlan):
    """`cogroup` of typed Datasets."""

    key_deserializer: Expression
    left_deserializer: Expression
    right_deserializer: Expression
    left_key: tuple[Expression, ...] = accessor("leftGroup")
    right_key: tuple[Expression, ...] = accessor("rightGroup")
    left_order: tuple[Expression, ...]
    right_order: tuple[Expression, ...]
    output: tuple[Attribute, ...]
