"""Atlas' notification endpoint as a server on loopback, which answers as a test wants and keeps what was posted."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from typing import Any

from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply

PATH = "/api/atlas/v2/notification/topic/ATLAS_HOOK"
HANG = "hang"
"""Used as a reply: no answer until the server ends."""


class NotificationServer(LoopbackServer):
    """`posted` are the messages in order, of all requests answered 204.

    `replies` are given first, one a request; `HANG` instead of one answers nothing until the server ends, and None cuts
    the connection.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(tls)
        self.posted: list[Any] = []
        self.bodies: list[list[Any]] = []
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.replies: list[Reply | str | None] = []
        self.always: Reply | str | None = (204, {}, b"")
        self.authorization: str | None = None
        self.longest_body = 1 << 30
        self.base = ""
        self.fails_on: Callable[[list[Any]], Reply | None] = lambda body: None

    def reply(self, request: HttpRequest) -> Reply | None:
        body = json.loads(request.body)
        self.requests.append((request.method, request.path, dict(request.headers)))
        self.bodies.append(body)
        reply = self.replies.pop(0) if self.replies else self.always
        if isinstance(reply, str):
            self.is_over.wait()
            reply = (204, {}, b"")
        if reply is None:
            return None
        if self.authorization is not None and request.headers.get("Authorization") != self.authorization:
            reply = (401, {}, b"")
        elif len(request.body) > self.longest_body:
            reply = (413, {}, b"")
        elif (failure := self.fails_on(body)) is not None:
            reply = failure
        elif request.path != self.base + PATH:
            reply = (404, {}, b"<html>")
        if reply[0] == 204:
            self.posted += body
        return reply
