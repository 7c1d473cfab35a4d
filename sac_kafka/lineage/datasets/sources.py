"""Look up external data systems by Spark's names for them, and identify their datasets.

Used for relations and tables that are read or written, `save`, CREATE TABLE … USING, catalog events, and catalogs over such a
system. A table of Spark's catalog over an external system is only an alias; its dataset is that of the system. The modules
in `systems/` declare the systems; plug-ins add more (`sac_kafka.plugins`).
"""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.systems import hudi_reads, jdbc, kafka, stores, warehouses
from sac_kafka.lineage.datasets.systems.source import Source, SourceOptions, dataset_by_options
from sac_kafka.model import Column, Dataset
from sac_kafka.model.gaps import NAMED_BY_OPTIONS
from sac_kafka.names.other_datasets import IS_QUERY

SOURCES: tuple[Source, ...] = (
    *jdbc.SOURCES,
    *kafka.SOURCES,
    *warehouses.SOURCES,
    *stores.SOURCES,
    *hudi_reads.SOURCES,
)
_all = SOURCES
"""The built-in systems and those of plug-ins."""


def plug_in(sources: Iterable[Source]) -> None:
    """Add the sources of plug-ins; existing ones have priority."""
    global _all
    _all = (*_all, *sources)


def source_of(provider: str | None) -> Source | None:
    """Return the system of a provider (short name or class); None if it is not an external system."""
    if provider is None:
        return None
    name = provider.lower()
    return next((s for s in _all if name in s.names or provider.startswith(s.classes)), None)


def is_external(provider: str | None) -> bool:
    """Return True if a catalog table of this provider is an alias of a dataset that its options can name."""
    source = source_of(provider)
    return source is not None and source.dataset is not None


def external_dataset(provider: str | None, options: SourceOptions, columns: tuple[Column, ...]) -> Dataset | None:
    """Return the dataset of which a catalog table is an alias; None if it holds its own rows, or the options do not name it."""
    source = source_of(provider)
    return None if source is None else source.identify(options, columns)


def has_external_tables(catalog_class: str) -> bool:
    """Return True for a catalog over an external system."""
    return any(catalog_class.startswith(s.catalogs) for s in _all)


def path_is_a_name(provider: str) -> bool:
    """Return True if the option `path` of a provider is not a path."""
    source = source_of(provider)
    return source is not None and source.path_is_a_name


def source_reading(source: object, columns: tuple[Column, ...]) -> Reading | None:
    """Return the reading of a declared relation or table of an external system; None if it belongs to none."""
    read = next((s.reads[type(source)] for s in _all if type(source) in s.reads), None)
    given = None if read is None else read(source, columns)
    return given if isinstance(given, Reading) else reading_of(given)


def reading_by_options(
    spark_class: str, options: SourceOptions, columns: tuple[Column, ...], name: str = ""
) -> Reading | None:
    """Return the dataset that the options (or `name`) identify for a class of a known or unknown connector.

    Return None if they identify none; a query executed by the system is counted as not understood.
    """
    source = source_of(spark_class)
    if source is not None and source.dataset is not None:
        dataset = source.identify(options, columns)
    elif source is None:
        dataset = dataset_by_options(spark_class, options, columns, name)
    else:
        dataset = None
    if dataset is None:
        is_query = IS_QUERY in (options.get("query"), options.get("dbtable"), options.get("table"))
        return Reading(counts=(f"query not understood: {spark_class}",)) if is_query else None
    return Reading(datasets=(dataset,), counts=() if source else (f"{NAMED_BY_OPTIONS}{spark_class}",))
