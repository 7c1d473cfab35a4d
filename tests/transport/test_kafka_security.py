"""SASL and TLS settings: translated, or refused with the cure; a connection never becomes less secure."""

from __future__ import annotations

import textwrap

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.kafka_settings import translate

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="hunter2";'
SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="hunter2";'
SERVERS = {"bootstrap.servers": "h:9093"}
SASL = {**SERVERS, "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": PLAIN}
SSL = {**SERVERS, "security.protocol": "SSL"}
BODY = "QUJD" * 40


def pem(label: str = "CERTIFICATE") -> str:
    return f"-----BEGIN {label}-----\n" + "\n".join(textwrap.wrap(BODY, 64)) + f"\n-----END {label}-----\n"


@pytest.mark.parametrize(
    ("mechanism", "entry"),
    [("PLAIN", PLAIN), ("plain", PLAIN), ("SCRAM-SHA-256", SCRAM), ("SCRAM-SHA-512 ", SCRAM)],
)
def test_user_and_password_come_from_the_jaas_entry(mechanism: str, entry: str) -> None:
    translation = translate(SASL | {"sasl.mechanism": mechanism, "sasl.jaas.config": entry})
    expected = {"sasl.mechanism": mechanism.strip().upper(), "sasl.username": "u", "sasl.password": "hunter2"}
    assert {key: translation.config[key] for key in expected} == expected
    assert "hunter2" not in repr(translation) + repr(translation.shown)


