"""A stand-in of Entra ID, and an environment without the variables of Azure's tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stack.certificates import Certificates, make_certificates
from tests.unit.transport.http.entra_server import EntraServer

_OTHERS = ("IDENTITY_ENDPOINT", "IDENTITY_HEADER", "IMDS_ENDPOINT", "MSI_ENDPOINT", "MSI_SECRET", "REQUESTS_CA_BUNDLE")


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def entra(certificates: Certificates) -> Iterator[EntraServer]:
    with EntraServer(certificates) as server:
        yield server


@pytest.fixture(autouse=True)
def _no_azure(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in (*_OTHERS, *(each for each in os.environ if each.startswith("AZURE_"))):
        monkeypatch.delenv(name, raising=False)
