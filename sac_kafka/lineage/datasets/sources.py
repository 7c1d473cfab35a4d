"""Systems that hold rows themselves, one row a system: how Spark names them, and which dataset is meant.

A relation or table that is read or written, `save`, CREATE TABLE … USING and its AS SELECT, the events of the catalog and
catalogs over such a system all ask here. A table that Spark's catalog makes over one of them is only a name: the dataset is
there. The rows are `SOURCES`, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.lineage.datasets.foreign_queries import jdbc_reading
from sac_kafka.lineage.datasets.hbase import hbase_table
from sac_kafka.lineage.datasets.jdbc import name_parts, rdbms_table
from sac_kafka.lineage.datasets.kafka import RECORD, topics, topics_read
from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.model import Column, Dataset
from sac_kafka.plan.relations import HBaseRelation, JDBCRelation, KafkaRelation
from sac_kafka.plan.v2_tables import JDBCTable

SourceOptions = Mapping[str, str]
_Naming = Callable[[SourceOptions, tuple[Column, ...]], Dataset | None]
_Reading = Callable[[Any, tuple[Column, ...]], Reading | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A system and how Spark names it.

    Attributes:
        names: What USING and `format` call it, short names and packages, in small letters.
        classes: The beginnings of the classes of its providers, and of its V2 tables.
        catalogs: The beginnings of the classes of catalogs over it: their tables are known by where they are.
        reads: What a relation or table of it is, by the class that `plan` declares for it.
        dataset: What options name, None where they name nothing; no function where options never do.
        columns: The only columns that it keeps, None for all.
        unnamed: What is counted where a `save` does not say what it writes.
        path_is_a_name: The option `path` is no path.
    """

    names: frozenset[str] = frozenset()
    classes: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()
    reads: Mapping[type, _Reading] = field(default_factory=dict)
    dataset: _Naming | None = None
    columns: frozenset[str] | None = None
    unnamed: str | None = None
    path_is_a_name: bool = False

    def keeps(self, column: str) -> bool:
        """True for the columns that the system keeps."""
        return self.columns is None or column in self.columns

    def named(self, options: SourceOptions, of: tuple[Column, ...]) -> Dataset | None:
        """The dataset that options name, with those of the columns that it keeps."""
        return None if self.dataset is None else self.dataset(options, tuple(c for c in of if self.keeps(c.name)))


def source_of(provider: str | None) -> Source | None:
    """The system behind a provider, by what a statement calls it or by its class; None where rows are where they seem."""
    if provider is None:
        return None
    name = provider.lower()
    return next((s for s in SOURCES if name in s.names or provider.startswith(s.classes)), None)


def is_elsewhere(provider: str | None) -> bool:
    """True where a table of a catalog is only a name for what a system holds that options can name."""
    source = source_of(provider)
    return source is not None and source.dataset is not None


def dataset_elsewhere(provider: str | None, options: SourceOptions, of: tuple[Column, ...]) -> Dataset | None:
    """What a table of a catalog is only a name for; None where its rows are its own, or nobody says where they are."""
    source = source_of(provider)
    return None if source is None else source.named(options, of)


def has_tables_elsewhere(catalog_class: str) -> bool:
    """True for catalogs over such a system."""
    return any(catalog_class.startswith(s.catalogs) for s in SOURCES)


def path_is_a_name(provider: str) -> bool:
    """True where the option `path` of a provider is no path."""
    source = source_of(provider)
    return source is not None and source.path_is_a_name


def source_reading(found: object, of: tuple[Column, ...]) -> Reading | None:
    """What a declared relation or table of a system is; None where it is of none."""
    read = next((s.reads[type(found)] for s in SOURCES if type(found) in s.reads), None)
    return None if read is None else read(found, of)


def _jdbc(options: SourceOptions, of: tuple[Column, ...]) -> Dataset | None:
    name = options.get("dbtable")
    return rdbms_table(options.get("url", ""), name_parts(name), of) if name else None


def _topic(options: SourceOptions, of: tuple[Column, ...]) -> Dataset | None:
    found = topics((options["topic"],), options, of) if "topic" in options else ()
    return found[0] if found else None


def _topics(relation: KafkaRelation, of: tuple[Column, ...]) -> Reading:
    options = relation.options or {}
    names = topics_read(options)
    reasons = () if names else ("topics not known: they are read by a pattern",)
    return Reading(datasets=topics(names, options, of), counts=reasons)


def _hbase(relation: HBaseRelation, of: tuple[Column, ...]) -> Reading | None:
    return reading_of(hbase_table(relation.options or {}, of))


_X = "org.apache.spark.sql.execution.datasources"
_JDBC_UNNAMED = "sink not understood: JDBC without a URL and a table"

SOURCES = (
    Source(
        names=frozenset({"jdbc", "org.apache.spark.sql.jdbc"}),
        classes=(f"{_X}.jdbc.",),
        catalogs=(f"{_X}.v2.jdbc.",),
        reads={JDBCRelation: jdbc_reading, JDBCTable: jdbc_reading},
        dataset=_jdbc,
        unnamed=_JDBC_UNNAMED,
    ),
    Source(
        names=frozenset({"com.microsoft.sqlserver.jdbc.spark"}),
        classes=("com.microsoft.sqlserver.jdbc.spark.",),
        dataset=_jdbc,
        unnamed=_JDBC_UNNAMED,
    ),
    Source(
        names=frozenset({"kafka", "org.apache.spark.sql.kafka010"}),
        classes=("org.apache.spark.sql.kafka010.",),
        reads={KafkaRelation: _topics},
        dataset=_topic,
        columns=RECORD,
        unnamed="topics not known: each row names its own",
    ),
    Source(
        names=frozenset({f"{_X}.hbase", "org.apache.hadoop.hbase.spark"}),
        classes=(f"{_X}.hbase.", "org.apache.hadoop.hbase.spark."),
        reads={HBaseRelation: _hbase},
        dataset=hbase_table,
        unnamed="sink not understood: HBase without a table",
    ),
    Source(
        names=frozenset({"es", "org.elasticsearch.spark.sql"}),
        classes=("org.elasticsearch.",),
        path_is_a_name=True,  # an index
    ),
)
