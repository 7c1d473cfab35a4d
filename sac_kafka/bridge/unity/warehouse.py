"""Run queries on a SQL warehouse, and read their results in chunks.

Source: docs.databricks.com, Statement Execution API 2.0: values are text; a result of more than 25 MiB needs links, which are
valid for 15 minutes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from sac_kafka.bridge.unity.workspace import DatabricksWorkspace, EndingError, WorkspaceError
from sac_kafka.errors import SacKafkaError
from sac_kafka.unity.queries import Query

_PATH = "/api/2.0/sql/statements"
_WAIT = "10s"
_MAX_PAUSE_SECONDS = 10.0
_MAX_POLLS = 720
_MAX_ERROR = 500
_RUNNING = frozenset({"PENDING", "RUNNING"})
_RIGHTS = (
    "grant its identity USE CATALOG on the catalog system, USE SCHEMA on system.access and SELECT on table_lineage and "
    "column_lineage, or name a schema with views of them in atlas.bridge.unity.schema"
)
INLINE, EXTERNAL = "INLINE", "EXTERNAL_LINKS"

ResultRow = list[str | None]


class TooLargeError(SacKafkaError):
    """A result does not fit into answers."""


class Warehouse:
    """A SQL warehouse.

    Args:
        workspace: Its workspace.
        warehouse: Its id.
    """

    def __init__(self, workspace: DatabricksWorkspace, warehouse: str) -> None:
        self._workspace = workspace
        self._warehouse = warehouse

    def rows(self, query: Query) -> Iterator[ResultRow]:
        """Yield the rows of a query, with one chunk of them in memory.

        Raises:
            SacKafkaError: The query has failed, or the workspace cannot be reached.
        """
        try:
            first = self._run(query, INLINE)
        except TooLargeError:
            first = self._run(query, EXTERNAL)
        yield from self._chunks(first)

    def _run(self, query: Query, disposition: str) -> Mapping[str, Any]:
        """Return the answer with the first chunk."""
        answer = self._workspace.post(
            _PATH,
            {
                "warehouse_id": self._warehouse,
                "statement": query.text,
                "parameters": [{"name": name, **each._asdict()} for name, each in query.parameters.items()],
                "wait_timeout": _WAIT,
                "on_wait_timeout": "CONTINUE",
                "format": "JSON_ARRAY",
                "disposition": disposition,
            },
        )
        path = f"{_PATH}/{answer.get('statement_id')}"
        for poll in range(_MAX_POLLS):
            if _state(answer) not in _RUNNING:
                break
            if self._workspace.pause(min(_MAX_PAUSE_SECONDS, 1.0 + poll)):
                self._cancel(path)
                raise EndingError("the bridge ends")
            answer = self._workspace.get(path)
        if _state(answer) in _RUNNING:
            self._cancel(path)
            raise WorkspaceError(
                f"a query of the warehouse {self._warehouse} did not end in time and is canceled; check its load"
            )
        self._check(answer, disposition)
        return answer

    def _cancel(self, path: str) -> None:
        with suppress(SacKafkaError):
            self._workspace.post(f"{path}/cancel", {})

    def _check(self, answer: Mapping[str, Any], disposition: str) -> None:
        state = _state(answer)
        if state == "SUCCEEDED":
            if (answer.get("manifest") or {}).get("truncated"):
                raise WorkspaceError("the warehouse has cut a result: remove its limits of rows and bytes")
            return
        error = (answer.get("status") or {}).get("error") or {}
        text = " ".join(str(error.get("message") or error.get("error_code") or "no reason given").split())[:_MAX_ERROR]
        if disposition == INLINE and EXTERNAL in text:
            raise TooLargeError(text)
        raise WorkspaceError(f"a query of the warehouse {self._warehouse} is {state}: {text}; {_RIGHTS}")

    def _chunks(self, answer: Mapping[str, Any]) -> Iterator[ResultRow]:
        result: Mapping[str, Any] = answer.get("result") or {}
        own = f"{_PATH}/{answer.get('statement_id')}/result/chunks/0"
        while True:
            following = result.get("next_chunk_internal_link")
            for link in result.get("external_links") or ():
                yield from self._read_link(link, own)
                following = link.get("next_chunk_internal_link") or following
            yield from result.get("data_array") or ()
            if not following:
                return
            own = following
            result = self._workspace.get(following)

    def _read_link(self, link: Mapping[str, Any], own: str) -> list[ResultRow]:
        """Return the rows that a link leads to, by a new link if it has expired; `own` is the path of its chunk."""
        try:
            return self._workspace.download(link["external_link"])
        except WorkspaceError as error:
            if error.status is None:
                raise
        links = self._workspace.get(own).get("external_links") or ()
        again = next((each for each in links if each.get("chunk_index") == link.get("chunk_index")), link)
        return self._workspace.download(again["external_link"])


def _state(answer: Mapping[str, Any]) -> str:
    return str((answer.get("status") or {}).get("state") or "UNKNOWN")
