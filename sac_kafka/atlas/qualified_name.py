"""Build the qualifiedName of every entity; one function per rule.

A name ends in `@<namespace>` (`atlas.metadata.namespace`); its *stem* is the name without this suffix. Entities that Atlas'
own hooks and bridges also create have the names of these, so that both describe the same entity.

Processes and column lineage are named by what they connect, not by the run: a re-run updates them, and a changed flow is a
new entity, because Atlas keeps the edges of inputs that a later message lacks (R14, R15). What they connect is digested as JSON,
which avoids the ambiguities of joined texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable

from sac_kafka.atlas.limits import COLUMN_LIMIT, DATASET_LIMIT, PART_LIMIT, digest, shorten
from sac_kafka.atlas.model import SPARK_TYPES, AtlasObjectId

_INFLUENCE = "influence-"
_LABEL_SEGMENTS = 2
VIEW = "view"
"""Placeholder for the job in the name of a view definition."""

# Two letters at least: `C:/data` is a path, not a scheme.
_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?://(?P<authority>[^/]*))?(?P<path>.*)", re.DOTALL)

_ONE_PART = re.compile(r"`(?:[^`]|``)*`|[^.`]+", re.DOTALL)
"""A single part of a name, as written by `quote`."""


def stem(qualified_name: str, namespace: str) -> str:
    """Return the name without `@<namespace>`."""
    return qualified_name.removesuffix(f"@{namespace}")


def of_stem(text: str, namespace: str) -> str:
    """Return `<stem>@ns`, with the stem shortened to leave room for the names of columns."""
    return f"{shorten(text, DATASET_LIMIT)}@{namespace}"


# ---- tables


def database(name: str, *, catalog: str | None, namespace: str) -> str:
    """spark_db: `db@ns`, or `catalog.db@ns` outside the session catalog, with the names of Spark's catalog."""
    return of_stem(name if catalog is None else f"{catalog}.{name}", namespace)


def table(database_name: str, name: str, *, catalog: str | None, namespace: str) -> str:
    """spark_table: `db.table@ns`, or `catalog.db.table@ns` outside the session catalog."""
    stem = f"{database_name}.{quote(name)}"
    return of_stem(stem if catalog is None else f"{catalog}.{stem}", namespace)


def table_column(table_stem: str, column: str, namespace: str) -> str:
    """spark_column: `db.table.column@ns`."""
    return f"{table_stem}.{quote(shorten(column, COLUMN_LIMIT))}@{namespace}"


