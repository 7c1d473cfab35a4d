"""Declare an external data system: Spark's names for it, and what identifies its datasets; name those of unknown systems."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.model import Column, Dataset, OtherDataset
from sac_kafka.names.other_datasets import IS_QUERY as IS_QUERY
from sac_kafka.names.other_datasets import host_of, other_dataset
from sac_kafka.plan.options import ANY_HOST, ANY_LEVELS, ANY_NAME, JDBC

SourceOptions = Mapping[str, str]
_Naming = Callable[[SourceOptions, tuple[Column, ...]], Dataset | None]
_Reading = Callable[[Any, tuple[Column, ...]], Reading | Dataset | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An external data system.

    Attributes:
        names: Its names in USING and `format` (short names and packages), in lower case.
        classes: Prefixes of the classes of its providers and V2 tables.
        catalogs: Prefixes of the classes of catalogs over it, whose tables are named as datasets of this system.
        reads: Functions that identify a relation or table, by the class that `plan` or a plug-in declares for it.
        dataset: A function that identifies a dataset by options, or returns None if they do not name one; None if options
            never do.
        columns: The only columns that it stores, None for all.
        own_columns: Columns that it computes itself, even if a query has columns of these names; in lower case.
        deletes: A function that returns True if the options of a `save` request the deletion of its rows.
        unnamed: The reason to be counted if a `save` does not identify its dataset.
        path_is_a_name: True if the option `path` is not a path.
        options: Only for plug-ins: the keys of the options that identify a dataset, which the listener then captures. Those
            of the built-in systems are in `plan.options`.
    """

    names: frozenset[str] = frozenset()
    classes: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()
    reads: Mapping[type, _Reading] = field(default_factory=dict)
    dataset: _Naming | None = None
    columns: frozenset[str] | None = None
    own_columns: frozenset[str] = frozenset()
    deletes: Callable[[SourceOptions], bool] = lambda _: False
    unnamed: str | None = None
    path_is_a_name: bool = False
    options: tuple[str, ...] = ()

    def keeps(self, column: str) -> bool:
        """Return True if the system stores a column of a query."""
        return (self.columns is None or column in self.columns) and column.lower() not in self.own_columns

    def identify(self, options: SourceOptions, columns: tuple[Column, ...]) -> Dataset | None:
        """Return the dataset that options identify, with the columns that the system stores; None if they do not."""
        return None if self.dataset is None else self.dataset(options, tuple(c for c in columns if self.keeps(c.name)))


def connector(
    title: str,
    needs: str,
    dataset: _Naming,
    *names: str,
    classes: tuple[str, ...] = (),
    **more: Any,  # noqa: ANN401 further fields of Source
) -> Source:
    """Return the row of a connector whose options name a dataset.

    `title` is how people call it, `needs` what the options must have. Without `classes`, its names are packages, or short names.
    """
    packages = classes or tuple(f"{name}." for name in names if name.count(".") > 1)
    unnamed = f"sink not understood: {title} without {needs}"
    return Source(names=frozenset(names), classes=packages, dataset=dataset, unnamed=unnamed, **more)


_URL = re.compile(r"(?P<place>[A-Za-z][\w+.-]*://[^?#;]*)")
_RANDOM = re.compile(r"(?=[^/]*[0-9])(?=[^/]*[A-Za-z])[A-Za-z0-9_-]{20,}|(?s:.*\*\*\*.*)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_PACKAGE_LEVELS = 3
_OF_SPARK = "org.apache.spark."
_OF_PYTHON = ".v2.python.PythonTable"
"""Suffix of the class of tables of Python data sources, which are named after the source."""


def first(options: SourceOptions, *keys: str) -> str | None:
    """Return the value of the first of these options that is set and not blank; None if none is."""
    return next((options[key].strip() for key in keys if options.get(key, "").strip()), None)


def dataset_by_options(
    spark_class: str, options: SourceOptions, columns: tuple[Column, ...], name: str = ""
) -> OtherDataset | None:
    """Name the dataset of an unknown connector by its options, else by `name`; None if neither identifies it.

    The system is the prefix of the Java package that the connector's relations, tables and providers have in common.
    """
    places = [first(options, *keys) for keys in ANY_LEVELS]
    named = first(options, *ANY_NAME) or first(options, *JDBC[1:]) or first(options, "topic")
    address = first(options, JDBC[0], *ANY_HOST)
    if named == IS_QUERY or (named is None and "query" in options):
        return None
    system = name if spark_class.endswith(_OF_PYTHON) and name else system_of(spark_class)
    words = f"of the unknown connector {system}"
    if named is not None:
        parts = (*(place for place in places if place), named)
        return other_dataset(system, parts, words, columns, host=host_of(address))
    if address is not None and (match := _URL.match(address)):
        path = match["place"].partition("://")[2].partition("/")[2].strip("/")
        if path and not any(_RANDOM.fullmatch(segment) for segment in path.split("/")):
            return other_dataset(system, path.split("/"), words, columns, host=host_of(address))
    return other_dataset(system, (name,), words, columns) if _is_name(name, spark_class) else None


def python_source_dataset(spark_class: str, name: str, path: str, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Return the dataset that the path of a Python data source names; None if it is a file system path.

    Spark passes the argument of `load` to such a source unchanged, so `owner/repo` may be a name.
    """
    if not spark_class.endswith(_OF_PYTHON) or path.startswith("/") or _SCHEME.match(path) or not name:
        return None
    words = f"of the unknown connector {name}"
    return other_dataset(name, path.strip("/").split("/"), words, columns)


def system_of(spark_class: str) -> str:
    """Return the first levels of the Java package of a class.

    >>> system_of("com.example.spark.v2.ExampleTable"), system_of("Example")
    ('com.example.spark', 'Example')
    """
    package = spark_class.rpartition(".")[0] or spark_class
    if package.startswith(_OF_SPARK):
        return package
    return ".".join(package.split(".")[:_PACKAGE_LEVELS])


def _is_name(name: str, spark_class: str) -> bool:
    """Return True if a table's name identifies it, unlike that of Spark's own formats (rate, console) or a class name."""
    simple = spark_class.rpartition(".")[2].lower()
    return bool(name) and not spark_class.startswith(_OF_SPARK) and not simple.startswith(name.lower().split("(")[0])
