"""Datasets as a person names them to a command: a URI, a table, a JDBC URL, the options of a connector."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace

from sac_kafka.cli.explaining import dataset_of, meant
from sac_kafka.config.rules import DATASETS
from sac_kafka.errors import ConfigurationError
from sac_kafka.lineage.datasets.sources import source_of
from sac_kafka.lineage.datasets.systems.jdbc_urls import name_parts, rdbms_table
from sac_kafka.lineage.datasets.systems.kafka import topics, topics_read
from sac_kafka.lineage.datasets.systems.others import IS_QUERY, dataset_by_options
from sac_kafka.lineage.model import Dataset, PathDataset
from sac_kafka.plan.options import TABLE_OPTIONS
from sac_kafka.settings import Settings

_JDBC = "jdbc:"
_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "xml", "binaryfile", "delta", "iceberg", "hudi"})
"""Formats of files, which have nothing but a path."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the argument and the options that name datasets."""
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="*",
        help="a URI, a table ([catalog.]database.table), a JDBC URL, or with its kind before it: topic:NAME, path:NAME",
    )
    parser.add_argument("--dbtable", metavar="TABLE", help="the table behind a JDBC URL, as the option dbtable has it")
    parser.add_argument("--format", metavar="FORMAT", help="what format() is given: snowflake, kafka, delta …")
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        type=_pair,
        action="append",
        default=[],
        help="an option of the connector, as option() is given it",
    )


def _pair(text: str) -> tuple[str, str]:
    key, is_pair, value = text.partition("=")
    if not is_pair or not key.strip():
        raise argparse.ArgumentTypeError("must be KEY=VALUE")  # not shown: the value may be a secret
    return key.strip().lower(), value


def named(arguments: argparse.Namespace, settings: Settings) -> list[Dataset]:
    """The datasets that the options of `add_options` name.

    Raises:
        ConfigurationError: They name none.
    """
    names: list[str] = [name.strip() for name in arguments.name if name.strip()]
    options = {key: value for key, value in arguments.option if key in TABLE_OPTIONS or key in ("subscribe", "assign")}
    if arguments.dbtable is not None:
        options["dbtable"] = arguments.dbtable
    options = {key: IS_QUERY if _is_query(value) else value for key, value in options.items()}
    if arguments.format is not None:
        return _of_connector(arguments.format, options, names, settings)
    if options and not (len(names) == 1 and names[0].lower().startswith(_JDBC)):
        raise ConfigurationError(
            "--option goes with --format, and --dbtable with one JDBC URL: name what it is an option of"
        )
    if not names:
        raise ConfigurationError("nothing is named; name a URI, a table or a JDBC URL, or a --format with its --option")
    return [_dataset(name, options, settings) for name in names]


def _is_query(table: str) -> bool:
    return table.lstrip().startswith("(")


def _dataset(name: str, options: Mapping[str, str], settings: Settings) -> Dataset:
    if name.lower().startswith(_JDBC):
        return _of_url(name, options.get("dbtable"))
    subject, text = next(iter(meant(name)))
    if subject not in DATASETS:
        raise ConfigurationError(f"{name}: {subject} is no dataset; name a URI, a table or a JDBC URL")
    return dataset_of(subject, text, settings)


def _of_url(url: str, table: str | None) -> Dataset:
    found = rdbms_table(url, name_parts(table)) if table and not _is_query(table) else None
    if found is None:
        cure = "write the table's name alone, not a query" if table else "name the table by --dbtable"
        raise ConfigurationError(f"{url}: no table of a database; {cure}")
    return found


def _of_connector(connector: str, options: Mapping[str, str], names: list[str], settings: Settings) -> list[Dataset]:
    paths = names or ([options["path"]] if "path" in options else [])
    if connector.lower() in _FORMATS:
        if not paths:
            raise ConfigurationError(f"--format {connector}: no path is named; write it behind, or as --option path=…")
        read = (dataset_of("path", path, settings) for path in paths)
        return [replace(each, format=connector.lower()) for each in read if isinstance(each, PathDataset)]
    if names and "url" not in options and names[0].lower().startswith(_JDBC):
        options = {**options, "url": names[0]}
    found = _of_options(connector, options)
    if not found:
        raise ConfigurationError(
            f"--format {connector}: its options name no dataset; add those that say where it is (--option KEY=VALUE)"
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
