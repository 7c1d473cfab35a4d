"""Build the qualifiedName of every entity; one function per rule.

A name ends in `@<namespace>` (`atlas.metadata.namespace`); its *stem* is the name without that end. Where a hook or
bridge of Atlas' own names such a thing, the rule is theirs, so that both speak of one entity. A process and a column
lineage are named by what they connect, never by a run: a re-run updates them, and a changed flow is a new one, because
a server keeps showing the edges that one name has lost (R14, R15).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable

from sac_kafka.atlas.limits import COLUMN_LIMIT, DATASET_LIMIT, PART_LIMIT, digest, shortened
from sac_kafka.atlas.model import AtlasObjectId

_INFLUENCE = "influence-"
_LABEL_SEGMENTS = 2

# Two letters at least: `C:/data` is a path, not a scheme.
_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?://(?P<authority>[^/]*))?(?P<path>.*)", re.DOTALL)

_ONE_PART = re.compile(r"`(?:[^`]|``)*`|[^.`]+", re.DOTALL)
"""A part of a name, quoted by `quoted`."""


def stem(qualified_name: str, namespace: str) -> str:
    """Return the name without `@<namespace>`."""
    return qualified_name.removesuffix(f"@{namespace}")


def of_stem(text: str, namespace: str) -> str:
    """Return `<stem>@ns`, with the stem shortened to leave room for the names of columns."""
    return f"{shortened(text, DATASET_LIMIT)}@{namespace}"


# ---- tables


def database(name: str, *, catalog: str | None, namespace: str) -> str:
    """spark_db: `db@ns`, in a catalog of its own `catalog.db@ns`. Names as Spark's catalog gives them."""
    return of_stem(_joined(catalog, name), namespace)


def table(database_name: str, name: str, *, catalog: str | None, namespace: str) -> str:
    """spark_table: `db.table@ns`, in a catalog of its own `catalog.db.table@ns`."""
    return of_stem(_joined(catalog, database_name, quoted(name)), namespace)


def table_column(table_stem: str, column: str, namespace: str) -> str:
    """spark_column: `db.table.column@ns`."""
    return f"{table_stem}.{quoted(shortened(column, COLUMN_LIMIT))}@{namespace}"


def table_names_in(database_name: str, *, has_levels: bool, namespace: str) -> Callable[[str], bool]:
    """Return a predicate that is True for names of tables in the database with this qualifiedName.

    `has_levels` is for a catalog of its own, where a database may hold others. One of the session catalog holds tables
    alone: what has more parts is of a catalog that is called like the database.

    >>> is_in = table_names_in("lake@ns", has_levels=False, namespace="ns")
    >>> is_in("lake.orders@ns"), is_in("lake.`my.orders`@ns"), is_in("lake.raw.orders@ns")
    (True, True, False)
    """
    prefix = f"{stem(database_name, namespace)}."

    def is_in(name: str) -> bool:
        rest = stem(name, namespace).removeprefix(prefix) if name.startswith(prefix) else ""
        return bool(rest) and (has_levels or _ONE_PART.fullmatch(rest) is not None)

    return is_in


def storage(table_name: str) -> str:
    """spark_storagedesc: `db.table@ns_storage`, as Hive's hook names its hive_storagedesc (`HiveMetaStoreBridge`)."""
    return f"{table_name}_storage"


def hive_database(name: str, namespace: str) -> str:
    """hive_db: `db@ns` in small letters (`HiveMetaStoreBridge.getDBQualifiedName`)."""
    return of_stem(name.lower(), namespace)


def hive_table(database_name: str, name: str, namespace: str) -> str:
    """hive_table: `db.table@ns` in small letters (`HiveMetaStoreBridge.getTableQualifiedName`)."""
    return of_stem(f"{database_name}.{name}".lower(), namespace)


def hive_column(table_stem: str, column: str, namespace: str) -> str:
    """hive_column: `db.table.column@ns` in small letters (`HiveMetaStoreBridge.getColumnQualifiedName`)."""
    return f"{table_stem}.{shortened(column, COLUMN_LIMIT).lower()}@{namespace}"


# ---- paths; those of object stores are in `datasets.object_stores`, level by level


def path(uri: str, namespace: str) -> str:
    """hdfs_path and fs_path: `<uri>@ns`, case kept (`AtlasPathExtractorUtil` for hdfs)."""
    return of_stem(uri, namespace)


def scheme(uri: str) -> str:
    """Return the lower-case scheme of a path, or ""."""
    match = _URI.fullmatch(uri)
    return match["scheme"].lower() if match else ""


