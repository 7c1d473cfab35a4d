"""Hold the choices of settings and session that determine the names of entities."""

from __future__ import annotations

from dataclasses import dataclass, field

from sac_kafka.settings.declarations.choices import Compat, TableModel
from sac_kafka.settings.names import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """Choices that determine the names of datasets.

    Attributes:
        names: The settings of names.
        table_model: The types of tables in the session catalog.
        has_dataset_columns: False if columns of paths, topics and the like (avro_schema, avro_field) are not sent.
        sac_prefix: The prefix of table names under `compat = sac`: the metastore's URL, or the id of the application if the
            catalog belongs to the application alone.
        namespace: The text after the @ (`atlas.metadata.namespace`).
        is_sac: Whether the names are those of the Spark Atlas Connector.
    """

    names: Names
    table_model: TableModel = TableModel.SPARK
    has_dataset_columns: bool = True
    sac_prefix: str = ""
    namespace: str = field(init=False)
    is_sac: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "namespace", self.names.namespace)
        object.__setattr__(self, "is_sac", self.names.compat is Compat.SAC)

    def is_hive(self, catalog: str | None) -> bool:
        """Return True if a Hive hook describes the tables of this catalog, which is the session catalog (None)."""
        return self.table_model is TableModel.HIVE and catalog is None
