"""Answer the requests of OpenLineage clients: a stateless ASGI application.

An event is confirmed once the journal has it. What cannot be an event is refused with the reason; producers, facets and
namespaces are never a reason.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sac_kafka.bridge.journal import FullError, UnwritableError
from sac_kafka.guard import describe
from sac_kafka.log import logger
from sac_kafka.openlineage.events import EventError, OtherEventError, RunEvent, read_event
from sac_kafka.version import __version__

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_ENCODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 47, "identity": 0, "": 0}
"""Encodings of bodies, with the `wbits` of zlib."""
_RETRY_SECONDS = "10"
REFUSED = "requests refused"
_READ_ONLY = frozenset({"/health", "/metrics", "/openapi.json"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a request: of its body, of what it expands to, in bytes, of a batch, and of the time to send it."""

    body_bytes: int = 16 * 1024 * 1024
    expanded_bytes: int = 64 * 1024 * 1024
    batch: int = 10_000
    seconds: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """What the application needs.

    Attributes:
        keep: Stores texts of events, and what was read from them (`Intake.keep`); called in a separate thread.
        count: Counts a request that is refused, by a text (`Intake.count`).
        counts: Returns the counters of the bridge.
        token: The token that clients must send; "" for none.
        limits: The limits of requests.
    """

    keep: Callable[[Sequence[str], Sequence[object]], None]
    count: Callable[[str], None]
    counts: Callable[[], Mapping[str, int]]
    token: str = field(default="", repr=False)
    limits: Limits = field(default_factory=Limits)


class RefusedError(Exception):
    """A request is refused with a status and a reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def application(api: Api) -> Starlette:
    """Return the application. Events are posted to any path; a path that ends in `/batch` takes a list of them."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route

    commits = _Commits(api.keep)

    async def post(request: Request) -> Response:
        if request.url.path in _READ_ONLY:
            return Response(status_code=405, headers={"Allow": "GET"})
        try:
            check_token(api.token, request.headers.get("authorization", ""))
            body = await _body(request, api.limits)
            value = _json(body)
            is_batch = request.url.path.rstrip("/").endswith("/batch")
            values = _values(value, api.limits.batch, is_batch=is_batch)
            results = [*map(read, values)]
            problems = {at: str(result) for at, result in enumerate(results) if isinstance(result, EventError)}
            if problems and not isinstance(value, list):
                raise RefusedError(400, problems[0])
            texts = map(json.dumps, values) if isinstance(value, list) else [_line(body)]
            kept = [pair for at, pair in enumerate(zip(texts, results, strict=True)) if at not in problems]
            if kept:
                await commits.keep(kept)
        except RefusedError as error:
            api.count(f"{REFUSED}: {error.status}")
            challenge = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}
            return JSONResponse({"error": str(error)}, error.status, challenge)
        except FullError as error:
            api.count(f"{REFUSED}: 503")
            return JSONResponse({"error": str(error)}, 503, {"Retry-After": _RETRY_SECONDS})
        except Exception as error:  # noqa: BLE001 whatever happens, the client has an answer
            api.count(f"{REFUSED}: 500")
            logger.warning("a request has failed: %s", describe(error))
            return JSONResponse({"error": "the bridge has failed; its log has the reason"}, 500)
        if problems:
            return JSONResponse(batch_result(len(values), problems))
        return Response(status_code=204 if is_batch else 201)

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    async def metrics(request: Request) -> Response:
        try:
            check_token(api.token, request.headers.get("authorization", ""))
        except RefusedError as error:
            return JSONResponse({"error": str(error)}, error.status, {"WWW-Authenticate": "Bearer"})
        return PlainTextResponse(prometheus_text(api.counts()))

    async def description(_: Request) -> Response:
        return JSONResponse(OPENAPI)

    return Starlette(
        routes=[
            Route("/health", health, methods=["GET"]),
            Route("/metrics", metrics, methods=["GET"]),
            Route("/openapi.json", description, methods=["GET"]),
            Route("/{path:path}", post, methods=["POST"]),
        ]
    )


