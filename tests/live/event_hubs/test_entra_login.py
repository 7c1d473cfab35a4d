"""Entra ID in place of a connection string: the requested token, its identity, and the endpoint's answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.tools.cli.main import main
from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.http.entra import tokens as entra_tokens
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings
from stack.properties import atlas_properties
from tests.helpers.broker import LocalBroker
from tests.helpers.secret_search import used
from tests.helpers.token_server import TokenServer
from tests.live.event_hubs.clients import await_outcomes, token_file
from tests.live.event_hubs.endpoint import Endpoint
from tests.live.event_hubs.namespace import Namespace

HOST = "contoso.servicebus.windows.net"
FILE = {
    "atlas.kafka.bootstrap.servers": f"{HOST}:9093",
    "atlas.kafka.security.protocol": "SASL_SSL",
    "atlas.kafka.sasl.mechanism": "OAUTHBEARER",
}
MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"


@pytest.fixture(scope="module")
def tokens() -> Iterator[TokenServer]:
    with TokenServer() as server:
        yield server


def sent(settings: dict[str, str]) -> Failure | None:
    to = make_transport(Settings.read(settings, "test"))
    outcomes: list[Failure | None] = []
    to.send(Record("ATLAS_HOOK", b"app", (b"{}",)), outcomes.append)
    await_outcomes(to, outcomes, 1)
    to.close(1)
    return outcomes[0]


@pytest.mark.kafka
@pytest.mark.everyday
@pytest.mark.parametrize("hub", ["", "ATLAS_HOOK"])
def test_a_token_delivers_whether_the_role_is_on_the_namespace_or_on_the_event_hub(
    endpoint: Endpoint, namespace: Namespace, broker: LocalBroker, tokens: TokenServer, hub: str
) -> None:
    namespace.senders = {"hook": hub}
    before = len(broker.read_all("ATLAS_HOOK"))
    token = used(tokens.token("hook", aud=f"https://{HOST}"))
    assert sent(token_file(endpoint, token)) is None
    assert len(broker.read_all("ATLAS_HOOK")) == before + 1


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("audience", "subject", "sentence"),
    [
        ("https://fabrikam.servicebus.windows.net", "hook", "the OAuth token was refused"),
        (f"https://{HOST}", "somebody", "the user may not write to the topic ATLAS_HOOK"),
    ],
)
def test_a_token_for_another_audience_is_reported(
    endpoint: Endpoint, namespace: Namespace, tokens: TokenServer, audience: str, subject: str, sentence: str
) -> None:
    namespace.senders = {"hook": ""}
    token = used(tokens.token(subject, aud=audience))
    failure = sent(token_file(endpoint, token))
    assert failure is not None
    assert (failure.kind.value, sentence in failure.reason) == ("needs_action", True), failure
    assert token not in failure.reason


@pytest.mark.kafka
@pytest.mark.parametrize("hub", ["", "ATLAS_HOOK"])
def test_the_doctor_logs_in_by_token(
    endpoint: Endpoint,
    namespace: Namespace,
    tokens: TokenServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    hub: str,
) -> None:
    """A role on one event hub does not allow requesting brokers without an event hub: the connection is closed."""
    namespace.senders = {"hook": hub}
    token = used(tokens.token("hook", aud=f"https://{HOST}"))
    file = tmp_path / "doctor.properties"
    file.write_text(atlas_properties({**token_file(endpoint, token), "atlas.hook.spool.dir": str(tmp_path / "spool")}))
    assert main(["doctor", "--conf-file", str(file), "--timeout", "60"]) == 0, capsys.readouterr()
    printed = capsys.readouterr().out
    assert f"ok    log-in         kafka {HOST}:9093 (SASL_SSL, OAUTHBEARER), topic ATLAS_HOOK" in printed
    assert "ok    topic          ATLAS_HOOK, 1 partition" in printed
    assert namespace.seen.counts["requests to create event hubs"] == 0


@pytest.mark.kafka
@pytest.mark.planted
def test_an_expired_token_is_reported_before_a_connection(
    endpoint: Endpoint, namespace: Namespace, tokens: TokenServer
) -> None:
    ended = used(tokens.token("hook", exp=int(time.time()) - 10, aud=f"https://{HOST}"))
    failure = sent(token_file(endpoint, ended))
    assert failure is not None
    assert failure.reason.startswith("Microsoft Entra ID gives no token; correct atlas.hook.spark.entra.*"), failure
    assert namespace.seen.counts["connections"] == 0


@pytest.mark.parametrize("jaas", ["", f"{MODULE} required;"])
def test_the_identity_of_the_machine_is_the_default(jaas: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Follow Microsoft's page on managed identities: a login module without options."""
    identities: list[tuple[str, str]] = []

    def connect(identity: entra_tokens.Identity, timeout_seconds: float) -> entra_tokens.Fetch:
        def fetch(scope: str) -> tuple[str, int]:
            identities.append((identity.kind.value, scope))
            return "token-of-the-machine", int(time.time()) + 3600

        return fetch

    monkeypatch.setattr(
        entra_tokens.EntraTokenSource.__init__, "__kwdefaults__", {"connect": connect, "clock": time.time}
    )
    for variable in ("AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_FEDERATED_TOKEN_FILE"):
        monkeypatch.delenv(variable, raising=False)
    settings = Settings.read({**FILE, **({"atlas.kafka.sasl.jaas.config": jaas} if jaas else {})}, "test")
    translation = librdkafka_settings(settings, None)
    assert translation.warnings == ()
    assert identities == []  # no token is requested before a client is made
    token = translation.client_config()["oauth_cb"]("")
    assert token[0] == "token-of-the-machine"
    assert token[1] > time.time()
    assert identities == [("managed-identity", f"https://{HOST}/.default")]
    assert "sasl.username" not in translation.config


@pytest.mark.parametrize(
    "changes",
    [
        {"bootstrap.servers": "broker.example.com:9093"},
        {"sasl.jaas.config": f'{MODULE} required clientId="a" clientSecret="not-a-secret";'},
    ],
)
def test_no_identity_is_used_for_another_broker_or_a_named_client(changes: dict[str, str]) -> None:
    settings = Settings.read({**FILE, **{f"atlas.kafka.{key}": text for key, text in changes.items()}}, "test")
    with pytest.raises(ConfigurationError, match=r"token\.endpoint\.url is not set"):
        librdkafka_settings(settings, None)
