"""Where Kafka's security is switched off, or a secret travels in clear, one sentence says so."""

from __future__ import annotations

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.choosing import _place
from sac_kafka.transport.kafka.settings.checking import in_clear
from sac_kafka.transport.kafka.settings.java_settings import java_settings
from sac_kafka.transport.kafka.settings.librdkafka_settings import translate

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="hunter2hunter2";'
OAUTH = (
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required "
    'clientId="c" clientSecret="hunter2hunter2";'
)
PASSWORD = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.jaas.config": PLAIN}
TOKEN = {"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER", "sasl.jaas.config": OAUTH}
URL = "sasl.oauthbearer.token.endpoint.url"

CASES = {
    "password": (PASSWORD, "the Kafka password is sent unencrypted"),
    "token": (TOKEN | {URL: "http://idp.example.org/token"}, "the client secret is sent unencrypted"),
    "certificate": (
        {"security.protocol": "SSL", "librdkafka.enable.ssl.certificate.verification": "false"},
        "the broker's certificate is not verified",
    ),
    "host name": (
        {"security.protocol": "SSL", "ssl.endpoint.identification.algorithm": ""},
        "the broker's host name is not verified",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_secured_is_said_in_one_sentence(name: str) -> None:
    settings, said = CASES[name]
    warnings = translate({"bootstrap.servers": "b.example.org:9093", **settings}).warnings
    (warning,) = [each for each in warnings if said in each]
    assert len(warning) <= 220
    assert "hunter2" not in " ".join(warnings)


@pytest.mark.parametrize("servers", ["localhost:9093", "127.0.0.1:9093,[::1]:9093"])
@pytest.mark.parametrize("name", ["password", "certificate", "host name"])
def test_on_this_machine_nothing_is_said(name: str, servers: str) -> None:
    settings, said = CASES[name]
    assert said not in " ".join(translate({"bootstrap.servers": servers, **settings}).warnings)


def test_a_token_server_on_this_machine_is_no_doubt() -> None:
    settings = TOKEN | {URL: "http://localhost:8080/token"}
    assert "in clear" not in " ".join(translate({"bootstrap.servers": "b.example.org:9093", **settings}).warnings)


@pytest.mark.parametrize(
    "settings",
    [
        PASSWORD | {"security.protocol": "SASL_SSL"},
        TOKEN | {URL: "https://idp.example.org/token"},
        {"security.protocol": "PLAINTEXT"},
        {"security.protocol": "SSL", "ssl.endpoint.identification.algorithm": "https"},
    ],
)
def test_what_is_secured_is_no_doubt(settings: dict[str, str]) -> None:
    protocol = settings["security.protocol"]
    assert in_clear({"bootstrap.servers": "b.example.org:9093", **settings}, protocol, has_password=True) == []


def test_the_java_client_is_asked_the_same() -> None:
    login = KerberosLogin()
    warnings = java_settings({"bootstrap.servers": "b.example.org:9093", **PASSWORD}, {}, login).warnings
    assert any("the Kafka password is sent unencrypted" in each for each in warnings)


@pytest.mark.parametrize(
    "servers",
    [
        "Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=hunter2hunter2=",
        "me:hunter2hunter2@b.example.org:9093",
        "h:1,me:hunter2hunter2@b.example.org:9093",
    ],
)
def test_a_log_in_pasted_into_the_servers_is_not_told(servers: str) -> None:
    with pytest.raises(ConfigurationError, match="is not host:port") as told:
        translate({"bootstrap.servers": servers})
    assert "hunter2" not in str(told.value)
    assert "hunter2" not in _place(servers, "SASL_SSL")


@pytest.mark.parametrize("scheme", ["http://", "HTTPS://"])
def test_an_address_of_http_is_doubted(scheme: str) -> None:
    kafka = {"bootstrap.servers": f"a:1,{scheme}broker:9093"}
    (warning,) = translate(kafka).warnings
    assert warning == (
        f"atlas.kafka.bootstrap.servers = {scheme}broker:9093: Kafka does not use HTTP, the connection uses PLAINTEXT; "
        "write broker:9093, and set the protocol in atlas.kafka.security.protocol"
    )
    assert warning in java_settings(kafka, {}, KerberosLogin()).warnings
    assert translate({"bootstrap.servers": "SASL_SSL://broker:9093"}).warnings == ()
