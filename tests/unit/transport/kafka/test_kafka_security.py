"""SASL and TLS settings: translated, or refused with the fix; a connection never becomes less secure."""

from __future__ import annotations

import pytest

from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.settings.kafka import Kafka
from sac_kafka.transport.kafka.settings.context import ConnectionContext
from sac_kafka.transport.kafka.settings.librdkafka_settings import translate

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="hunter2";'
SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="hunter2";'
SERVERS = {"bootstrap.servers": "h:9093"}
SASL = {**SERVERS, "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": PLAIN}
SSL = {**SERVERS, "security.protocol": "SSL"}


@pytest.mark.parametrize(
    ("mechanism", "entry"),
    [("PLAIN", PLAIN), ("plain", PLAIN), ("SCRAM-SHA-256", SCRAM), ("SCRAM-SHA-512 ", SCRAM)],
)
def test_user_and_password_come_from_the_jaas_entry(mechanism: str, entry: str) -> None:
    translation = translate(SASL | {"sasl.mechanism": mechanism, "sasl.jaas.config": entry})
    expected = {"sasl.mechanism": mechanism.strip().upper(), "sasl.username": "u", "sasl.password": "hunter2"}
    assert {key: translation.config[key] for key in expected} == expected
    assert "hunter2" not in repr(translation)


@pytest.mark.parametrize("module", ["kafkashaded.org.apache.kafka.common.security.plain.PlainLoginModule"])
def test_a_shaded_login_module_is_accepted(module: str) -> None:
    entry = f'{module} required username="$ConnectionString" password="p";'
    assert translate(SASL | {"sasl.jaas.config": entry}).config["sasl.username"] == "$ConnectionString"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("SASL_SSL ", "sasl_ssl"), ("sasl_ssl", "sasl_ssl"), ("PLAINTEXTSASL", "sasl_plaintext")],
)
def test_the_protocol_is_normalised(text: str, expected: str) -> None:
    assert translate(SASL | {"security.protocol": text}).config["security.protocol"] == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"security.protocol": "TLS"}, "must be one of PLAINTEXT, SSL"),
        ({"sasl.jaas.config": ""}, 'PlainLoginModule required username="…" password="…";'),
        ({"sasl.jaas.config": SCRAM}, "does not match atlas.kafka.sasl.mechanism = PLAIN"),
        ({"sasl.jaas.config": "com.sun.security.auth.module.Krb5LoginModule required;"}, "does not match"),
        ({"sasl.jaas.config": PLAIN.replace(' username="u"', "")}, "the option username is missing"),
        ({"sasl.jaas.config": PLAIN.replace("hunter2", "")}, "the option password is missing or empty"),
        ({"sasl.jaas.config": PLAIN[:-1]}, "the ; at the end is missing"),
        ({"sasl.jaas.config": PLAIN.replace("hunter2", "${env:PASSWORD}")}, "refers to ${env:PASSWORD}"),
        ({"sasl.jaas.config": PLAIN.replace("hunter2", "Sesame${hunter2}")}, "jaas.config contains a ${…}"),
        ({"sasl.jaas.config": PLAIN.replace("hunter2", "${env:PASSWORD:-hunter2}")}, "jaas.config contains a ${…}"),
        ({"ssl.endpoint.identification.algorithm": "ldaps"}, "must be https, or empty"),
    ],
)
def test_an_untranslatable_setting_is_an_error_without_secrets(settings: dict[str, str], expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        translate(SASL | settings)
    assert expected in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert str(caught.value).startswith(("atlas.kafka.", "of atlas.kafka."))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"sasl.mechanism": ""}, "atlas.kafka.sasl.mechanism is not set, which means GSSAPI (Kerberos)"),
        ({"sasl.mechanism": "GSSAPI"}, "GSSAPI: librdkafka supports only PLAIN, SCRAM-SHA-256"),
        ({"sasl.mechanism": "AWS_MSK_IAM"}, "AWS_MSK_IAM: librdkafka supports only"),
        (
            {"sasl.mechanism": "SCRAM-SHA-256", "sasl.jaas.config": SCRAM.replace(";", " tokenauth=true;")},
            "librdkafka does not support delegation tokens",
        ),
        ({"sasl.login.callback.handler.class": "a.B"}, "librdkafka cannot run a Java handler"),
        ({"sasl.client.callback.handler.class": "a.B"}, "librdkafka cannot run a Java handler"),
        ({"sasl.login.class": "a.B"}, "librdkafka cannot run a Java login"),
        (
            {"sasl.jaas.config": "com.acme.VaultLoginModule required path=x;"},
            "VaultLoginModule, which is not one of Kafka's",
        ),
        ({"sasl.jaas.config": "a.b.evilplain.PlainLoginModule required;"}, "is not one of Kafka's"),
        ({"ssl.engine.factory.class": "a.B"}, "SSL engine factory"),
        ({"config.providers": "vault"}, "a configuration provider"),
    ],
)
def test_settings_only_for_java_need_the_java_client(settings: dict[str, str], expected: str) -> None:
    with pytest.raises(NeedsJvmClientError) as caught:
        translate(SASL | settings)
    assert expected in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert str(caught.value).startswith("atlas.kafka.")


