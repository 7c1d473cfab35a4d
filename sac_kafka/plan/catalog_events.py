"""Declare the events of the session catalog: `org.apache.spark.sql.catalyst.catalog.ExternalCatalogEvent`.

The events contain names only. The listener looks the definition up in the catalog when it projects the event: it is None if the
table or database no longer exists by then, or if lookups are disabled (a remote metastore). Events that drop or rename have
`is_looked_up` instead, so that a recorded batch shows whether lookups were enabled.
"""

from __future__ import annotations

from sac_kafka.plan.catalog import CatalogDatabase, CatalogTable
from sac_kafka.plan.declaration import accessor, spark_class

_C = "org.apache.spark.sql.catalyst.catalog"


@spark_class(f"{_C}.CreateTableEvent")
class CreateTableEvent:
    """A table or view was created."""

    database: str
    name: str
    definition: CatalogTable | None = accessor("@definition")


@spark_class(f"{_C}.AlterTableEvent")
class AlterTableEvent:
    """A table or view was altered; `kind` is the altered part: table, dataSchema, schema (Spark 4.3), stats."""

    database: str
    name: str
    kind: str
    definition: CatalogTable | None = accessor("@definition")


@spark_class(f"{_C}.RenameTableEvent")
class RenameTableEvent:
    """A table or view was renamed within its database; `definition` is that of the new name."""

    database: str
    name: str
    new_name: str
    definition: CatalogTable | None = accessor("@definition")
    is_looked_up: bool = accessor("@isLookedUp")


@spark_class(f"{_C}.DropTableEvent")
class DropTableEvent:
    """A table or view was dropped."""

    database: str
    name: str
    is_looked_up: bool = accessor("@isLookedUp")


@spark_class(f"{_C}.CreateDatabaseEvent", f"{_C}.AlterDatabaseEvent")
class DatabaseEvent:
    """A database was created or altered."""

    database: str
    definition: CatalogDatabase | None = accessor("@definition")


@spark_class(f"{_C}.DropDatabaseEvent")
class DropDatabaseEvent:
    """A database was dropped with everything in it, for which there are no events."""

    database: str
    is_looked_up: bool = accessor("@isLookedUp")


CatalogEvent = (
    CreateTableEvent | AlterTableEvent | RenameTableEvent | DropTableEvent | DatabaseEvent | DropDatabaseEvent
)