def authority(uri: str) -> str:
    """Return the authority of a path (`nn1:8020`, `bucket`), or ""."""
    match = _URI.fullmatch(uri)
    return (match["authority"] or "") if match else ""


def bare_path(uri: str) -> str:
    """Return the path without scheme and authority."""
    match = _URI.fullmatch(uri)
    return (match["path"] if match else uri) or "/"


def path_label(uri: str) -> str:
    """Return the last two segments of a path, as a label in lists; with bucket or host if the path is short.

    >>> path_label("s3a://lake/raw/2026/orders"), path_label("abfss://lake@account/orders"), path_label("file:/out")
    ('2026/orders', 'lake/orders', 'out')
    """
    segments = [segment for segment in bare_path(uri).split("/") if segment]
    if len(segments) < _LABEL_SEGMENTS:
        segments = [part for part in (authority(uri).partition("@")[0], *segments) if part]
    return "/".join(segments[-_LABEL_SEGMENTS:]) or "/"


# ---- topics and tables of other systems


def topic(name: str, namespace: str) -> str:
    """kafka_topic: `topic@ns` in small letters (`KafkaBridge.getTopicQualifiedName`)."""
    return of_stem(name.lower(), namespace)


def hbase_namespace(name: str, namespace: str) -> str:
    """hbase_namespace: `hns@ns` in small letters (`HBaseAtlasHook.getNameSpaceQualifiedName`)."""
    return of_stem(name.lower(), namespace)


def hbase_table(hbase_namespace_name: str, name: str, namespace: str) -> str:
    """hbase_table: `hns:table@ns` in small letters (`HBaseAtlasHook.getTableQualifiedName`)."""
    return of_stem(f"{hbase_namespace_name}:{name}".lower(), namespace)


def rdbms_instance(rdbms_type: str, host: str, port: int | None, namespace: str) -> str:
    """rdbms_instance: `postgresql://host:port@ns`; of embedded databases `h2@ns`. Atlas has no rule of its own."""
    return of_stem(_server(rdbms_type, host, port), namespace)


def rdbms_database(rdbms_type: str, host: str, port: int | None, name: str, namespace: str) -> str:
    """rdbms_db: `postgresql://host:port/db@ns`; embedded `h2:mem:db@ns`, as in the JDBC URL."""
    return of_stem(f"{_server(rdbms_type, host, port)}{'/' if host else ':'}{name}", namespace)


def rdbms_table(database_stem: str, schema_name: str | None, name: str, namespace: str) -> str:
    """rdbms_table: `<db>/schema.table@ns`, schema and table in small letters.

    Spark hands on the name as the user wrote it, and databases read `Orders` and `ORDERS` as one table.
    """
    parts = (quoted(part.lower(), separators="./") for part in (schema_name, name) if part)
    return of_stem(f"{database_stem}/{'.'.join(parts)}", namespace)


def rdbms_column(table_stem: str, column: str, namespace: str) -> str:
    """rdbms_column: `<table>.column@ns`, the column in small letters."""
    return f"{table_stem}.{quoted(shortened(column, COLUMN_LIMIT).lower())}@{namespace}"


def other(system: str, host: str, parts: Iterable[str], namespace: str) -> str:
    """Return the name of a DataSet: `mongodb://host:27017/shop/orders@ns`, with system and host in lower case.

    Where no host is known it is `mongodb:shop/orders@ns`.
    """
    name = "/".join(quoted(part, separators="/") for part in parts)
    return of_stem(f"{system}://{host}/".lower() + name if host else f"{system}:".lower() + name, namespace)


# ---- columns of what is no table


def schema(dataset_stem: str, namespace: str) -> str:
    """avro_schema: `<dataset>#schema@ns`. One a dataset: a schema sent for a second one loses the first (R23)."""
    return f"{dataset_stem}#schema@{namespace}"


def field(dataset_stem: str, column: str, namespace: str) -> str:
    """avro_field: `<dataset>#<column>@ns`."""
    return f"{dataset_stem}#{quoted(shortened(column, COLUMN_LIMIT), separators='#')}@{namespace}"


# ---- what ran


def application(job: str, namespace: str) -> str:
    """spark_application: `<job>@ns`."""
    return f"{shortened(job, PART_LIMIT)}@{namespace}"


