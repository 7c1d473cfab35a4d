"""Lineage model: processes, their input and output datasets, and column dependencies.

The interface between Spark and Atlas: `lineage.extract` builds these values, and `atlas` reads nothing else. They know neither
Catalyst nodes nor entities, and contain no secrets and no literals.
"""

from __future__ import annotations

from sac_kafka.lineage.model.columns import (
    ColumnLineage,
    ColumnSource,
    Dependency,
    RowClause,
    are_copies,
    may_hold_literals,
)
from sac_kafka.lineage.model.datasets import (
    KINDS_OF_DATASET,
    Column,
    Database,
    Dataset,
    HBaseDataset,
    KindOfDataset,
    ModelDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
    kind_of,
    load,
)
from sac_kafka.lineage.model.processes import (
    Application,
    Change,
    ColumnRenamed,
    DatabaseDefined,
    DatabaseDropped,
    DatasetRead,
    Outcome,
    Process,
    Requester,
    Run,
    SessionFacts,
    Stream,
    TableDefined,
    TableDropped,
    TableRenamed,
)

__all__ = [
    "KINDS_OF_DATASET",
    "Application",
    "Change",
    "Column",
    "ColumnLineage",
    "ColumnRenamed",
    "ColumnSource",
    "Database",
    "DatabaseDefined",
    "DatabaseDropped",
    "Dataset",
    "DatasetRead",
    "Dependency",
    "HBaseDataset",
    "KindOfDataset",
    "ModelDataset",
    "OtherDataset",
    "Outcome",
    "PathDataset",
    "Process",
    "RdbmsDataset",
    "Requester",
    "RowClause",
    "Run",
    "SessionFacts",
    "Stream",
    "TableDataset",
    "TableDefined",
    "TableDropped",
    "TableRenamed",
    "TopicDataset",
    "are_copies",
    "kind_of",
    "load",
    "may_hold_literals",
]
