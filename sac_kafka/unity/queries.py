"""The queries of Unity Catalog's lineage tables, and their rows.

Both tables have a row per source and target, `column_lineage` with their columns. The rows of one statement share its
`statement_id`, which only SQL warehouses and serverless compute have, else the `event_id`.
Source: docs.databricks.com, Lineage system tables reference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from sac_kafka.errors import ConfigurationError

HOUR = 3_600_000_000
"""Microseconds."""
_SCHEMA = re.compile(r"[\w-]+(?:\.[\w-]+)?")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SIDE = ("table_catalog", "table_schema", "table_name", "path", "type")
_PLACES = ", ".join(f"{side}_{each}" for side in ("source", "target") for each in _SIDE)
_SOURCE, _TARGET = (f"coalesce({side}_table_name, {side}_path) IS NOT NULL" for side in ("source", "target"))
_AT = "CAST(unix_micros(event_time) AS STRING)"
_KEY = f"coalesce(statement_id, event_id, concat_ws(':', entity_type, entity_id, entity_run_id, {_AT}))"
_RECORD = f"coalesce(record_id, concat_ws(':', {_KEY}, source_table_full_name, target_table_full_name, {_AT}))"
_WHEN = (
    "workspace_id = :workspace AND event_date BETWEEN :first_day AND :last_day "
    "AND event_time >= timestamp_micros(:scan_since) AND event_time < timestamp_micros(:scan_until)"
)
_OVERVIEW = f"""\
SELECT hour_number, catalog_name, sum(is_edge) AS edges, count(DISTINCT read_id) AS reads, count(DISTINCT write_id) AS writes
FROM (
  SELECT CAST(floor(unix_micros(event_time) / {HOUR}) AS BIGINT) AS hour_number,
    coalesce(target_table_catalog, '') AS catalog_name,
    CASE WHEN {_SOURCE} AND {_TARGET} THEN 1 ELSE 0 END AS is_edge,
    CASE WHEN {_SOURCE} AND NOT {_TARGET} THEN {_RECORD} END AS read_id,
    CASE WHEN {_TARGET} AND NOT {_SOURCE} THEN {_RECORD} END AS write_id
  FROM {{schema}}.`table_lineage` WHERE {_WHEN}
  UNION ALL
  SELECT CAST(floor(unix_micros(event_time) / {HOUR}) AS BIGINT) AS hour_number,
    coalesce(target_table_catalog, '') AS catalog_name,
    CASE WHEN {_SOURCE} AND {_TARGET} THEN 1 ELSE 0 END AS is_edge, CAST(NULL AS STRING) AS read_id,
    CAST(NULL AS STRING) AS write_id
  FROM {{schema}}.`column_lineage` WHERE {_WHEN}
) AS lineage_rows
GROUP BY hour_number, catalog_name
ORDER BY hour_number, catalog_name"""  # noqa: S608 # the parts are constants
_COMMON = (
    f"{_KEY} AS flow_key, unix_micros(event_time) AS at_micros, entity_type, entity_id, entity_run_id, statement_id, "
    f"created_by, to_json(entity_metadata) AS metadata, {_PLACES}"
)
_EDGES = f"{_WHEN} AND coalesce(target_table_catalog, '') = :catalog AND {_SOURCE} AND {_TARGET}"
_ROWS = f"""\
SELECT flow_key, started, entity_type, entity_id, entity_run_id, statement_id, created_by, metadata, {_PLACES},
  source_column_name, target_column_name