def process(job: str, *, outputs: Iterable[AtlasObjectId], inputs: Iterable[AtlasObjectId], namespace: str) -> str:
    """spark_process: `<job>:<first output>:<12 hex>@ns`, the digest over outputs and inputs (R14).

    What only reads is named by its first input.
    """
    of = f"{VIEW}." if job == VIEW else job  # else it would be taken for the definition of a view
    return _process(of, outputs=outputs, inputs=inputs, namespace=namespace)


def _process(job: str, *, outputs: Iterable[AtlasObjectId], inputs: Iterable[AtlasObjectId], namespace: str) -> str:
    outputs, inputs = sorted(set(outputs)), sorted(set(inputs))
    named_by = [shortened(stem(first.qualified_name, namespace), PART_LIMIT) for first in (*outputs, *inputs)[:1]]
    return f"{':'.join([shortened(job, PART_LIMIT), *named_by, _flow_digest(outputs, inputs, length=12)])}@{namespace}"


def stream(job: str, label: str, *, identity: Iterable[str], namespace: str) -> str:
    """spark_process of a streaming query: `<job>:stream <label>:<12 hex>@ns`, the digest over what names the query.

    It stays the same when the query reads or writes something more; `label` is what people call it.
    """
    of = f"{VIEW}." if job == VIEW else job
    named_by = f"stream {shortened(label, PART_LIMIT)}".strip()
    return f"{':'.join([shortened(of, PART_LIMIT), named_by, digest(json.dumps(list(identity)), 12)])}@{namespace}"


VIEW = "view"
"""Placeholder for the job in the name of a view definition."""


def view_definition(view: AtlasObjectId, *, inputs: Iterable[AtlasObjectId], namespace: str) -> str:
    """spark_process of a view's definition: `view:<view>:<12 hex>@ns`, the same whatever the job."""
    return _process(VIEW, outputs=(view,), inputs=inputs, namespace=namespace)


def definitions_of(views: Iterable[AtlasObjectId], namespace: str) -> Callable[[str], bool]:
    """Return a predicate that is True for names of definitions that one of the views has or had."""
    named_by = {f"{VIEW}:{shortened(stem(view.qualified_name, namespace), PART_LIMIT)}" for view in views}
    return lambda qualified_name: stem(qualified_name, namespace).rpartition(":")[0] in named_by


def column_lineage(
    process_stem: str,
    column: str,
    *,
    output: str | None,
    inputs: Iterable[AtlasObjectId],
    namespace: str,
    is_influence: bool = False,
) -> str:
    """spark_column_lineage: `<process>:<column>:<8 hex>@ns`, the digest over its inputs (R15).

    What only influences the column is `<process>:<column>:influence-<8 hex>@ns`: after the last colon stand 8 digits or
    this word, so that no column can have the other's name. `output` is the stem of the column's dataset where the
    process has several outputs, else None.
    """
    kind = _INFLUENCE if is_influence else ""
    of = column_in_process(process_stem, column, output=output)
    return f"{of}:{kind}{_flow_digest(sorted(set(inputs)), length=8)}@{namespace}"


def column_in_process(process_stem: str, column: str, *, output: str | None) -> str:
    """Return `<process>:<column>`, which the names of all lineage of a column begin with, whatever its inputs."""
    parts = [shortened(part, PART_LIMIT) for part in (output, column) if part is not None]
    return f"{process_stem}:{'.'.join(parts)}"


def column_of_lineage(qualified_name: str) -> str:
    """Return the `column_in_process` of a spark_column_lineage: the same for its values and its influences."""
    return qualified_name.rpartition("@")[0].rpartition(":")[0]


def quoted(part: str, *, separators: str = ".") -> str:
    """Return a part of a name, in backquotes if it contains a separator, as Spark writes identifiers.

    Without them a column `b.c` of table `a` and a column `c` of table `a.b` would be one entity.

    >>> quoted("amount"), quoted("net.amount")
    ('amount', '`net.amount`')
    """
    if "`" not in part and not any(separator in part for separator in separators):
        return part
    return f"`{part.replace('`', '``')}`"


def _server(rdbms_type: str, host: str, port: int | None) -> str:
    if not host:
        return rdbms_type.lower()
    shown = f"[{host}]" if ":" in host else host
    return f"{rdbms_type}://{shown}".lower() + (f":{port}" if port else "")


def _joined(*parts: str | None) -> str:
    return ".".join(part for part in parts if part is not None)


def _flow_digest(*sides: list[AtlasObjectId], length: int) -> str:
    """Return a digest of lists of entities; JSON avoids the ambiguities of joined texts."""
    return digest(json.dumps(sides), length)
