"""What the session catalog says of itself: `org.apache.spark.sql.catalyst.catalog.ExternalCatalogEvent`.

The events carry names only. The listener looks the definition up in the catalog as soon as it projects the event: it is
None where the table or database is gone by then, or where definitions are not looked up (a remote metastore). The events
of what is gone or moved say which, `is_looked_up`: a recorded batch knows then whether the catalog is ours to describe.
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
    """A table or view was altered; `kind` is what: table, dataSchema, schema (Spark 4.3), stats."""

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
    """A database was dropped; what was in it went before, without events of its own."""

    database: str
    is_looked_up: bool = accessor("@isLookedUp")


CatalogEvent = (
    CreateTableEvent | AlterTableEvent | RenameTableEvent | DropTableEvent | DatabaseEvent | DropDatabaseEvent
)