FROM (
  SELECT lineage_rows.*, min(at_micros) OVER (PARTITION BY flow_key) AS started
  FROM (
    SELECT {_COMMON}, CAST(NULL AS STRING) AS source_column_name, CAST(NULL AS STRING) AS target_column_name
    FROM {{schema}}.`table_lineage` WHERE {_EDGES}
    UNION
    SELECT {_COMMON}, source_column_name, target_column_name
    FROM {{schema}}.`column_lineage` WHERE {_EDGES}
  ) AS lineage_rows
) AS flow_rows
WHERE started >= CAST(:since AS BIGINT) AND started < CAST(:until AS BIGINT)
ORDER BY started, flow_key"""  # noqa: S608


class Place(NamedTuple):
    """A source or target: a table (catalog, schema, name), a path, or a table with its path; `kind` as in `source_type`."""

    catalog: str | None
    schema: str | None
    name: str | None
    path: str | None
    kind: str | None

    @property
    def key(self) -> str:
        """What identifies it: the name of a table, else the path."""
        return self.full_name or self.path or ""

    @property
    def full_name(self) -> str:
        """The name of the table; "" for a path."""
        return ".".join(each or "" for each in (self.catalog, self.schema, self.name)) if self.name else ""


class LineageRow(NamedTuple):
    """A row of the query of `rows_query`; `started` is the epoch microseconds of the first row with its `flow_key`."""

    flow_key: str
    started: int
    entity_type: str
    entity_id: str
    entity_run_id: str
    statement_id: str
    created_by: str
    metadata: str
    source: Place
    target: Place
    source_column: str
    target_column: str


class HourCount(NamedTuple):
    """A row of the query of `overview_query`: the numbers of edges, of reads alone and of writes without a source."""

    hour: int
    catalog: str
    edges: int
    reads: int
    writes: int


class Parameter(NamedTuple):
    """The value of a named parameter, and its SQL type."""

    value: str
    type: str


class Query(NamedTuple):
    """A query with its parameters."""

    text: str
    parameters: Mapping[str, Parameter]


def overview_query(schema: str, workspace: str, since: int, until: int) -> Query:
    """Return the query of the numbers of rows by hour and catalog of the target.

    Args:
        schema: The quoted schema of the tables (`quote_schema`).
        workspace: The id of the workspace.
        since: The first hour, in epoch microseconds.
        until: The end of the last hour.
    """
    return Query(_OVERVIEW.format(schema=schema), _when(workspace, since, until))


def rows_query(schema: str, workspace: str, catalog: str, since: int, until: int) -> Query:
    """Return the query of the edges whose flow has begun in a range of time, in the order of flows.

    Rows up to an hour before and after are read as well, so that a flow is whole on both sides of a full hour. Arguments are
    those of `overview_query`; `catalog` is that of the targets, "" for paths.
    """
    more = {
        "catalog": Parameter(catalog, "STRING"),
        "since": Parameter(str(since), "BIGINT"),
        "until": Parameter(str(until), "BIGINT"),
    }
    return Query(_ROWS.format(schema=schema), {**_when(workspace, since - HOUR, until + HOUR), **more})


def _when(workspace: str, since: int, until: int) -> Mapping[str, Parameter]:
    return {
        "workspace": Parameter(workspace, "STRING"),
        "first_day": Parameter(day_of(since), "DATE"),
        "last_day": Parameter(day_of(until), "DATE"),
        "scan_since": Parameter(str(since), "BIGINT"),
        "scan_until": Parameter(str(until), "BIGINT"),
    }


def day_of(micros: int) -> str:
    """Return the day of a time in UTC, as `event_date` has it.

    >>> day_of(1_795_600_000_000_000)
    '2026-11-25'
    """
    return (_EPOCH + timedelta(microseconds=micros)).date().isoformat()


def quote_schema(schema: str) -> str:
    """Return a schema, such as `system.access`, in quotes.

    Raises:
        ConfigurationError: It is no name of one or two parts.
    """
    if not _SCHEMA.fullmatch(schema):
        raise ConfigurationError(f"atlas.bridge.unity.schema = {schema}: must be like system.access")
    return ".".join(f"`{each}`" for each in schema.split("."))


def row_of(values: list[str | None]) -> LineageRow:
    """Return a row from the values that the query returns."""
    key, _, kind, identity, run, statement, user, metadata = (each or "" for each in values[:8])
    source, target = Place(*values[8:13]), Place(*values[13:18])
    source_column, target_column = (each or "" for each in values[18:])
    return LineageRow(
        key,
        int(values[1] or 0),
        kind,
        identity,
        run,
        statement,
        user,
        metadata,
        source,
        target,
        source_column,
        target_column,
    )


def count_of(values: list[str | None]) -> HourCount:
    """Return a row of the overview from the values that the query returns."""
    hour, catalog, *numbers = values
    return HourCount(int(hour or 0), catalog or "", *(int(each or 0) for each in numbers))
