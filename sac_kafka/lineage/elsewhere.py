"""Systems that hold rows themselves: a table that a catalog makes over one of them is only a name, the dataset is there.

One row a system. The sink that saves rows, CREATE TABLE … USING, its AS SELECT, the events of the catalog and catalogs of
the system's own all ask here whether rows are elsewhere, and where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sac_kafka.lineage.hbase import hbase_table
from sac_kafka.lineage.jdbc import name_parts, rdbms_table
from sac_kafka.lineage.kafka import RECORD, topics
from sac_kafka.lineage.model import Column, Dataset

Options = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A system and how Spark names it.

    `names` are short names and packages that USING and `format` take, in small letters; `classes` the beginnings of the
    classes of its providers, `catalogs` those of catalogs over it. `dataset` gives what options name, None where they name
    nothing, which is counted as `unnamed`. `columns` are the only columns that it keeps, None for all.
    """

    names: frozenset[str]
    classes: tuple[str, ...]
    dataset: Callable[[Options, tuple[Column, ...]], Dataset | None]
    unnamed: str
    catalogs: tuple[str, ...] = ()
    columns: frozenset[str] | None = None


def _jdbc(options: Options, of: tuple[Column, ...]) -> Dataset | None:
    name = options.get("dbtable")
    return rdbms_table(options.get("url", ""), name_parts(name), of) if name else None


def _kafka(options: Options, of: tuple[Column, ...]) -> Dataset | None:
    found = topics((options["topic"],), options, of) if "topic" in options else ()
    return found[0] if found else None


_JDBC_UNNAMED = "sink not understood: JDBC without a URL and a table"
_DATASOURCES = "org.apache.spark.sql.execution.datasources"

SYSTEMS = (
    System(
        names=frozenset({"jdbc", "org.apache.spark.sql.jdbc"}),
        classes=(f"{_DATASOURCES}.jdbc.",),
        catalogs=(f"{_DATASOURCES}.v2.jdbc.",),
        dataset=_jdbc,
        unnamed=_JDBC_UNNAMED,
    ),
    System(
        names=frozenset({"com.microsoft.sqlserver.jdbc.spark"}),
        classes=("com.microsoft.sqlserver.jdbc.spark.",),
        dataset=_jdbc,
        unnamed=_JDBC_UNNAMED,
    ),
    System(
        names=frozenset({"kafka", "org.apache.spark.sql.kafka010"}),
        classes=("org.apache.spark.sql.kafka010.",),
        dataset=_kafka,
        unnamed="topics not known: each row names its own",
        columns=RECORD,
    ),
    System(
        names=frozenset({f"{_DATASOURCES}.hbase", "org.apache.hadoop.hbase.spark"}),
        classes=(f"{_DATASOURCES}.hbase.", "org.apache.hadoop.hbase.spark."),
        dataset=hbase_table,
        unnamed="sink not understood: HBase without a table",
    ),
)


def system_of(provider: str | None) -> System | None:
    """The system behind a provider, by what a statement calls it or by its class; None where rows are where they seem."""
    if provider is None:
        return None
    name = provider.lower()
    return next((s for s in SYSTEMS if name in s.names or provider.startswith(s.classes)), None)


def has_tables_elsewhere(catalog_class: str) -> bool:
    """True for catalogs of such a system: their tables are known by where they are."""
    return any(catalog_class.startswith(s.catalogs) for s in SYSTEMS if s.catalogs)


def dataset_elsewhere(provider: str | None, options: Options, of: tuple[Column, ...]) -> Dataset | None:
    """What a table of a catalog is only a name for; None where its rows are its own, or nobody says where they are."""
    system = system_of(provider)
    if system is None:
        return None
    kept = of if system.columns is None else tuple(c for c in of if c.name in system.columns)
    return system.dataset(options, kept)
