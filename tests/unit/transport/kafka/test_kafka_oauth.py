"""OAUTHBEARER: every way to a token is translated, and a token that cannot be had is one sentence without secrets."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.settings.kafka import Kafka
from sac_kafka.transport.kafka.settings import oauth_tokens, tls_material
from sac_kafka.transport.kafka.settings.context import ConnectionContext
from sac_kafka.transport.kafka.settings.librdkafka_settings import Translation, translate
from sac_kafka.transport.kafka.settings.oauth_tokens import TokenError, TokenSource, import_function, token_of
from tests.helpers.token_server import CLIENT_ID, TokenServer
from tests.helpers.waiting import until
from tests.unit.transport.kafka.tls_examples import Examples, make_examples

MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
HANDLER = "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler"
SETTINGS = {
    "bootstrap.servers": "n.servicebus.windows.net:9093",
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "OAUTHBEARER",
}
CLIENT = {
    "sasl.login.callback.handler.class": HANDLER,
    "sasl.oauthbearer.token.endpoint.url": "https://login.example.com/token",
    "sasl.jaas.config": f'{MODULE} required clientId="me" clientSecret="hunter2hunter2" scope="a b" extension_x="1" '
    'extension_y="2";',
}


def translated(changes: dict[str, str], callback: str | None = None, **around: Any) -> Translation:
    return translate({**SETTINGS, **changes}, 0, ConnectionContext(kafka=Kafka(oauth_callback=callback), **around))


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    made = types.ModuleType("company_tokens")
    monkeypatch.setitem(sys.modules, "company_tokens", made)
    return made


@pytest.fixture(scope="module")
def server() -> Iterator[TokenServer]:
    with TokenServer() as started:
        yield started


@pytest.mark.parametrize("handler", [HANDLER, HANDLER.replace(".secured", ""), ""])
def test_client_credentials_are_librdkafkas_oidc(handler: str) -> None:
    translation = translated({**CLIENT, "sasl.login.callback.handler.class": handler})
    expected = {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.token.endpoint.url": "https://login.example.com/token",
        "sasl.oauthbearer.client.id": "me",
        "sasl.oauthbearer.client.secret": "hunter2hunter2",
        "sasl.oauthbearer.scope": "a b",
        "sasl.oauthbearer.extensions": "x=1,y=2",
    }
    assert {key: translation.config[key] for key in expected} == expected
    assert translation.token is None
    assert "hunter2" not in repr(translation)


def test_settings_of_newer_clients_count_like_options_of_the_login() -> None:
    settings = {
        "sasl.oauthbearer.token.endpoint.url": "https://login.example.com/token",
        "sasl.oauthbearer.client.credentials.client.id": "me",
        "sasl.oauthbearer.client.credentials.client.secret": "hunter2hunter2",
        "sasl.oauthbearer.scope": "a",
        "sasl.oauthbearer.sub.claim.name": "azp",
        "sasl.jaas.config": f"{MODULE} required;",
    }
    config = translated(settings).config
    assert (config["sasl.oauthbearer.client.id"], config["sasl.oauthbearer.client.secret"]) == ("me", "hunter2hunter2")
    assert (config["sasl.oauthbearer.scope"], config["sasl.oauthbearer.sub.claim.name"]) == ("a", "azp")


def test_an_assertion_is_another_grant() -> None:
    settings = {
        "sasl.oauthbearer.token.endpoint.url": "https://login.example.com/token",
        "sasl.oauthbearer.jwt.retriever.class": "org.apache.kafka.common.security.oauthbearer.JwtBearerJwtRetriever",
        "sasl.oauthbearer.assertion.private.key.file": "/x/key.pem",
        "sasl.oauthbearer.assertion.claim.sub": "me",
        "sasl.oauthbearer.assertion.template.file": "/x/template.json",
        "sasl.jaas.config": f"{MODULE} required;",
    }
    config = translated(settings).config
    assert config["sasl.oauthbearer.grant.type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
    assert config["sasl.oauthbearer.assertion.private.key.file"] == "/x/key.pem"
    assert config["sasl.oauthbearer.assertion.claim.sub"] == "me"
    assert config["sasl.oauthbearer.assertion.jwt.template.file"] == "/x/template.json"
    assert "sasl.oauthbearer.client.id" not in config


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Examples:
    return make_examples(tmp_path_factory.mktemp("certificates"))


def test_the_token_server_has_a_trust_store_of_its_own(examples: Examples, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text(examples.root)
    login = CLIENT["sasl.jaas.config"].replace(";", f' ssl.truststore.location="{tmp_path}/ca.pem";')
    config = translated({**CLIENT, "sasl.jaas.config": login}).config
    assert config["https.ca.pem"] == examples.root
    assert "ssl.ca.pem" not in config
    with pytest.raises(
        ConfigurationError, match=r"sasl\.jaas\.config: ssl\.truststore\.location = /no: cannot be read"
    ):
        translated({**CLIENT, "sasl.jaas.config": login.replace(f"{tmp_path}/ca.pem", "/no")})


def test_without_one_the_systems_certificates_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """librdkafka's HTTP client would look where the Linux that it was built on has them, and fail on others."""
    (tmp_path / "bundle.pem").touch()
    monkeypatch.setattr(tls_material, "SYSTEM_CERTIFICATES", ("/no/such/file", str(tmp_path / "bundle.pem")))
    assert translated(CLIENT).config["https.ca.location"] == str(tmp_path / "bundle.pem")
    own = translated({**CLIENT, "librdkafka.https.ca.pem": "x"}).config
    assert (own["https.ca.pem"], own.get("https.ca.location")) == ("x", None)
    monkeypatch.setattr(tls_material, "SYSTEM_CERTIFICATES", ())
    assert not [key for key in translated(CLIENT).config if key.startswith("https.ca.")]


