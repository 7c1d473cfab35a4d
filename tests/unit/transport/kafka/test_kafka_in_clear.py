"""Warnings if Kafka's security is switched off, or a secret travels in clear."""

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
def test_an_insecure_setting_is_one_warning(name: str) -> None:
    settings, expected = CASES[name]
    warnings = translate({"bootstrap.servers": "b.example.org:9093", **settings}).warnings
    (warning,) = [each for each in warnings if expected in each]
    assert len(warning) <= 220
    assert "hunter2" not in " ".join(warnings)


@pytest.mark.parametrize("servers", ["localhost:9093", "127.0.0.1:9093,[::1]:9093"])
@pytest.mark.parametrize("name", ["password", "certificate", "host name"])
def test_on_this_machine_there_is_no_warning(name: str, servers: str) -> None:
    settings, expected = CASES[name]
    assert expected not in " ".join(translate({"bootstrap.servers": servers, **settings}).warnings)


def test_a_token_server_on_this_machine_is_no_warning() -> None:
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
def test_secure_settings_are_no_warning(settings: dict[str, str]) -> None:
    protocol = settings["security.protocol"]
    assert in_clear({"bootstrap.servers": "b.example.org:9093", **settings}, protocol, has_password=True) == []


def test_the_java_client_gets_the_same_warnings() -> None:
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
def test_a_login_pasted_into_the_servers_is_not_shown(servers: str) -> None:
    with pytest.raises(ConfigurationError, match="is not host:port") as caught:
        translate({"bootstrap.servers": servers})
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in _place(servers, "SASL_SSL")


@pytest.mark.parametrize("scheme", ["http://", "HTTPS://"])
def test_an_http_address_is_a_warning(scheme: str) -> None:
    kafka = {"bootstrap.servers": f"a:1,{scheme}broker:9093"}
    (warning,) = translate(kafka).warnings
    assert warning == (
        f"atlas.kafka.bootstrap.servers = {scheme}broker:9093: Kafka does not use HTTP, the connection uses PLAINTEXT; "
        "write broker:9093, and set the protocol in atlas.kafka.security.protocol"
    )
    assert warning in java_settings(kafka, {}, KerberosLogin()).warnings
    assert translate({"bootstrap.servers": "SASL_SSL://broker:9093"}).warnings == ()
