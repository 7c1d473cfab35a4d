"""Hold the choices of settings and session that determine the names of entities."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.choices import Compat, TableModel
from sac_kafka.settings.names import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """Choices that determine the names of datasets.

    `names` are as they are set. `has_dataset_columns` is False where columns of paths and topics (avro_schema, avro_field)
    are not to be sent. `sac_prefix` is what the Spark Atlas Connector puts before the names of its tables: the metastore's
    URL, or the id of the application whose own the catalog is.
    """

    names: Names
    table_model: TableModel = TableModel.SPARK
    has_dataset_columns: bool = True
    sac_prefix: str = ""

    @property
    def namespace(self) -> str:
        """The text after the @ (`atlas.metadata.namespace`)."""
        return self.names.namespace

    @property
    def is_sac(self) -> bool:
        """True if the names are those of the Spark Atlas Connector."""
        return self.names.compat is Compat.SAC

    def is_hive(self, catalog: str | None) -> bool:
        """Return True if a Hive hook describes the tables of this catalog, which is the session catalog (None)."""
        return self.table_model is TableModel.HIVE and catalog is None
