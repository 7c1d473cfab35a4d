"""The qualifiedName of everything we send: one function a rule.

A name ends in `@<namespace>` (`atlas.metadata.namespace`); its *stem* is the name without that end. A process and a
column lineage are named by what they connect, never by a run: a re-run updates them, and a changed flow is a new one,
because a server keeps showing the edges that one name has lost (R14, R15).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from sac_kafka.atlas.limits import COLUMN_LIMIT, DATASET_LIMIT, PART_LIMIT, digest, shortened
from sac_kafka.atlas.model import AtlasObjectId

# Two letters at least: `C:/data` is a path, not a scheme.
_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?://[^/]*)?(?P<path>.*)", re.DOTALL)


def stem(qualified_name: str, namespace: str) -> str:
    """The name without `@<namespace>`."""
    return qualified_name.removesuffix(f"@{namespace}")


def database(name: str, *, catalog: str | None, namespace: str) -> str:
    """spark_db: `db@ns`, in a catalog of its own `catalog.db@ns`. Names as Spark's catalog gives them."""
    return f"{shortened(_joined(catalog, name), DATASET_LIMIT)}@{namespace}"


def table(database_name: str, name: str, *, catalog: str | None, namespace: str) -> str:
    """spark_table: `db.table@ns`, in a catalog of its own `catalog.db.table@ns`."""
    return f"{shortened(_joined(catalog, database_name, name), DATASET_LIMIT)}@{namespace}"


def table_column(table_stem: str, column: str, namespace: str) -> str:
    """spark_column: `db.table.column@ns`."""
    return f"{table_stem}.{shortened(column, COLUMN_LIMIT)}@{namespace}"


def storage(table_name: str) -> str:
    """spark_storagedesc: `db.table@ns_storage`, as Hive's hook names its hive_storagedesc (`HiveMetaStoreBridge`)."""
    return f"{table_name}_storage"


def path(uri: str, namespace: str) -> str:
    """hdfs_path and fs_path: `<uri>@ns`, case kept (`AtlasPathExtractorUtil` for hdfs)."""
    return f"{shortened(uri, DATASET_LIMIT)}@{namespace}"


def schema(dataset_stem: str, namespace: str) -> str:
    """avro_schema: `<dataset>#schema@ns`. One a dataset: a schema sent for a second one loses the first (R23)."""
    return f"{dataset_stem}#schema@{namespace}"


def field(dataset_stem: str, column: str, namespace: str) -> str:
    """avro_field: `<dataset>#<column>@ns`."""
    return f"{dataset_stem}#{shortened(column, COLUMN_LIMIT)}@{namespace}"


def application(job: str, namespace: str) -> str:
    """spark_application: `<job>@ns`."""
    return f"{shortened(job, PART_LIMIT)}@{namespace}"


def process(job: str, *, outputs: Iterable[AtlasObjectId], inputs: Iterable[AtlasObjectId], namespace: str) -> str:
    """spark_process: `<job>:<first output>:<12 hex>@ns`, the digest over outputs and inputs (R14).

    What only reads is named by its first input.
    """
    outputs, inputs = sorted(set(outputs)), sorted(set(inputs))
    named_by = [shortened(stem(first.qualified_name, namespace), PART_LIMIT) for first in (*outputs, *inputs)[:1]]
    return f"{':'.join([shortened(job, PART_LIMIT), *named_by, _flow_digest(outputs, inputs, length=12)])}@{namespace}"


def column_lineage(
    process_stem: str, column: str, *, output: str | None, inputs: Iterable[AtlasObjectId], namespace: str
) -> str:
    """spark_column_lineage: `<process>:<column>:<8 hex>@ns`, the digest over its inputs (R15).

    `output` is the stem of the column's dataset where the process has several outputs, else None.
    """
    parts = [shortened(part, PART_LIMIT) for part in (output, column) if part is not None]
    return f"{process_stem}:{'.'.join(parts)}:{_flow_digest(sorted(set(inputs)), length=8)}@{namespace}"


def scheme(uri: str) -> str:
    """The scheme of a path, in small letters; "" where it has none."""
    match = _URI.fullmatch(uri)
    return match["scheme"].lower() if match else ""


def bare_path(uri: str) -> str:
    """The path without scheme and authority: what a person calls it."""
    match = _URI.fullmatch(uri)
    return (match["path"] if match else uri) or "/"


def _joined(*parts: str | None) -> str:
    return ".".join(part for part in parts if part is not None)


def _flow_digest(*sides: list[AtlasObjectId], length: int) -> str:
    """A digest of lists of entities. JSON keeps apart what a plain join would merge."""
    return digest(json.dumps(sides), length)