def test_unsigned_tokens_need_kafkas_own_client() -> None:
    with pytest.raises(NeedsJvmClientError, match="unsecuredLogin"):
        translated({"sasl.jaas.config": f'{MODULE} required unsecuredLoginStringClaim_sub="me";'})


@pytest.mark.parametrize(("login", "client"), [("", ""), (f'{MODULE} required clientId="id";', "&client_id=id")])
def test_a_managed_identity_of_azure(login: str, client: str) -> None:
    config = translated({"sasl.jaas.config": login}, "azure_imds").config
    assert config["sasl.oauthbearer.metadata.authentication.type"] == "azure_imds"
    expected = f"query=api-version=2018-02-01&resource=https://n.servicebus.windows.net{client}"
    assert config["sasl.oauthbearer.config"] == expected


def test_a_users_function_gives_the_tokens(module: types.ModuleType, server: TokenServer) -> None:
    module.get = lambda config: server.token()  # type: ignore[attr-defined]
    handler = {"sasl.login.callback.handler.class": "com.acme.Handler"}  # not needed any more
    translation = translated(handler, "company_tokens:get")
    assert translation.token is not None
    token, end, principal, extensions = translation.token("")
    assert token.count(".") == 2
    assert end > time.time()
    assert (principal, extensions) == (CLIENT_ID, {})
    assert translation.token.problem is None


def test_a_token_file_is_read_for_each_token(server: TokenServer, tmp_path: Path) -> None:
    file = tmp_path / "a token"
    translation = translated({"sasl.oauthbearer.token.endpoint.url": f"file://{str(file).replace(' ', '%20')}"})
    assert translation.token is not None
    with pytest.raises(TokenError, match="the file cannot be read: No such file"):
        translation.token("")
    for subject in ("one", "two"):
        file.write_text(server.token(subject) + "\n")
        assert translation.token("")[2] == subject
    file.unlink()


@pytest.mark.parametrize(
    ("changes", "callback", "expected"),
    [
        (
            {"bootstrap.servers": "h:9093"},
            None,
            "token.endpoint.url is not set, so that there is no source of OAUTHBEARER tokens",
        ),
        (
            {**CLIENT, "sasl.jaas.config": f'{MODULE} required clientId="me";'},
            None,
            "the option clientSecret, which",
        ),
        ({**CLIENT, "sasl.jaas.config": ""}, None, "the option clientId, which"),
        ({**CLIENT, "sasl.oauthbearer.token.endpoint.url": "ldap://x"}, None, "must begin with https:"),
        (
            {"sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required;"},
            None,
            "does not match",
        ),
        ({}, "company_tokens", "must be module:function"),
        ({}, "no.such.module:get", "cannot be loaded: ModuleNotFoundError"),
        ({}, "sys:no_such_name", "cannot be loaded: AttributeError"),
        ({}, "sys:path", "is not a function"),
    ],
)
def test_a_missing_setting_is_one_error(changes: dict[str, str], callback: str | None, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        translated(changes, callback)
    assert expected in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"sasl.login.callback.handler.class": "com.acme.CustomAuthenticateCallbackHandler"},
        {"sasl.oauthbearer.jwt.retriever.class": "com.acme.Retriever"},
        {"sasl.client.callback.handler.class": "com.acme.Handler"},
        {"sasl.jaas.config": "com.acme.TokenLoginModule required;"},
    ],
)
def test_handlers_in_java_need_the_java_client(changes: dict[str, str]) -> None:
    with pytest.raises(NeedsJvmClientError, match="librdkafka cannot run"):
        translated({**CLIENT, **changes})


