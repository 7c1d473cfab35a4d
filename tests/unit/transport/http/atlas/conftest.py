"""Shared by the tests of the transport over HTTP: a server, and no proxy of the machine's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.transport.http.atlas.bench import Sender
from tests.unit.transport.notification_server import NotificationServer


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[NotificationServer]:
    with NotificationServer() as running:
        yield running


@pytest.fixture
def sender() -> Sender:
    return Sender()