class _Commits:
    """Write the events of the requests that wait at the same time together, so that they share the sync of the disk."""

    def __init__(self, keep: Callable[[Sequence[str], Sequence[object]], None]) -> None:
        self._keep = keep
        self._waiting: list[tuple[Sequence[tuple[str, object]], asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def keep(self, events: Sequence[tuple[str, object]]) -> None:
        """Return when events are on disk.

        Raises:
            FullError: They cannot be written.
            Exception: Whatever else has prevented it.
        """
        loop = asyncio.get_running_loop()
        written = loop.create_future()
        self._waiting.append((events, written))
        if self._task is None:
            self._task = loop.create_task(self._write_all())
        await written

    async def _write_all(self) -> None:
        requests: Sequence[tuple[Sequence[tuple[str, object]], asyncio.Future[None]]] = ()
        try:
            while self._waiting:
                requests, self._waiting = self._waiting, []
                problems = await asyncio.to_thread(self._write, [events for events, _ in requests])
                for (_, written), problem in zip(requests, problems, strict=True):
                    if written.done():
                        continue
                    if problem is None:
                        written.set_result(None)
                    else:
                        written.set_exception(problem)
        finally:
            self._task = None
            for _, written in (*requests, *self._waiting):  # if the server ends, no client waits for ever
                written.cancel()
            self._waiting = []

    def _write(self, requests: Sequence[Sequence[tuple[str, object]]]) -> list[Exception | None]:
        """Write requests together, or each alone if there is no room for all; return why each is not written."""
        texts, events = zip(*(event for request in requests for event in request), strict=True)
        try:
            self._keep(texts, events)
        except FullError as error:
            if len(requests) == 1 or isinstance(error, UnwritableError):
                return [error] * len(requests)
            return [problem for request in requests for problem in self._write([request])]
        except Exception as error:  # noqa: BLE001 each request is answered with it
            return [error] * len(requests)
        return [None] * len(requests)


def check_token(token: str, header: str) -> None:
    """Compare the token of a request in constant time.

    Raises:
        RefusedError: It is missing or wrong.
    """
    kind, _, given = header.partition(" ")
    if token and not (kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())):
        raise RefusedError(401, "the header Authorization has no valid token")


async def _body(request: Request, limits: Limits) -> bytes:
    """Read the body within the limits.

    Raises:
        RefusedError: A limit is exceeded, or the body cannot be decoded.
    """
    try:
        return await asyncio.wait_for(_expanded(request, limits), limits.seconds)
    except asyncio.TimeoutError:
        raise RefusedError(408, f"the body was not sent within {limits.seconds:g} s") from None


async def _expanded(request: Request, limits: Limits) -> bytes:
    bits = _ENCODINGS.get(request.headers.get("content-encoding", "").strip().lower())
    if bits is None:
        raise RefusedError(415, "the Content-Encoding is neither gzip nor deflate")
    decoder = zlib.decompressobj(bits) if bits else None
    received, expanded = 0, bytearray()
    async for chunk in request.stream():
        received += len(chunk)
        if received > limits.body_bytes:
            raise RefusedError(413, f"the body is longer than {limits.body_bytes} bytes")
        try:
            expanded += decoder.decompress(chunk, limits.expanded_bytes + 1 - len(expanded)) if decoder else chunk
        except zlib.error:
            raise RefusedError(400, "the body is not compressed as its Content-Encoding states") from None
        if len(expanded) > limits.expanded_bytes:
            raise RefusedError(413, f"the body expands to more than {limits.expanded_bytes} bytes")
    if decoder is not None and not decoder.eof:
        raise RefusedError(400, "the compressed body is incomplete")
    return bytes(expanded)


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError(400, "the body is not JSON") from None


def _line(body: bytes) -> str:
    """Return a JSON text as one line: line ends occur between its tokens only."""
    return body.decode(json.detect_encoding(body), "replace").replace("\r", " ").replace("\n", " ")


def _values(value: object, most: int, *, is_batch: bool) -> list[object]:
    if is_batch and not isinstance(value, list):
        raise RefusedError(400, "a batch is a list of events")
    values = value if isinstance(value, list) else [value]
    if len(values) > most:
        raise RefusedError(413, f"the batch has more than {most} events")
    return values


def read(value: object) -> RunEvent | EventError | object:
    """Return an event of a run; an event without a run unchanged; the reason if it cannot be an event."""
    try:
        return read_event(value)
    except OtherEventError:
        return value
    except EventError as error:
        return error


def batch_result(received: int, problems: Mapping[int, str]) -> dict[str, Any]:
    """Return the answer to a batch of which events were refused, as OpenLineage specifies it."""
    failed = len(problems)
    return {
        "status": "partial_success",
        "summary": {
            "received": received,
            "successful": received - failed,
            "failed": failed,
            "retriable": 0,
            "non_retriable": failed,
        },
        "failed_events": [{"index": at, "reason": text, "retriable": False} for at, text in problems.items()],
    }


def prometheus_text(counts: Mapping[str, int]) -> str:
    """Return counters in the text format of Prometheus."""
    lines = [
        "# HELP sac_kafka_bridge_total What the bridge has counted, by reason.",
        "# TYPE sac_kafka_bridge_total counter",
    ]
    for reason, number in sorted(counts.items()):
        label = reason.encode(errors="replace").decode().replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        lines.append(f'sac_kafka_bridge_total{{reason="{label}"}} {number}')
    return "\n".join(lines) + "\n"


def _operation(summary: str, answers: Mapping[str, str], schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    body = {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}} if schema else {}
    return {
        "summary": summary,
        **body,
        "responses": {status: {"description": text} for status, text in answers.items()},
    }


_REFUSALS = {
    "400": "not an event",
    "401": "the token is missing or wrong",
    "408": "the body was sent too slowly",
    "413": "the body or batch is too large",
    "415": "the encoding is not known",
    "500": "the bridge has failed, which its log explains",
    "503": "the disk is full",
}
_RUN = {"type": "object", "required": ["runId"], "properties": {"runId": {"type": "string", "pattern": "\\S"}}}
_WITHOUT_RUN = {"not": {"required": ["run"]}}
_EVENT: Mapping[str, Any] = {
    "type": "object",
    "anyOf": [
        {
            "required": ["run", "eventTime"],
            "properties": {"run": _RUN, "eventTime": {"type": "string", "format": "date-time"}},
        },
        {"required": ["dataset"], **_WITHOUT_RUN},
        {"required": ["job"], "properties": {"job": {"type": "object"}}, **_WITHOUT_RUN},
    ],
}
"""Events of runs, datasets and jobs, as far as others are refused."""
OPENAPI: Mapping[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "sac-kafka bridge", "version": __version__},
    "paths": {
        "/api/v1/lineage": {
            "post": _operation(
                "Send an event, or a list of them",
                {"201": "the event is kept", "200": "some events of the list were refused", **_REFUSALS},
                {"anyOf": [_EVENT, {"type": "array"}]},
            )
        },
        "/api/v1/lineage/batch": {
            "post": _operation(
                "Send events",
                {"204": "all events are kept", "200": "some events were refused", **_REFUSALS},
                {"type": "array"},
            )
        },
        "/health": {"get": _operation("Whether the bridge runs", {"200": "it does"})},
        "/metrics": {"get": _operation("Counters for Prometheus", {"200": "text", "401": _REFUSALS["401"]})},
    },
}
"""The description of the requests."""
