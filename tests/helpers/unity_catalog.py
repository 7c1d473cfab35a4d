"""A stand-in for a workspace of Databricks: its SQL warehouse, lineage tables, and the interfaces that have names.

It runs the real text of the queries, on SQLite with the functions that they use; tests/live/unity runs them on Spark, too.
Results come in chunks, after polls, and as links if they are large. Nothing here was compared with a real workspace.
"""

from __future__ import annotations

import base64
import json
import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from itertools import count
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply

WORKSPACE_ID, WAREHOUSE, TOKEN = "1234567890", "5f2c", "dapi-token-of-tests"
METASTORE = "0a1b2c3d-0000-4000-8000-00000000abcd"
CLIENT, SECRET = "principal-of-tests", "oauth-secret-of-tests"
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SIDE = ("table_full_name", "table_catalog", "table_schema", "table_name", "path", "type")
_COMMON = (
    *("account_id", "metastore_id", "workspace_id", "entity_type", "entity_id", "entity_run_id"),
    *(f"{side}_{each}" for side in ("source", "target") for each in _SIDE),
    *("created_by", "event_time", "event_date", "record_id", "event_id", "statement_id", "entity_metadata"),
)
_COLUMNS = {"table_lineage": _COMMON, "column_lineage": (*_COMMON, "source_column_name", "target_column_name")}

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A planted statement; it has a row per source, and per pair of columns.

    Attributes:
        at: Its time.
        target: The name of a table, or a path; None for a read alone.
        sources: Names of tables, or paths; none for a write alone.
        columns: Triples of source, its column, and the column of the target.
        entity: Type, id and id of the run.
        metadata: The content of `entity_metadata`.
        statement_id: Its id, if it ran on a warehouse.
        types: Types of sources and targets other than TABLE and PATH.
        paths: Locations of tables.
        user: Who has run it.
        arrives: The arrival of its rows.
        late: Sources, or "columns", whose rows come with a later arrival.
        workspace: The id of the workspace.
        has_record_ids: Whether rows have an id.
        event: Its `event_id`; "" for one of its own.
        copies: How often each row is there.
    """

    at: datetime
    target: str | None
    sources: Sequence[str] = ()
    columns: Sequence[tuple[str, str, str]] = ()
    entity: tuple[str | None, str | None, str | None] = (None, None, None)
    metadata: Json = field(default_factory=dict)
    statement_id: str | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    user: str | None = "ada@example.org"
    arrives: int = 0
    late: Mapping[str, int] = field(default_factory=dict)
    workspace: str = WORKSPACE_ID
    has_record_ids: bool = True
    event: str | None = ""
    copies: int = 1

    def rows(self, number: int) -> Iterator[tuple[str, int, Json]]:
        """Yield the table, the arrival and the values of each row; `number` makes their ids."""
        edges = [(source, self.target) for source in self.sources or (None,)]
        for i, (source, target) in enumerate(edges):
            yield "table_lineage", self.late.get(source or "", self.arrives), self._row(number, f"t{i}", source, target)
        for i, (source, column, to) in enumerate(self.columns):
            row = self._row(number, f"c{i}", source, self.target)
            yield (
                "column_lineage",
                self.late.get(source, self.late.get("columns", self.arrives)),
                {**row, "source_column_name": column, "target_column_name": to},
            )

    def _row(self, number: int, record: str, source: str | None, target: str | None) -> Json:
        kind, identity, run = self.entity
        return {
            "account_id": "account",
            "metastore_id": METASTORE,
            "workspace_id": self.workspace,
            "entity_type": kind,
            "entity_id": identity,
            "entity_run_id": run,
            **self._side("source", source),
            **self._side("target", target),
            "created_by": self.user,
            "event_time": text_of(self.at),
            "event_date": self.at.date().isoformat(),
            "record_id": f"{number}-{record}" if self.has_record_ids else None,
            "event_id": f"event-{number}" if self.event == "" else self.event,
            "statement_id": self.statement_id,
            "entity_metadata": json.dumps(self.metadata),
        }

    def _side(self, side: str, name: str | None) -> Json:
        if name is None:
            return {}
        if "/" in name:
            return {f"{side}_path": name, f"{side}_type": self.types.get(name, "PATH")}
        catalog, schema, table = name.split(".")
        values = (name, catalog, schema, table, self.paths.get(name), self.types.get(name, "TABLE"))
        return {f"{side}_{key}": value for key, value in zip(_SIDE, values, strict=True)}


def text_of(at: datetime) -> str:
    """Return a time as SQLite compares it."""
    return at.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")


def _micros(text: str) -> int:
    at = datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f").replace(tzinfo=timezone.utc)
    return (at - _EPOCH) // timedelta(microseconds=1)


def _concat_ws(separator: str, *values: object) -> str:
    return separator.join(str(each) for each in values if each is not None)


class Fault:
    """What a request is answered with instead: a status, with headers; None cuts the connection."""

    def __init__(self, status: int | None, **headers: str) -> None:
        self.reply: Reply | None = None if status is None else (status, headers, b'{"message": "planted"}')


class UnityCatalog(LoopbackServer):
    """A workspace.

    Args:
        statements: What the lineage tables show.

    Attributes:
        arrived: Rows of later arrivals are not there yet.
        requests: The paths of all requests.
        faults: Faults by the number of the request, from 0.
        fault: Returns the fault of a request by its number and path; None for none.
        chunk_rows: Rows of a chunk.
        inline_rows: Rows above which a result needs links.
        polls: Polls before a result is ready.
        names: Answers of other interfaces by path and parameters; others are answered with 404.
        tokens: Tokens that are accepted.
    """

    def __init__(self, *statements: Statement) -> None:
        super().__init__()
        self.arrived = 0
        self.requests: list[str] = []
        self.faults: dict[int, Fault] = {}
        self.fault: Callable[[int, str], Fault | None] = lambda _number, _path: None
        self.chunk_rows = 7
        self.inline_rows = 1_000_000
        self.polls = 0
        self.names: dict[str, Json | int] = {}
        self.tokens = {TOKEN}
        self.links: dict[str, bytes] = {}
        self.link_headers: list[str | None] = []
        self.expire_links = False
        self.is_link_insecure = False
        self.queries: list[tuple[str, Json]] = []
        self.issued = 0
        self._statements = list(statements)
        self._results: dict[str, tuple[list[list[str | None]], bool, int]] = {}
        self._numbers = count()

    def add(self, *statements: Statement) -> None:
        """Add statements."""
        self._statements += statements

    def reply(self, request: HttpRequest) -> Reply | None:
        """Answer a request."""
        number, path = len(self.requests), request.path
        self.requests.append(f"{request.method} {path}")
        fault = self.faults.pop(number, None) or self.fault(number, path)
        if fault is not None:
            return fault.reply
        if path.startswith("/links/"):
            self.link_headers.append(request.headers.get("Authorization"))
            body = self.links.pop(path, None)
            return (403, {}, b"<Error>expired</Error>") if body is None else _json(200, json.loads(body))
        if path == "/oidc/v1/token":
            return self._token(request)
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.tokens:
            return _json(401, {"error_code": "401", "message": "Credential was not sent or was of an unsupported type"})
        return self._route(request.method, path, request.body)

    def _route(self, method: str, path: str, body: bytes) -> Reply:
        if path == "/api/2.0/preview/scim/v2/Me":
            return 200, {"X-Databricks-Org-Id": WORKSPACE_ID}, b'{"userName": "bridge"}'
        if path == "/api/2.1/unity-catalog/metastore_summary":
            return _json(200, {"metastore_id": METASTORE})
        if path.startswith("/api/2.0/sql/statements"):
            return self._statement(method, path.removeprefix("/api/2.0/sql/statements").strip("/").split("/"), body)
        parts = urlsplit(path)
        key = unquote(parts.path) + "".join(
            f" {name}={each[0]}" for name, each in sorted(parse_qs(parts.query).items())
        )
        found = self.names.get(key, 404)
        return _json(found, {"message": "planted"}) if isinstance(found, int) else _json(200, found)

    def _token(self, request: HttpRequest) -> Reply:
        expected = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        form = parse_qs(request.body.decode())
        if request.headers.get("Authorization") != expected or form.get("scope") != ["all-apis"]:
            return _json(401, {"error": "invalid_client", "error_description": "unknown"})
        self.issued += 1
        self.tokens = {f"issued-{self.issued}"}
        return _json(200, {"access_token": f"issued-{self.issued}", "token_type": "Bearer", "expires_in": 3600})

    # ---- the warehouse

    def _statement(self, method: str, parts: list[str], body: bytes) -> Reply:
        if method == "POST" and parts == [""]:
            return self._execute(json.loads(body))
        rows, is_external, polls = self._results[parts[0]]
        if parts[1:] == ["cancel"]:
            return _json(200, {})
        if len(parts) == 1 and polls:
            self._results[parts[0]] = (rows, is_external, polls - 1)
            return _json(200, {"statement_id": parts[0], "status": {"state": "PENDING" if polls > 1 else "RUNNING"}})
        chunk = int(parts[-1]) if len(parts) > 1 else 0
        result = self._chunk(parts[0], chunk)
        if len(parts) > 1:
            return _json(200, result)
        manifest = {"format": "JSON_ARRAY", "total_row_count": len(rows), "truncated": False}
        answer = {"statement_id": parts[0], "status": {"state": "SUCCEEDED"}, "manifest": manifest, "result": result}
        return _json(200, answer)

    def _execute(self, body: Json) -> Reply:
        assert (body["format"], body["on_wait_timeout"], body["wait_timeout"]) == ("JSON_ARRAY", "CONTINUE", "10s")
        if body["warehouse_id"] != WAREHOUSE:
            return _json(404, {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no such warehouse"})
        self.queries.append((body["statement"], {each["name"]: each["value"] for each in body["parameters"]}))
        try:
            rows = self._rows(body)
        except sqlite3.Error as error:
            return self._failed(f"[TABLE_OR_VIEW_NOT_FOUND] {error}")
        is_external = body["disposition"] == "EXTERNAL_LINKS"
        if not is_external and len(rows) > self.inline_rows:
            return self._failed(
                "Inline byte limit exceeded. Please execute the statement with disposition=EXTERNAL_LINKS"
            )
        identity = f"statement-{next(self._numbers)}"
        self._results[identity] = (rows, is_external, self.polls)
        return self._statement("GET", [identity], b"")

    def _failed(self, text: str) -> Reply:
        error = {"error_code": "BAD_REQUEST", "message": text}
        return _json(200, {"statement_id": "failed", "status": {"state": "FAILED", "error": error}})

    def _chunk(self, identity: str, number: int) -> Json:
        rows, is_external, _ = self._results[identity]
        part = rows[number * self.chunk_rows : (number + 1) * self.chunk_rows]
        more = {}
        if (number + 1) * self.chunk_rows < len(rows):
            link = f"/api/2.0/sql/statements/{identity}/result/chunks/{number + 1}"
            more = {"next_chunk_index": number + 1, "next_chunk_internal_link": link}
        if not is_external:
            return {"chunk_index": number, "data_array": part, **more}
        path = f"/links/{next(self._numbers)}"
        if not self.expire_links or path not in self.links:
            self.links[path] = json.dumps(part).encode()
        if self.expire_links:
            del self.links[path]
            self.expire_links = False
        address = "http://storage.example.org" if self.is_link_insecure else self.address
        return {"external_links": [{"chunk_index": number, "external_link": f"{address}{path}", **more}]}

    def _rows(self, body: Json) -> list[list[str | None]]:
        connection = sqlite3.connect(":memory:")
        for name, function, arity in (
            ("unix_micros", _micros, 1),
            ("timestamp_micros", lambda micros: text_of(_EPOCH + timedelta(microseconds=micros)), 1),
            ("floor", math.floor, 1),
            ("concat_ws", _concat_ws, -1),
            ("to_json", lambda text: text, 1),
        ):
            connection.create_function(name, arity, function)
        for table, columns in _COLUMNS.items():
            connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        for table, row in self.visible():
            marks = ", ".join(f":{each}" for each in _COLUMNS[table])
            connection.execute(f"INSERT INTO {table} VALUES ({marks})", {**dict.fromkeys(_COLUMNS[table]), **row})
        values = {
            each["name"]: int(each["value"]) if each["type"] == "BIGINT" else each["value"]
            for each in body["parameters"]
        }
        found = connection.execute(body["statement"].replace("`system`.`access`.", ""), values).fetchall()
        connection.close()
        return [[None if value is None else str(value) for value in row] for row in found]

    def visible(self) -> Iterator[tuple[str, Json]]:
        """Yield the rows that have arrived, with their tables."""
        for number, statement in enumerate(self._statements):
            for table, arrival, row in statement.rows(number):
                if arrival <= self.arrived:
                    yield from ((table, row) for _ in range(statement.copies))


def _json(status: int, value: object) -> Reply:
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()
