"""Resolve datasets given on the command line: a URI, a table, a JDBC URL or the options of a connector."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace

from sac_kafka.errors import ConfigurationError
from sac_kafka.lineage.datasets.sources import source_of
from sac_kafka.lineage.datasets.systems.jdbc_urls import name_parts, rdbms_table
from sac_kafka.lineage.datasets.systems.kafka import topics, topics_read
from sac_kafka.lineage.datasets.systems.others import IS_QUERY, dataset_by_options
from sac_kafka.lineage.model import Dataset, PathDataset
from sac_kafka.plan.options import TABLE_OPTIONS
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.rules import DATASETS
from sac_kafka.tools.cli.explaining import dataset_of, meant

_JDBC = "jdbc:"
_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "xml", "binaryfile", "delta", "iceberg", "hudi"})
"""File formats, whose datasets are paths."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the argument and options that name datasets."""
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="*",
        help="a URI, a table ([catalog.]database.table), a JDBC URL, or a name with its kind: topic:NAME, path:NAME",
    )
    parser.add_argument("--dbtable", metavar="TABLE", help="table of the JDBC URL, as Spark's option dbtable")
    parser.add_argument("--format", metavar="FORMAT", help="Spark's format: snowflake, kafka, delta …")
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        type=_pair,
        action="append",
        default=[],
        help="option of the connector, as in spark.read.option(KEY, VALUE); repeatable",
    )


def _pair(text: str) -> tuple[str, str]:
    key, is_pair, value = text.partition("=")
    if not is_pair or not key.strip():
        raise argparse.ArgumentTypeError("must be KEY=VALUE")  # the text may be a secret
    return key.strip().lower(), value


def named(arguments: argparse.Namespace, settings: Settings) -> list[Dataset]:
    """Return the datasets given by the options of `add_options`.

    Raises:
        ConfigurationError: No dataset is given.
    """
    names: list[str] = [name.strip() for name in arguments.name if name.strip()]
    options = {key: value for key, value in arguments.option if key in TABLE_OPTIONS or key in ("subscribe", "assign")}
    if arguments.dbtable is not None:
        options["dbtable"] = arguments.dbtable
    options = {key: IS_QUERY if _is_query(value) else value for key, value in options.items()}
    if arguments.format is not None:
        return _of_connector(arguments.format, options, names, settings)
    if options and not (len(names) == 1 and names[0].lower().startswith(_JDBC)):
        raise ConfigurationError("--option needs --format, and --dbtable needs exactly one JDBC URL")
    if not names:
        raise ConfigurationError("no dataset given; name a URI, a table or a JDBC URL, or use --format with --option")
    return [_dataset(name, options, settings) for name in names]


def _is_query(table: str) -> bool:
    return table.lstrip().startswith("(")


def _dataset(name: str, options: Mapping[str, str], settings: Settings) -> Dataset:
    if name.lower().startswith(_JDBC):
        return _of_url(name, options.get("dbtable"))
    subject, text = next(iter(meant(name)))
    if subject not in DATASETS:
        raise ConfigurationError(f"{name}: a {subject} is not a dataset; name a URI, a table or a JDBC URL")
    return dataset_of(subject, text, settings)


def _of_url(url: str, table: str | None) -> Dataset:
    found = rdbms_table(url, name_parts(table)) if table and not _is_query(table) else None
    if found is None:
        remedy = "give the name of a table, not a query" if table else "give the table with --dbtable"
        raise ConfigurationError(f"{url}: no database table; {remedy}")
    return found


def _of_connector(connector: str, options: Mapping[str, str], names: list[str], settings: Settings) -> list[Dataset]:
    paths = names or ([options["path"]] if "path" in options else [])
    if connector.lower() in _FORMATS:
        if not paths:
            raise ConfigurationError(
                f"--format {connector}: no path given; add it as an argument, or as --option path=…"
            )
        read = (dataset_of("path", path, settings) for path in paths)
        return [replace(each, format=connector.lower()) for each in read if isinstance(each, PathDataset)]
    if names and "url" not in options and names[0].lower().startswith(_JDBC):
        options = {**options, "url": names[0]}
    found = _of_options(connector, options)
    if not found:
        raise ConfigurationError(
            f"--format {connector}: the options do not identify a dataset; add the missing ones (--option KEY=VALUE)"
        )
    return list(found)


def _of_options(connector: str, options: Mapping[str, str]) -> tuple[Dataset, ...]:
    source = source_of(connector)
    if source is None:
        guess = dataset_by_options(connector, options, ())
        return () if guess is None else (guess,)
    if connector.lower() == "kafka" and (read := topics_read(options)):
        return topics(read, options, ())
    dataset = source.named(options, ())
    return () if dataset is None else (dataset,)