@pytest.mark.parametrize("module", ["kafkashaded.org.apache.kafka.common.security.plain.PlainLoginModule"])
def test_a_shaded_login_module_is_the_same(module: str) -> None:
    entry = f'{module} required username="$ConnectionString" password="p";'
    assert translate(SASL | {"sasl.jaas.config": entry}).config["sasl.username"] == "$ConnectionString"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("SASL_SSL ", "sasl_ssl"), ("sasl_ssl", "sasl_ssl"), ("PLAINTEXTSASL", "sasl_plaintext")],
)
def test_the_protocol_is_normalised(text: str, expected: str) -> None:
    assert translate(SASL | {"security.protocol": text}).config["security.protocol"] == expected


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"security.protocol": "TLS"}, "must be one of PLAINTEXT, SSL"),
        ({"sasl.mechanism": ""}, "atlas.kafka.sasl.mechanism is not set"),
        ({"sasl.mechanism": "GSSAPI"}, "GSSAPI: is not supported yet"),
        ({"sasl.mechanism": "OAUTHBEARER"}, "OAUTHBEARER: is not supported yet"),
        ({"sasl.mechanism": "AWS_MSK_IAM"}, "AWS_MSK_IAM: is not supported yet"),
        ({"sasl.jaas.config": ""}, 'PlainLoginModule required username="…" password="…";'),
        ({"sasl.jaas.config": SCRAM}, "does not fit atlas.kafka.sasl.mechanism = PLAIN"),
        ({"sasl.jaas.config": "a.b.evilplain.PlainLoginModule required;"}, "does not fit"),
        ({"sasl.jaas.config": PLAIN.replace(' username="u"', "")}, "the option username is missing"),
        ({"sasl.jaas.config": PLAIN.replace("hunter2", "")}, "the option password is missing or empty"),
        ({"sasl.jaas.config": PLAIN[:-1]}, "there is no ;"),
        ({"sasl.jaas.config": PLAIN.replace("hunter2", "${env:PASSWORD}")}, "refers to ${env:PASSWORD}"),
        (
            {"sasl.mechanism": "SCRAM-SHA-256", "sasl.jaas.config": SCRAM.replace(";", " tokenauth=true;")},
            "log-in by delegation token",
        ),
        ({"sasl.login.callback.handler.class": "a.B"}, "a callback handler in Java is not supported yet"),
        ({"sasl.client.callback.handler.class": "a.B"}, "a callback handler in Java is not supported yet"),
        ({"ssl.engine.factory.class": "a.B"}, "SSL engine factory"),
        ({"ssl.truststore.location": "/x/trust.jks"}, "JKS (Kafka's default): is not supported yet"),
        ({"ssl.truststore.location": "/x/t.p12", "ssl.truststore.type": "PKCS12"}, "keytool -list -rfc"),
        ({"ssl.keystore.location": "/x/k.jks"}, "atlas.kafka.ssl.keystore.type = PEM"),
        ({"ssl.truststore.certificates": pem()}, "atlas.kafka.ssl.truststore.type = PEM"),
        (
            {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": pem(), "ssl.truststore.location": "/x"},
            "are both set",
        ),
        ({"ssl.truststore.type": "PEM", "ssl.truststore.certificates": "junk"}, "holds no PEM"),
        ({"ssl.keystore.type": "PEM", "ssl.keystore.key": pem("PRIVATE KEY")}, "only one is set"),
        ({"ssl.endpoint.identification.algorithm": "ldaps"}, "must be https, or empty"),
    ],
)
def test_what_cannot_be_translated_is_an_error_without_secrets(settings: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        translate(SASL | settings)
    assert said in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert str(caught.value).startswith(("atlas.kafka.", "of atlas.kafka."))


def test_credentials_without_a_sasl_protocol_are_warned_about() -> None:
    translation = translate({**SERVERS, "sasl.jaas.config": PLAIN})
    assert translation.warnings == (
        "atlas.kafka.sasl.jaas.config is not used, because atlas.kafka.security.protocol is PLAINTEXT",
    )
    assert "sasl.password" not in translation.config


def test_the_escape_hatch_replaces_the_log_in() -> None:
    native = {"librdkafka.sasl.mechanism": "OAUTHBEARER", "librdkafka.sasl.oauthbearer.method": "oidc"}
    config = translate({**SSL, "security.protocol": "SASL_SSL", **native}).config
    assert config["sasl.mechanism"] == "OAUTHBEARER"
    assert "sasl.username" not in config


def test_a_pem_trust_store_is_a_file_or_text() -> None:
    store = {"ssl.truststore.type": "pem"}
    assert translate({**SSL, **store, "ssl.truststore.location": "/x/ca.pem"}).config["ssl.ca.location"] == "/x/ca.pem"
    inline = translate({**SSL, **store, "ssl.truststore.certificates": pem() + pem()}).config
    assert inline["ssl.ca.pem"] == pem() + pem()


@pytest.mark.parametrize("separator", [" ", "\\n", ""])
def test_pem_on_one_line_gets_its_line_breaks_back(separator: str) -> None:
    text = pem().replace("\n", separator)
    config = translate({**SSL, "ssl.truststore.type": "PEM", "ssl.truststore.certificates": text}).config
    assert config["ssl.ca.pem"] == pem()


def test_a_pem_key_store_is_a_file_or_key_and_chain() -> None:
    store = {**SSL, "ssl.keystore.type": "PEM", "ssl.key.password": "k"}
    config = translate({**store, "ssl.keystore.location": "/x/k.pem"}).config
    assert (config["ssl.key.location"], config["ssl.certificate.location"]) == ("/x/k.pem", "/x/k.pem")
    assert config["ssl.key.password"] == "k"
    key, chain = pem("ENCRYPTED PRIVATE KEY"), pem() + pem()
    translation = translate({**store, "ssl.keystore.key": key, "ssl.keystore.certificate.chain": chain})
    assert (translation.config["ssl.key.pem"], translation.config["ssl.certificate.pem"]) == (key, chain)
    assert BODY[:64] not in repr(translation.shown)


@pytest.mark.parametrize(("text", "expected"), [("", "none"), ("https", "https"), ("HTTPS", "https")])
def test_an_empty_algorithm_switches_the_host_name_check_off_as_in_java(text: str, expected: str) -> None:
    key = "ssl.endpoint.identification.algorithm"
    assert translate({**SSL, key: text}).config[key] == expected
    assert key not in translate(SSL).config


def test_tls_settings_are_not_read_without_tls() -> None:
    translation = translate({**SERVERS, "ssl.truststore.location": "/x/trust.jks"})
    assert not [key for key in translation.config if key.startswith("ssl.")]
