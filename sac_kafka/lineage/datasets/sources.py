"""Systems that hold rows themselves: how Spark names them, and which dataset is meant.

A relation or table that is read or written, `save`, CREATE TABLE … USING and its AS SELECT, the events of the catalog and
catalogs over such a system all ask here. A table that Spark's catalog makes over one of them is only a name: the dataset is
there. Each file of `systems/` has the rows of one system; those of plug-ins come behind them (`sac_kafka.sources`).
"""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.systems import cassandra, hbase, hudi_reads, jdbc, kafka, stores, warehouses
from sac_kafka.lineage.datasets.systems.others import IS_QUERY, guessed
from sac_kafka.lineage.datasets.systems.source import Source, SourceOptions
from sac_kafka.lineage.model import Column, Dataset

SOURCES: tuple[Source, ...] = (
    *jdbc.SOURCES,
    *kafka.SOURCES,
    *hbase.SOURCES,
    *warehouses.SOURCES,
    *cassandra.SOURCES,
    *stores.SOURCES,
    *hudi_reads.SOURCES,
)
_plugged: tuple[Source, ...] = ()


def plug_in(sources: Iterable[Source]) -> None:
    """Ask these too from now on; none of them is to clash with one that is there."""
    global _plugged
    _plugged = (*_plugged, *sources)


def all_sources() -> tuple[Source, ...]:
    """The systems that the hook knows, and those of plug-ins."""
    return (*SOURCES, *_plugged)


def source_of(provider: str | None) -> Source | None:
    """The system behind a provider, by what a statement calls it or by its class; None where rows are where they seem."""
    if provider is None:
        return None
    name = provider.lower()
    return next((s for s in all_sources() if name in s.names or provider.startswith(s.classes)), None)


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
    return any(catalog_class.startswith(s.catalogs) for s in all_sources())


def path_is_a_name(provider: str) -> bool:
    """True where the option `path` of a provider is no path."""
    source = source_of(provider)
    return source is not None and source.path_is_a_name


def source_reading(found: object, of: tuple[Column, ...]) -> Reading | None:
    """What a declared relation or table of a system is; None where it is of none."""
    read = next((s.reads[type(found)] for s in all_sources() if type(found) in s.reads), None)
    given = None if read is None else read(found, of)
    return given if given is None or isinstance(given, Reading) else reading_of(given)


def reading_by_options(
    spark_class: str, options: SourceOptions, of: tuple[Column, ...], name: str = ""
) -> Reading | None:
    """What options name: of the system of a class, or of one that nobody has heard of (else `name` does).

    None where nothing names anything; a query that a system runs itself is counted.
    """
    source = source_of(spark_class)
    if source is not None and source.dataset is not None:
        found = source.named(options, of)
    elif source is None:
        found = guessed(spark_class, options, of, name)
    else:
        found = None
    if found is None:
        is_query = IS_QUERY in (options.get("query"), options.get("dbtable"), options.get("table"))
        return Reading(counts=(f"query not understood: {spark_class}",)) if is_query else None
    return Reading(datasets=(found,), counts=() if source else (f"{NAMED_BY_OPTIONS}{spark_class}",))


NAMED_BY_OPTIONS = "connector not known, named by its options: "
"""What is counted of a class that only the general rule has a dataset for."""
