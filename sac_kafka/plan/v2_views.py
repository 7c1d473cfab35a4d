"""Views of V2 catalogs (`ViewCatalog`, Spark 4.3): the commands that make them are not turned into those of the session catalog.

A query over such a view shows it as any other view (`operators.View`).
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
    """A command that gives a view a query; with `columns` other names for that query's."""

    catalog: str | None = accessor("child.catalog.name", default=None)
    catalog_class: str | None = accessor("child.catalog.getClass", default=None)
    identifier: Identifier | None = accessor("child.identifier", default=None)
    query: LogicalPlan | None = accessor("query", default=None)
    query_output: tuple[Attribute, ...] = accessor("query.output", default=())

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the statement gives the view's columns; none where they are the query's."""
        return ()

    @property
    def may_exist(self) -> bool:
        """True for IF NOT EXISTS: nothing may have happened."""
        return False


@spark_class(f"{_L}.CreateView")
class CreateV2View(V2ViewCommand):
    """CREATE VIEW; with `allow_existing` (IF NOT EXISTS) nothing may have happened."""

    columns: tuple[ViewColumn, ...] = accessor("userSpecifiedColumns", default=())
    allow_existing: bool = accessor("allowExisting", default=False)

    @property
    def names(self) -> tuple[str, ...]:
        """As of every such command."""
        return tuple(column.name for column in self.columns)

    @property
    def may_exist(self) -> bool:
        """As of every such command."""
        return self.allow_existing


@spark_class(f"{_L}.AlterViewAs")
class AlterV2ViewAs(V2ViewCommand):
    """ALTER VIEW … AS."""
