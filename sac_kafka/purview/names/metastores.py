"""Name tables of metastores: of Hive by the workspace or the namespace, of Unity Catalog by its id."""

from __future__ import annotations

from sac_kafka.model import RdbmsDataset, TableDataset
from sac_kafka.purview.asset import Asset, join, join_by_dots, plain_host, unknown
from sac_kafka.purview.naming_context import NamingContext

WITHOUT_METASTORE_ID = "Unity Catalog without the id of its metastore"
"""The rule of a table whose asset cannot be named before the id is set."""


def hive_table(database: str, name: str, server: str, *, is_view: bool = False, rule: str = "Hive metastore") -> Asset:
    """Return `db.table@server` in lower case, as stored in the metastore.

    >>> hive_table("Sales", "Orders", "adb-1.2.azuredatabricks.net").qualified_name
    'sales.orders@adb-1.2.azuredatabricks.net'
    """
    return Asset(
        type_name="hive_view" if is_view else "hive_table",
        qualified_name=f"{join_by_dots(database.lower(), name.lower())}@{server}",
        name=name.lower(),
        rule=f"{rule} {'view' if is_view else 'table'}",
    )


def hive_server(dataset: RdbmsDataset, naming_context: NamingContext) -> Asset:
    """Return the asset of a table accessed through HiveServer2."""
    server = plain_host(dataset.host) or naming_context.namespace
    return hive_table(dataset.database or "default", dataset.table, server)


_HIVE_CATALOGS = frozenset({"hive_metastore", "spark_catalog"})
"""Names of the workspace's Hive metastore in a workspace with Unity Catalog."""
_HIVE_RULE = "Databricks Hive metastore"


def is_unity(catalog: str | None, naming_context: NamingContext) -> bool:
    """Return True if a catalog belongs to Unity Catalog.

    That is any catalog on Databricks, or if the metastore is set, except the Hive metastore and catalogs defined in Spark's
    settings (`spark.sql.catalog.<name>`), such as those of Iceberg or JDBC.
    """
    if catalog is None or catalog.lower() in _HIVE_CATALOGS or catalog in naming_context.configured_catalogs:
        return False
    return bool(naming_context.workspace_host or naming_context.metastore_id)


def databricks_table(dataset: TableDataset, naming_context: NamingContext) -> Asset | None:
    """Return the asset of a Databricks table; None outside of Databricks and for catalogs defined in Spark's settings."""
    if is_unity(dataset.catalog, naming_context):
        levels = (dataset.catalog or "", dataset.database, dataset.name)
        return _unity_table(levels, naming_context.workspace_host, naming_context.metastore_id, is_view=dataset.is_view)
    is_hive = dataset.catalog is None or dataset.catalog.lower() in _HIVE_CATALOGS
    if naming_context.workspace_host and is_hive:
        host = plain_host(naming_context.workspace_host)
        return hive_table(dataset.database, dataset.name, host, is_view=dataset.is_view, rule=_HIVE_RULE)
    return None


def databricks_sql(dataset: RdbmsDataset, naming_context: NamingContext) -> Asset:
    """Return the asset of a table accessed through a SQL warehouse of Databricks.

    The metastore is assumed to be that of the naming context, as a region has only one.
    """
    host, schema = plain_host(dataset.host), dataset.schema or "default"
    if dataset.database.lower() in _HIVE_CATALOGS:
        return hive_table(schema, dataset.table, host, rule=_HIVE_RULE)
    if not dataset.database:
        name = f"databricks://{host}/{join('schemas', schema, 'tables', dataset.table)}"
        return unknown(name, name=dataset.table, rule="Databricks SQL without a catalog")
    return _unity_table((dataset.database, schema, dataset.table), host, naming_context.metastore_id, is_view=False)


def _unity_table(levels: tuple[str, str, str], host: str, metastore: str, *, is_view: bool) -> Asset:
    """Return the asset of a Unity Catalog table in lower case; a `DataSet` if the id of its metastore is unknown."""
    catalog, schema, table = (level.lower() for level in levels)
    path = join("catalogs", catalog, "schemas", schema, "views" if is_view else "tables", table)
    metastore_id = metastore.rpartition(":")[2].strip().lower()  # current_metastore(): azure:region:id
    if not metastore_id:
        name = f"databricks://{plain_host(host)}/{path}"
        return unknown(name, name=table, rule=WITHOUT_METASTORE_ID)
    return Asset(
        type_name="databricks_view" if is_view else "databricks_table",
        qualified_name=f"databricks://{metastore_id}/{path}",
        name=table,
        rule=f"Unity Catalog {'view' if is_view else 'table'}",
    )
