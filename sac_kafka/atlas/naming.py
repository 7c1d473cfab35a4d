"""What decides how things are called: the choices of the settings and of the session, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.choices import Compat, PathTypes, TableModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """How datasets are called.

    `namespace` is `atlas.metadata.namespace`. `has_dataset_columns` is False where columns of paths and topics
    (avro_schema, avro_field) are not to be sent. `application_id` and `application_name` and `metastore` (what SAC puts
    before the names of its tables, None for an application's own catalog) count under `Compat.SAC` only.
    """

    namespace: str
    table_model: TableModel = TableModel.SPARK
    path_types: PathTypes = PathTypes.NATIVE
    has_dataset_columns: bool = True
    compat: Compat = Compat.ATLAS
    application_id: str = ""
    application_name: str = ""
    metastore: str | None = None

    def is_hive(self, catalog: str | None) -> bool:
        """True where a Hive hook describes the tables of this catalog: it knows those of the session catalog (None)."""
        return self.table_model is TableModel.HIVE and catalog is None
