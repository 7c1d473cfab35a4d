"""An account with the types that every account has, on loopback, and an environment without Azure's variables."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from sac_kafka.purview.types import BUILT_IN, definitions
from tests.unit.purview.types_server import TypeDefinitions
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer


@pytest.fixture
def types() -> TypeDefinitions:
    return TypeDefinitions(definitions([BUILT_IN]))


@pytest.fixture
def account(types: TypeDefinitions) -> DataMap:
    return DataMap(more=types.answer)


@pytest.fixture
def server(account: DataMap) -> Iterator[DataMapHttpServer]:
    with DataMapHttpServer(account) as running:
        yield running


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    proxies = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    ours = ("ATLAS_CONF", "ATLAS_TOKEN", "ATLAS_PASSWORD", "REQUESTS_CA_BUNDLE")
    for name in (*proxies, *ours, *(each for each in os.environ if each.startswith(("AZURE_", "IDENTITY_", "MSI_")))):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path_factory.mktemp("nowhere"))
