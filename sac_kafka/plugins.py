"""Public API of plug-ins, which add support for data sources as instances of `Source`.

A package declares them under the entry point `sac_kafka.plugins`; docs/plugins.md has a complete example.

    [project.entry-points."sac_kafka.plugins"]
    acme = "acme_lineage:SOURCES"

Importing this module loads neither PySpark nor a Kafka client.
"""

from __future__ import annotations

from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.systems.source import Source, SourceOptions
from sac_kafka.model import (
    Column,
    Dataset,
    HBaseDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.plan.declaration import accessor
from sac_kafka.plan.declaration import offered_class as spark_class

__all__ = [
    "Column",
    "Dataset",
    "HBaseDataset",
    "OtherDataset",
    "PathDataset",
    "RdbmsDataset",
    "Reading",
    "Source",
    "SourceOptions",
    "TableDataset",
    "TopicDataset",
    "accessor",
    "reading_of",
    "spark_class",
]
