"""Tokens of Entra ID on the way to the Data Map: got, renewed, refused, and shown nowhere."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import jwt
import pytest

from sac_kafka.transport.base import FailureKind
from stack.certificates import Certificates
from tests.helpers.secret_search import used
from tests.unit.transport.http.data_map.bench import Sender, creation, flow, path, transport
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer
from tests.unit.transport.http.entra_server import AUDIENCES, EntraServer


@pytest.fixture
def entra(certificates: Certificates, account: DataMap, monkeypatch: pytest.MonkeyPatch) -> Iterator[EntraServer]:
    """Let the account accept this server's unexpired tokens for Purview."""
    for name in [each for each in os.environ if each.startswith(("AZURE_", "IDENTITY_", "MSI_"))]:
        monkeypatch.delenv(name)
    with EntraServer(certificates) as running:
        used(running.client_secret)

        def accepts(token: str) -> bool:
            try:
                return bool(running.claims(token, AUDIENCES[0]))
            except jwt.InvalidTokenError:
                return False

        account.accepts = accepts
        yield running


def without_token(server: DataMapHttpServer, entra: EntraServer) -> dict[str, str]:
    return {**entra.properties(), "atlas.hook.spark.rest.token": "", "atlas.rest.address": server.address}


def test_one_token_is_requested_and_used_for_all(
    account: DataMap, server: DataMapHttpServer, entra: EntraServer, sender: Sender
) -> None:
    sent = transport(server, account, **without_token(server, entra))
    sender.send(sent, *(creation(*flow(f"flow {n}")) for n in range(5)))
    sent.close(60)
    assert sender.outcomes == [None] * 5
    assert len(entra.requests_to("/token")) == 1
    assert entra.requests_to("/token")[0].form["scope"] == "https://purview.azure.net/.default"


def test_a_refused_token_is_renewed_once_without_a_failure(
    account: DataMap, server: DataMapHttpServer, entra: EntraServer, sender: Sender
) -> None:
    sent = transport(server, account, **without_token(server, entra))
    sender.send(sent, creation(path("a")))
    sent.flush(60)
    old = account.requests[-1].headers["Authorization"]
    takes = account.accepts
    account.accepts = lambda token: f"Bearer {token}" != old and takes is not None and takes(token)
    sender.send(sent, creation(path("b")))
    sent.close(60)
    assert sender.outcomes == [None, None]
    assert len(entra.requests_to("/token")) == 2
    assert len(account.requests) == 3
    assert sent.failure_counts == {}


def test_an_account_that_refuses_every_token_is_called_twice_only(
    account: DataMap, server: DataMapHttpServer, entra: EntraServer, sender: Sender
) -> None:
    account.accepts = lambda token: False
    sent = transport(server, account, **without_token(server, entra))
    for name in "abc":
        sender.send(sent, creation(path(name)))
        sent.service(0)
    sent.close(60)
    assert [failure.kind for failure in sender.failures] == [FailureKind.NEEDS_ACTION] * 3
    assert "the token is refused: check atlas.hook.spark.entra.*" in str(sender.failures[0])
    assert (len(account.requests), len(entra.requests_to("/token"))) == (2, 2)


def test_a_missing_token_is_explained_without_secrets(
    account: DataMap, server: DataMapHttpServer, entra: EntraServer, sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    entra.secret_has_expired = True
    sent = transport(server, account, **without_token(server, entra))
    with caplog.at_level(logging.DEBUG):
        sender.send(sent, creation(path("a")))
        sent.service(0)
    [failure] = sender.failures
    assert failure.kind is FailureKind.NEEDS_ACTION
    assert "the client secret has expired" in str(failure)
    assert str(failure).startswith(server.address)
    assert account.requests == []
    assert entra.client_secret not in str(failure) + caplog.text
    assert sent.failure_counts == {"no token": 1}


def test_a_hanging_token_server_costs_only_the_remaining_time(
    account: DataMap, server: DataMapHttpServer, entra: EntraServer, sender: Sender
) -> None:
    entra.answers.clear()  # until the test has ended: a request without a deadline would hang, too
    patient = {"atlas.hook.spark.entra.timeout.seconds": "300"}
    sent = transport(server, account, **without_token(server, entra), **patient)
    sender.send(sent, creation(path("a")))
    try:
        sent.close(0.3)
        assert sender.failures[0].kind is FailureKind.TRANSIENT
        assert "atlas.hook.spark.entra.timeout.seconds" in str(sender.failures[0])
    finally:
        entra.answers.set()
