"""Explain the name of a dataset in Purview for `sac-kafka map explain`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sac_kafka.errors import ConfigurationError
from sac_kafka.lineage.datasets.sources import source_of
from sac_kafka.lineage.datasets.systems.kafka import topics, topics_read
from sac_kafka.lineage.datasets.systems.source import IS_QUERY, dataset_by_options
from sac_kafka.model import Dataset, PathDataset
from sac_kafka.names.jdbc_urls import name_parts, rdbms_table
from sac_kafka.plan.options import TABLE_OPTIONS
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.dataset_fields import FIELDS, dataset_fields
from sac_kafka.purview.mapping.matching import asset_by_rules, location
from sac_kafka.purview.names import asset
from sac_kafka.purview.names.dbfs import IN_DBFS, behind_mount, in_dbfs
from sac_kafka.purview.names.location import parse_location
from sac_kafka.purview.names.metastores import WITHOUT_METASTORE_ID
from sac_kafka.purview.names.tables import UNSCANNED_CATALOG
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import RULES
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.rules import DATASETS
from sac_kafka.tools.cli.arguments import add, key_value
from sac_kafka.tools.cli.explaining import dataset_of, meant

_SET, _OF_A_PATH = "_resource_set", "_path"
_WIDTH = 15
_REMEDIES = {
    WITHOUT_METASTORE_ID: "set atlas.hook.spark.purview.databricks.metastore, the last part of SELECT current_metastore()",
    UNSCANNED_CATALOG: "if it is in Unity Catalog, set atlas.hook.spark.purview.databricks.metastore, the last part of SELECT "
    "current_metastore(); if Purview scans it otherwise, add a mapping rule",
    IN_DBFS: "only the workspace knows its mounts: if it is in one, add the mount to [mounts] of the mapping rules",
}
"""What to do about datasets without a rule, by the asset's rule; else a mapping rule may help."""
_HIVE_CATALOG = "hive_metastore"
_OF_WORKSPACE = (
    "its name has the workspace of Databricks: add --conf spark.databricks.workspaceUrl=HOST, "
    "such as adb-1.2.azuredatabricks.net"
)
_JDBC = "jdbc:"
_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "xml", "binaryfile", "delta", "iceberg", "hudi"})
"""File formats, whose datasets are paths."""


def explain_name(dataset: Dataset, naming_context: NamingContext, *, is_output: bool) -> dict[str, Any]:
    """Return the name of a dataset in Purview as a JSON object, with its mount, its fields and the rules that led to it."""
    named = asset(dataset, naming_context, is_output=is_output)
    behind = _behind(dataset, naming_context)
    shown = dataset_fields(behind or dataset)
    raw = asset_by_rules(behind or dataset, naming_context)
    is_by_user = any(named.rule == rule.description for rule in naming_context.rules.rules)
    written = raw.qualified_name if is_by_user and raw is not None else _as_written(behind or dataset)
    place = location((behind or dataset).path, naming_context.rules) if isinstance(dataset, PathDataset) else None
    return {
        "dataset": dataset.key,
        "side": "output" if is_output else "input",
        "behind_mount": behind.path if behind is not None else "",
        "fields": {"kind": shown.kind.value}
        | {name: shown.values[name] for name in FIELDS[shown.kind] if name in shown.values},
        "rule": named.rule,
        "is_by_user": is_by_user,
        "is_known": named.is_known,
        "location": {"treatment": place.treatment.value, "place": place.place} if place else None,
        "type": named.type_name,
        "qualified_name": named.qualified_name,
        "name": named.name,
        "is_resource_set": named.type_name.endswith(_SET),
        "normalised_by": list(_changing(named, written)) if written else [],
    }


def _behind(dataset: Dataset, naming_context: NamingContext) -> PathDataset | None:
    in_mount = in_dbfs(parse_location(dataset.path)) if isinstance(dataset, PathDataset) else None
    found = behind_mount(in_mount, naming_context) if in_mount is not None else None
    if found is None or not isinstance(dataset, PathDataset):
        return None
    return PathDataset(path=f"{found.scheme}://{found.authority}/{'/'.join(found.segments)}", format=dataset.format)


def _as_written(dataset: Dataset) -> str:
    """Return the qualified name of a path before Purview's normalisation of case and slashes."""
    uri = dataset.locations[0] if isinstance(dataset, PathDataset) and dataset.locations else ""
    scheme, slashes, rest = uri.partition("://")
    authority, slash, path = rest.partition("/")
    container, at, host = authority.rpartition("@")
    return f"{scheme}://{host}/{container}{slash}{path}" if slashes and at else uri if slashes else ""


def _changing(named: Asset, written: str) -> Iterator[str]:
    type_name = named.type_name
    if type_name.endswith(_SET):
        type_name = type_name.removesuffix(_SET) + _OF_A_PATH
    for rule in RULES:
        if type_name in rule.types:
            becomes = rule.apply(written)
            if becomes != written:
                yield rule.name
            written = becomes


def lines(explanation: Mapping[str, Any]) -> Iterator[str]:
    """Yield an explanation as text."""
    name = explanation["dataset"].partition(":")[2].lstrip("/")
    yield f"{explanation['fields']['kind']} {name}, {'written' if explanation['side'] == 'output' else 'read'}"
    at = explanation["location"]
    rows = [
        ("behind mount", explanation["behind_mount"]),
        ("fields", ", ".join(f"{name} = {text}" for name, text in explanation["fields"].items())),
        ("rule", f"{explanation['rule']}, {_whose(explanation)}"),
        ("location", f"{at['treatment']}, by {at['place']}" if at else ""),
        ("type", explanation["type"]),
        ("qualifiedName", explanation["qualified_name"]),
        ("name", explanation["name"]),
        ("resource set", "yes" if explanation["is_resource_set"] else "no"),
        ("normalised by", ", ".join(explanation["normalised_by"])),
    ]
    for title, text in rows:
        if text:
            yield f"  {title:<{_WIDTH}}{text}"


def _whose(explanation: Mapping[str, Any]) -> str:
    if explanation["is_by_user"]:
        return "rule of your mapping file"
    if explanation["is_known"]:
        return "built-in rule"
    remedy = _REMEDIES.get(explanation["rule"], "if Purview scans it, add a mapping rule")
    if explanation["rule"] == UNSCANNED_CATALOG and explanation["fields"].get("catalog") == _HIVE_CATALOG:
        remedy = _OF_WORKSPACE
    return f"no built-in rule: {remedy}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the argument and options that name datasets."""
    add(
        parser,
        "name NAME",
        "a URI, a table ([catalog.]database.table), a JDBC URL, or a name with its kind: topic:NAME, path:NAME",
        nargs="*",
    )
    add(parser, "--dbtable TABLE", "table of the JDBC URL, as Spark's option dbtable")
    add(parser, "--format FORMAT", "Spark's format: snowflake, kafka, delta …")
    add(
        parser,
        "--option KEY=VALUE …",
        "option of the connector, as in spark.read.option(KEY, VALUE); repeatable",
        type=_pair,
    )


def _pair(text: str) -> tuple[str, str]:
    key, value = key_value(text)
    return key.lower(), value


def read_datasets(arguments: argparse.Namespace, settings: Settings) -> list[Dataset]:
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
    dataset = source.identify(options, ())
    return () if dataset is None else (dataset,)
