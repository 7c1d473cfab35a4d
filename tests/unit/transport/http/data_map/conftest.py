"""Shared by the tests of the Data Map: an account, its server over TLS, and no proxy of the machine's."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import pytest

from stack.certificates import Certificates, make_certificates
from tests.unit.transport.http.data_map.bench import Sender
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def tls(certificates: Certificates) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.key_store("broker"))
    return context


@pytest.fixture
def account() -> DataMap:
    return DataMap()


@pytest.fixture
def server(account: DataMap) -> Iterator[DataMapHttpServer]:
    with DataMapHttpServer(account) as running:
        yield running


@pytest.fixture
def sender() -> Sender:
    return Sender()