def table_names_in(database_name: str, *, has_levels: bool, namespace: str) -> Callable[[str], bool]:
    """Return a predicate that is True for names of tables in the database with this qualifiedName.

    `has_levels` is True outside the session catalog, where databases may be nested. In the session catalog a name with more
    parts belongs to another catalog, which has the same name as the database.

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
    """hive_db: `db@ns` in lower case (`HiveMetaStoreBridge.getDBQualifiedName`)."""
    return of_stem(name.lower(), namespace)


def hive_table(database_name: str, name: str, namespace: str) -> str:
    """hive_table: `db.table@ns` in lower case (`HiveMetaStoreBridge.getTableQualifiedName`)."""
    return of_stem(f"{database_name}.{name}".lower(), namespace)


def hive_column(table_stem: str, column: str, namespace: str) -> str:
    """hive_column: `db.table.column@ns` in lower case (`HiveMetaStoreBridge.getColumnQualifiedName`)."""
    return f"{table_stem}.{shorten(column, COLUMN_LIMIT).lower()}@{namespace}"


# ---- paths; those of object stores are in `datasets.paths`, level by level


def path(uri: str, namespace: str) -> str:
    """hdfs_path and fs_path: `<uri>@ns`, in the original case (for hdfs_path as in `AtlasPathExtractorUtil`)."""
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
    """kafka_topic: `topic@ns` in lower case (`KafkaBridge.getTopicQualifiedName`)."""
    return of_stem(name.lower(), namespace)


def hbase_namespace(name: str, namespace: str) -> str:
    """hbase_namespace: `hns@ns` in lower case (`HBaseAtlasHook.getNameSpaceQualifiedName`)."""
    return of_stem(name.lower(), namespace)


def hbase_table(hbase_namespace_name: str, name: str, namespace: str) -> str:
    """hbase_table: `hns:table@ns` in lower case (`HBaseAtlasHook.getTableQualifiedName`)."""
    return of_stem(f"{hbase_namespace_name}:{name}".lower(), namespace)


def rdbms_instance(rdbms_type: str, host: str, port: int | None, namespace: str) -> str:
    """rdbms_instance: `postgresql://host:port@ns`, or `h2@ns` for embedded databases; Atlas defines no rule."""
    return of_stem(_server(rdbms_type, host, port), namespace)


def rdbms_database(rdbms_type: str, host: str, port: int | None, name: str, namespace: str) -> str:
    """rdbms_db: `postgresql://host:port/db@ns`; embedded `h2:mem:db@ns`, as in the JDBC URL."""
    return of_stem(f"{_server(rdbms_type, host, port)}{'/' if host else ':'}{name}", namespace)


def rdbms_table(database_stem: str, schema_name: str | None, name: str, namespace: str) -> str:
    """rdbms_table: `<db>/schema.table@ns`, with schema and table in lower case.

    Spark passes the name as written by the user, and databases treat `Orders` and `ORDERS` as the same table.
    """
    parts = (quote(part.lower(), separators="./") for part in (schema_name, name) if part)
    return of_stem(f"{database_stem}/{'.'.join(parts)}", namespace)


def rdbms_column(table_stem: str, column: str, namespace: str) -> str:
    """rdbms_column: `<table>.column@ns`, with the column in lower case."""
    return f"{table_stem}.{quote(shorten(column, COLUMN_LIMIT).lower())}@{namespace}"


def other(system: str, host: str, parts: Iterable[str], namespace: str) -> str:
    """Return the name of a DataSet: `mongodb://host:27017/shop/orders@ns`, with system and host in lower case.

    Without a known host the name is `mongodb:shop/orders@ns`.
    """
    name = "/".join(quote(part, separators="/") for part in parts)
    return of_stem(f"{system}://{host}/".lower() + name if host else f"{system}:".lower() + name, namespace)


# ---- columns of datasets other than tables


def schema(dataset_stem: str, namespace: str) -> str:
    """avro_schema: `<dataset>#schema@ns`, one per dataset, because a schema can belong to one dataset only (R23)."""
    return f"{dataset_stem}#schema@{namespace}"


def field(dataset_stem: str, column: str, namespace: str) -> str:
    """avro_field: `<dataset>#<column>@ns`."""
    return f"{dataset_stem}#{quote(shorten(column, COLUMN_LIMIT), separators='#')}@{namespace}"


# ---- applications, processes and column lineage


def application(job: str, namespace: str) -> str:
    """spark_application: `<job>@ns`."""
    return f"{shorten(job, PART_LIMIT)}@{namespace}"


def process(
    job: str,
    *,
    outputs: Iterable[AtlasObjectId],
    inputs: Iterable[AtlasObjectId],
    namespace: str,
    type_name: str = SPARK_TYPES.process,
) -> str:
    """Process: `<job>:<first output>:<12 hex>@ns`, with a digest over outputs and inputs (R14).

    A process without outputs has its first input in the name. The digest covers another type than spark_process, too: else the
    column lineage of both processes would have the same names after the setting has changed, and be deleted with the old one.
    """
    prefix = f"{VIEW}." if job == VIEW else job  # Otherwise the name would be that of a view definition.
    return _process(prefix, outputs=outputs, inputs=inputs, namespace=namespace, of_type=_of_type(type_name))


def _of_type(type_name: str) -> tuple[str, ...]:
    return () if type_name == SPARK_TYPES.process else (type_name,)


def _process(
    job: str,
    *,
    outputs: Iterable[AtlasObjectId],
    inputs: Iterable[AtlasObjectId],
    namespace: str,
    of_type: tuple[str, ...] = (),
) -> str:
    outputs, inputs = sorted(set(outputs)), sorted(set(inputs))
    named_by = [shorten(stem(first.qualified_name, namespace), PART_LIMIT) for first in (*outputs, *inputs)[:1]]
    return f"{':'.join([shorten(job, PART_LIMIT), *named_by, digest(json.dumps([outputs, inputs, *of_type]), 12)])}@{namespace}"


def stream(
    job: str, label: str, *, identity: Iterable[str], namespace: str, type_name: str = SPARK_TYPES.process
) -> str:
    """Process of a streaming query: `<job>:stream <label>:<12 hex>@ns`, with a digest over the identity of the flow.

    The name does not change if the query reads further datasets. `label` is the query's name for people.
    """
    prefix = f"{VIEW}." if job == VIEW else job
    named_by = f"stream {shorten(label, PART_LIMIT)}".strip()
    identified_by = digest(json.dumps([*identity, *_of_type(type_name)]), 12)
    return f"{':'.join([shorten(prefix, PART_LIMIT), named_by, identified_by])}@{namespace}"


def view_definition(view: AtlasObjectId, *, inputs: Iterable[AtlasObjectId], namespace: str) -> str:
    """spark_process of a view's definition: `view:<view>:<12 hex>@ns`, independent of the job."""
    return _process(VIEW, outputs=(view,), inputs=inputs, namespace=namespace)