def test_the_java_clients_own_handler_is_ignored() -> None:
    own = "org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler"
    assert translated({**CLIENT, "sasl.client.callback.handler.class": own}).warnings == ()


def raising(error: Exception) -> Callable[[str], object]:
    def fetch(_config: str) -> object:
        raise error

    return fetch


@pytest.mark.parametrize(
    ("fetch", "expected"),
    [
        (
            raising(RuntimeError("no, password=hunter2hunter2\nsecond line")),
            "place: RuntimeError: no, password=********",
        ),
        (lambda config: None, "must return a JWT"),
        (lambda config: ("token",), "must return a JWT"),
        (lambda config: ("token", "soon"), "must return a JWT as str"),
        (lambda config: ("", 5.0), "must return a JWT as str"),
        (lambda config: ("t", 5.0), "has expired"),
        (lambda config: "opaque-token", "the token is not a JWT"),
        (lambda config: "a.W10.c", "the token is not a JWT"),
        (lambda config: "a.e30.c", "the token has no claim exp"),
    ],
)
def test_a_function_without_a_token_is_one_error(fetch: Callable[[str], object], expected: str) -> None:
    source = TokenSource(fetch, "place")
    with pytest.raises(TokenError) as caught:
        source("")
    assert expected in str(caught.value)
    assert source.problem == str(caught.value)
    assert "\n" not in str(caught.value)
    assert "hunter2" not in str(caught.value)
    with pytest.raises(ConfigurationError, match="place: "):
        source.prepare()


def test_all_forms_of_a_token_answer_are_read() -> None:
    end = time.time() + 60
    assert token_of(("t", end)) == ("t", end, "", {})
    assert token_of(["t", int(end), "me"]) == ("t", float(int(end)), "me", {})
    assert token_of(("t", end, None, {"a": 1})) == ("t", end, "", {"a": "1"})


def test_a_hanging_token_function_is_abandoned_and_not_called_again() -> None:
    go, calls = threading.Event(), []

    def slow(config: str) -> tuple[str, float]:
        calls.append(config)
        go.wait()
        return "t", time.time() + 3600

    source = TokenSource(slow, "place", timeout_seconds=0.01)
    try:
        for _ in range(3):
            with pytest.raises(TokenError, match=r"timed out after 0\.01 s"):
                source("c")
        until(lambda: calls)
        assert calls == ["c"]
    finally:
        go.set()

    def is_given() -> bool:
        with contextlib.suppress(TokenError):
            return source("c")[0] == "t"
        return False

    until(is_given)  # the late answer is accepted
    assert calls == ["c"]


def test_a_token_is_waited_for_less_long_than_librdkafka_waits() -> None:
    assert oauth_tokens._TIMEOUT_SECONDS < 10  # not measured
    assert TokenSource(lambda config: None, "place")._timeout_seconds == oauth_tokens._TIMEOUT_SECONDS


def test_a_prepared_token_is_given_once() -> None:
    calls = []
    source = TokenSource(lambda config: (calls.append(config) or "t", time.time() + 3600), "place")
    source.prepare()
    assert [source("")[0], len(calls), source("")[0], len(calls)] == ["t", 1, "t", 2]


def test_the_function_is_found_by_its_name() -> None:
    assert import_function("time:time", "key") is time.time


def test_librdkafka_takes_every_form(examples: Examples, tmp_path: Path) -> None:
    """Check that the real library accepts the settings, for every provider of the token."""
    confluent_kafka = pytest.importorskip("confluent_kafka")
    (tmp_path / "ca.pem").write_text(examples.root)
    own = CLIENT["sasl.jaas.config"].replace(";", f' ssl.truststore.location="{tmp_path}/ca.pem";')
    forms: list[tuple[dict[str, str], str | None]] = [
        (CLIENT, None),
        ({**CLIENT, "sasl.jaas.config": own}, None),
        ({}, "azure_imds"),
    ]
    for changes, callback in forms:
        config = translated({**changes, "bootstrap.servers": "127.0.0.1:1"}, callback).config
        confluent_kafka.Producer({**config, "log_level": 0}).close()