SECTION = {
    "KafkaClient.loginModuleName": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "KafkaClient.option.username": "of the section",
    "KafkaClient.option.password": "hunter3",
}


def test_the_section_counts_without_a_jaas_config() -> None:
    around = ConnectionContext(kafka=Kafka(jaas=SECTION))
    assert translate(SASL, 0, around).config["sasl.username"] == "u"
    config = translate(SASL | {"sasl.jaas.config": ""}, 0, around).config
    assert (config["sasl.username"], config["sasl.password"]) == ("of the section", "hunter3")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"KafkaClient.option.username": ""}, "atlas.jaas.KafkaClient: the option username is missing or empty; set"),
        (
            {"KafkaClient.loginModuleName": "a.ScramLoginModule"},
            "atlas.jaas.KafkaClient: librdkafka cannot run the login module",
        ),
        ({"KafkaClient.loginModuleName": ""}, "atlas.jaas.KafkaClient.loginModuleName is not set"),
        ({"KafkaClient.option.password": "********"}, "only a Spark driver's JVM can read"),
        (
            {"KafkaClient.option.password": "${env:NOT_SET}"},
            "option.password refers to ${env:NOT_SET}, which is not set",
        ),
        (
            {"KafkaClient.option.password": "${hunter3}"},
            "atlas.jaas.KafkaClient.option.password contains a ${…}",
        ),
    ],
)
def test_an_error_in_the_section_names_its_place(changes: dict[str, str], expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        translate(SASL | {"sasl.jaas.config": ""}, 0, ConnectionContext(kafka=Kafka(jaas=SECTION | changes)))
    assert expected in str(caught.value)
    assert "hunter3" not in str(caught.value)


def test_credentials_without_a_sasl_protocol_are_warned_about() -> None:
    translation = translate({**SERVERS, "sasl.jaas.config": PLAIN})
    assert translation.warnings == (
        "atlas.kafka.sasl.jaas.config is not used, because atlas.kafka.security.protocol is PLAINTEXT",
    )
    assert "sasl.password" not in translation.config


def test_the_escape_hatch_replaces_the_login() -> None:
    native = {"librdkafka.sasl.mechanism": "OAUTHBEARER", "librdkafka.sasl.oauthbearer.method": "oidc"}
    config = translate({**SSL, "security.protocol": "SASL_SSL", **native}).config
    assert config["sasl.mechanism"] == "OAUTHBEARER"
    assert "sasl.username" not in config


@pytest.mark.parametrize(("text", "expected"), [("", "none"), ("https", "https"), ("HTTPS", "https")])
def test_an_empty_algorithm_switches_the_host_name_check_off_as_in_java(text: str, expected: str) -> None:
    key = "ssl.endpoint.identification.algorithm"
    assert translate({**SSL, key: text}).config[key] == expected
    assert key not in translate(SSL).config


def test_tls_settings_are_not_read_without_tls() -> None:
    translation = translate({**SERVERS, "ssl.truststore.location": "/x/trust.jks"})
    assert not [key for key in translation.config if key.startswith("ssl.")]


def test_the_mechanism_is_kept_where_librdkafka_gets_the_user_directly() -> None:
    """Without one librdkafka would take GSSAPI."""
    native = {"librdkafka.sasl.username": "u", "librdkafka.sasl.password": "hunter2"}
    kafka = {**SERVERS, "security.protocol": "SASL_SSL", "sasl.mechanism": "plain", **native}
    config = translate(kafka).config
    assert (config["sasl.mechanism"], config["sasl.username"]) == ("PLAIN", "u")
    assert "sasl.mechanism" not in translate({**kafka, "librdkafka.sasl.mechanisms": "SCRAM-SHA-512"}).config
    with pytest.raises(NeedsJvmClientError, match=r"sasl\.mechanism is not set"):
        translate({**kafka, "sasl.mechanism": ""})


@pytest.mark.parametrize(
    ("kafka", "jaas"),
    [
        ({**SERVERS, "ssl.keystore.password": "********"}, {}),
        ({**SERVERS, "sasl.oauthbearer.client.credentials.client.secret": "********"}, {}),
        (SERVERS, SECTION | {"KafkaClient.option.password": "********"}),
        (SASL, SECTION | {"KafkaClient.option.password": "********"}),
        ({**SASL, "sasl.jaas.config": ""}, SECTION | {"Client.option.password": "********"}),
    ],
)
def test_an_unused_stored_password_is_not_looked_up(kafka: dict[str, str], jaas: dict[str, str]) -> None:
    """There is no driver here, so that each look-up is an error."""
    translate(kafka, 0, ConnectionContext(kafka=Kafka(jaas=jaas)))