def definitions_of(views: Iterable[AtlasObjectId], namespace: str) -> Callable[[str], bool]:
    """Return a predicate that is True for names of current and former definitions of the views."""
    named_by = {f"{VIEW}:{shorten(stem(view.qualified_name, namespace), PART_LIMIT)}" for view in views}
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
    """spark_column_lineage: `<process>:<column>:<8 hex>@ns`, with a digest over its inputs (R15).

    For the influences of the column it is `<process>:<column>:influence-<8 hex>@ns`. The part after the last colon
    distinguishes the two, whatever the column's name. `output` is the stem of the column's dataset if the process has several
    outputs, else None.
    """
    kind = _INFLUENCE if is_influence else ""
    stem = column_in_process(process_stem, column, output=output)
    return f"{stem}:{kind}{digest(json.dumps([sorted(set(inputs))]), 8)}@{namespace}"


def column_in_process(process_stem: str, column: str, *, output: str | None) -> str:
    """Return `<process>:<column>`, the common prefix of the names of all lineage of a column."""
    parts = [shorten(part, PART_LIMIT) for part in (output, column) if part is not None]
    return f"{process_stem}:{'.'.join(parts)}"


def column_of_lineage(qualified_name: str) -> str:
    """Return the `column_in_process` of a spark_column_lineage, which is the same for values and influences."""
    return qualified_name.rpartition("@")[0].rpartition(":")[0]


def quote(part: str, *, separators: str = ".") -> str:
    """Return a part of a name, in backquotes if it contains a separator, as in Spark's identifiers.

    Without backquotes, column `b.c` of table `a` and column `c` of table `a.b` would have the same name.

    >>> quote("amount"), quote("net.amount")
    ('amount', '`net.amount`')
    """
    if part.isidentifier() or ("`" not in part and not any(separator in part for separator in separators)):
        return part
    return f"`{part.replace('`', '``')}`"


def _server(rdbms_type: str, host: str, port: int | None) -> str:
    if not host:
        return rdbms_type.lower()
    shown = f"[{host}]" if ":" in host else host
    return f"{rdbms_type}://{shown}".lower() + (f":{port}" if port else "")
