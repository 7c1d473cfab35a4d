"""Declare commands that define views of V2 catalogs (`ViewCatalog`, Spark 4.3), which differ from those of the session catalog.

A query over such a view contains it as any other view (`operators.View`).
"""

from __future__ import annotations

from sac_kafka.plan.commands import ViewColumn
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_tables import Identifier

_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class()
class V2ViewCommand(LogicalPlan):
    """A command that defines the query of a view; its `names` may rename the query's columns."""

    catalog: str | None = accessor("child.catalog.name", default=None)
    catalog_class: str | None = accessor("child.catalog.getClass", default=None)
    identifier: Identifier | None = accessor("child.identifier", default=None)
    query: LogicalPlan | None = accessor("query", default=None)
    query_output: tuple[Attribute, ...] = accessor("query.output", default=())

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the statement gives the view's columns; empty if they are the query's."""
        return ()

    @property
    def may_exist(self) -> bool:
        """Whether IF NOT EXISTS is given: the command may have had no effect."""
        return False


@spark_class(f"{_L}.CreateView")
class CreateV2View(V2ViewCommand):
    """CREATE VIEW; with `allow_existing` (IF NOT EXISTS) it may have had no effect."""

    columns: tuple[ViewColumn, ...] = accessor("userSpecifiedColumns", default=())
    allow_existing: bool = accessor("allowExisting", default=False)

    @property
    def names(self) -> tuple[str, ...]:
        """As in `V2ViewCommand`."""
        return tuple(column.name for column in self.columns)

    @property
    def may_exist(self) -> bool:
        """As in `V2ViewCommand`."""
        return self.allow_existing


@spark_class(f"{_L}.AlterViewAs")
class AlterV2ViewAs(V2ViewCommand):
    """ALTER VIEW … AS."""
