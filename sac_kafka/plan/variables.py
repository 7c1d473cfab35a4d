"""Declare SQL variables of sessions and scripts (Spark 4), and the commands that set them."""

from __future__ import annotations

from sac_kafka.plan.commands_without_write import CommandWithoutWrite
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_tables import Identifier

_C = "org.apache.spark.sql.catalyst"
_SESSION = ("session",)


@spark_class(f"{_C}.expressions.VariableReference")
class Variable(Expression):
    """A use of a variable; `parts` are its name as written, `identifier` names it within its session."""

    parts: tuple[str, ...] = accessor("originalNameParts", default=())
    identifier: Identifier | None = accessor("identifier", default=None)


@spark_class(f"{_C}.analysis.ResolvedIdentifier")
class ResolvedIdentifier(LogicalPlan):
    """A name that need not exist in a catalog."""

    identifier: Identifier | None = accessor("identifier", default=None)


@spark_class(f"{_C}.plans.logical.CreateVariable")
class CreateVariable(CommandWithoutWrite):
    """DECLARE VARIABLE. Children: the names; `default` may use other variables, never a query."""

    default: Expression | None = accessor("defaultExpr", default=None)


@spark_class(f"{_C}.plans.logical.SetVariable")
class SetVariable(CommandWithoutWrite):
    """SET VARIABLE, and EXECUTE IMMEDIATE … INTO: the columns of the single row of `query` are the values of `targets`."""

    targets: tuple[Expression, ...] = accessor("targetVariables", default=())
    query: LogicalPlan | None = accessor("sourceQuery", default=None)


@spark_class(f"{_C}.plans.logical.DropVariable")
class DropVariable(CommandWithoutWrite):
    """DROP TEMPORARY VARIABLE. Child: the name."""


def name_of(identifier: Identifier) -> tuple[str, ...]:
    """Return the name of a variable in lower case, after the label of its script's block, or `session` for a session variable."""
    return (*(part.lower() for part in identifier.namespace), identifier.name.lower())


def is_local(name: tuple[str, ...]) -> bool:
    """Return whether a name is that of a script's variable."""
    return name[:-1] != _SESSION
