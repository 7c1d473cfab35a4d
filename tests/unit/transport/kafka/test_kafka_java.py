"""Settings of the driver's own KafkaProducer: the user's as they are, a login for SASL, and our defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.files.jaas import parse
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.settings.java_settings import DEFAULTS, JavaSettings, java_settings

NOBODY = KerberosLogin()
GSSAPI = {"bootstrap.servers": "b:9092", "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "GSSAPI"}
PLAIN = {**GSSAPI, "sasl.mechanism": "PLAIN"}
KRB5 = "com.sun.security.auth.module.Krb5LoginModule"
SECTION = {
    "KafkaClient.loginModuleName": KRB5,
    "KafkaClient.option.useKeyTab": "true",
    "KafkaClient.option.keyTab": "/etc/k.keytab",
    "KafkaClient.option.principal": "atlas/host@REALM",
    "KafkaClient.option.serviceName": "kafka",
}


def made(kafka: dict[str, str], jaas: dict[str, str] | None = None, login: KerberosLogin = NOBODY) -> JavaSettings:
    return java_settings(kafka, jaas or {}, login)


def login_of(settings: JavaSettings) -> dict[str, str]:
    return dict(parse(settings.properties["sasl.jaas.config"]).options)


def test_the_users_settings_are_passed_on_unchanged() -> None:
    own = {
        "bootstrap.servers": "b:9092",
        "compression.type": "zstd",
        "ssl.engine.factory.class": "com.example.Factory",
        "sasl.login.callback.handler.class": "com.example.Handler",
        "acks": "1",
    }
    properties = made(own).properties
    assert {key: properties[key] for key in own} == own
    assert {key: text for key, text in properties.items() if key not in own} == {
        **{key: text for key, text in DEFAULTS.items() if key not in own},
        "security.protocol": "PLAINTEXT",
        "delivery.timeout.ms": "1200000",
        "max.block.ms": "1000",
    }


@pytest.mark.parametrize(
    "key",
    ["zookeeper.connect", "group.id", "fetch.min.bytes", "key.serializer", "transactional.id", "librdkafka.debug"],
)
def test_settings_of_others_are_excluded(key: str) -> None:
    assert key not in made({"bootstrap.servers": "b:9092", key: "x"}).properties


@pytest.mark.parametrize(
    ("kafka", "expected"),
    [
        ({"nobodys.key": "x"}, ("atlas.kafka.nobodys.key is not a Kafka producer property and has no effect",)),
        (
            {"librdkafka.debug": "all"},
            ("atlas.kafka.librdkafka.debug has no effect, because librdkafka is not used",),
        ),
        ({"nobodys.key": "x", "interceptor.classes": "com.example.Interceptor"}, ()),
        ({"compresion.type": "x", "group.id": "x"}, ()),  # misspelt: the review says so; a consumer's
    ],
)
def test_a_setting_without_effect_is_a_warning(kafka: dict[str, str], expected: tuple[str, ...]) -> None:
    assert made({"bootstrap.servers": "b:9092", **kafka}).warnings == expected


def test_invalid_bootstrap_servers_are_an_error() -> None:
    with pytest.raises(
        ConfigurationError, match=r"'\$KAFKA_HOST:9092' is not host:port; write an environment variable as"
    ):
        made({"bootstrap.servers": "b:9092, $KAFKA_HOST:9092"})


def test_the_client_waits_much_longer_than_the_transport() -> None:
    settings = made({"bootstrap.servers": "b:9092", "delivery.timeout.ms": " 5000 ", "buffer.memory": "1000000"})
    assert (settings.delivery_timeout_seconds, settings.queue_bytes) == (5.0, 1_000_000)
    # Kafka demands at least linger.ms + request.timeout.ms
    assert settings.properties["delivery.timeout.ms"] == "50000"
    assert made({"bootstrap.servers": "b:1", "delivery.timeout.ms": "1"}).properties["delivery.timeout.ms"] == "30000"
    assert made({"bootstrap.servers": "b:1", "delivery.timeout.ms": "2147483647"}).properties[
        "delivery.timeout.ms"
    ] == str(2**31 - 1)


def test_the_longest_message_fits() -> None:
    kafka = {"bootstrap.servers": "b:9092"}
    long = java_settings(kafka, {}, NOBODY, message_bytes=3_000_000)
    own = java_settings({**kafka, "max.request.size": "5000"}, {}, NOBODY, message_bytes=3_000_000)
    assert int(long.properties["max.request.size"]) > 3_000_000
    assert own.properties["max.request.size"] == "5000"


def test_a_login_text_is_passed_on() -> None:
    text = f'{KRB5} required useTicketCache=true serviceName="stream";'
    properties = made({**GSSAPI, "sasl.jaas.config": text}).properties
    assert properties["sasl.jaas.config"] == text
    assert "sasl.kerberos.service.name" not in properties


def test_the_service_name_defaults_to_kafka() -> None:
    text = f"{KRB5} required useTicketCache=true;"
    assert made({**GSSAPI, "sasl.jaas.config": text}).properties["sasl.kerberos.service.name"] == "kafka"
    own = {**GSSAPI, "sasl.jaas.config": text, "sasl.kerberos.service.name": "stream"}
    assert made(own).properties["sasl.kerberos.service.name"] == "stream"


def test_a_section_of_atlas_is_a_login() -> None:
    assert login_of(made(GSSAPI, SECTION)) == {
        "useKeyTab": "true",
        "keyTab": "/etc/k.keytab",
        "principal": "atlas/host@REALM",
        "serviceName": "kafka",
    }


def test_the_section_of_ticket_users_goes_first_for_them() -> None:
    ticket = {"ticketBased-KafkaClient.loginModuleName": KRB5, "ticketBased-KafkaClient.option.useTicketCache": "true"}
    sections = {**SECTION, **ticket}
    assert login_of(made(GSSAPI, sections, KerberosLogin(has_ticket=True))) == {"useTicketCache": "true"}
    assert login_of(made(GSSAPI, sections)) == login_of(made(GSSAPI, SECTION))


def test_without_a_login_the_drivers_own_counts() -> None:
    keytab = KerberosLogin(principal="spark@REALM", keytab="spark.keytab")
    assert login_of(made(GSSAPI, login=keytab)) == {
        "useKeyTab": "true",
        "storeKey": "true",
        "keyTab": "spark.keytab",
        "principal": "spark@REALM",
    }
    assert login_of(made(GSSAPI)) == {"useTicketCache": "true", "renewTGT": "true", "doNotPrompt": "true"}
    assert "sasl.jaas.config" not in made(GSSAPI, login=KerberosLogin(has_login_file=True)).properties


SHIPPED = KerberosLogin(principal="atlas/host@REALM", keytab="k.keytab-1a2b")
SECTION_TEXT = f'{KRB5} required useKeyTab=true keyTab="/etc/k.keytab" principal="atlas/host@REALM";'


@pytest.mark.parametrize("is_text", [False, True])
@pytest.mark.parametrize(
    ("login", "keytab"),
    [
        (SHIPPED, "k.keytab-1a2b"),
        (KerberosLogin(principal="spark@REALM", keytab="k.keytab-1a2b"), "/etc/k.keytab"),
        (KerberosLogin(principal="atlas/host@REALM"), "/etc/k.keytab"),
    ],
)
def test_keytab_that_is_not_on_this_host_is_the_one_that_spark_has_sent(
    login: KerberosLogin, keytab: str, *, is_text: bool
) -> None:
    found = made({**GSSAPI, "sasl.jaas.config": SECTION_TEXT}, login=login) if is_text else made(GSSAPI, SECTION, login)
    assert login_of(found)["keyTab"] == keytab


def test_keytab_of_this_host_is_used(tmp_path: Path) -> None:
    file = tmp_path / "k.keytab"
    file.touch()
    section = {**SECTION, "KafkaClient.option.keyTab": str(file)}
    assert login_of(made(GSSAPI, section, SHIPPED))["keyTab"] == str(file)


def test_the_mechanism_defaults_to_kerberos() -> None:
    kafka = {"bootstrap.servers": "b:9092", "security.protocol": "sasl_plaintext"}
    assert made(kafka).properties["sasl.mechanism"] == "GSSAPI"
    assert made({**kafka, "security.protocol": "PLAINTEXTSASL"}).protocol == "SASL_PLAINTEXT"


def test_other_mechanisms_need_a_login() -> None:
    with pytest.raises(ConfigurationError, match=r"sasl\.jaas\.config is not set, .* is PLAIN; set it"):
        made(PLAIN)


def test_errors_name_the_setting_and_no_secret() -> None:
    with pytest.raises(ConfigurationError, match=r"bootstrap\.servers is not set"):
        made({})
    with pytest.raises(ConfigurationError, match=r"atlas\.kafka\.linger\.ms = soon: must be a whole number"):
        made({"bootstrap.servers": "b:1", "linger.ms": "soon"})
    with pytest.raises(ConfigurationError) as caught:
        made({**PLAIN, "sasl.jaas.config": "Module required password=s3cret!x"})
    assert "s3cret" not in str(caught.value)
    text = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="s3cret!x";'
    assert "s3cret" not in repr(made({**PLAIN, "sasl.jaas.config": text, "ssl.key.password": "s3cret!x"}))


def test_an_empty_algorithm_switches_the_host_name_check_off() -> None:
    key = "ssl.endpoint.identification.algorithm"
    assert made({"bootstrap.servers": "b:1", key: " "}).properties[key] == ""
    assert key not in made({"bootstrap.servers": "b:1"}).properties
    assert "client.rack" not in made({"bootstrap.servers": "b:1", "client.rack": ""}).properties


@pytest.mark.parametrize(
    ("kafka", "jaas", "expected"),
    [
        (
            {"bootstrap.servers": "${env:BROKERS}"},
            {},
            r"bootstrap\.servers refers to \$\{env:BROKERS\}, which is not set",
        ),
        ({"sasl.jaas.config": 'x required a="${s3cret!x}";'}, {}, r"sasl\.jaas\.config contains a \$\{…\}"),
        ({}, {"KafkaClient.option.keyTab": "${sys:tab}"}, r"atlas\.jaas\.KafkaClient\.option\.keyTab refers to"),
    ],
)
def test_an_unresolved_reference_is_an_error(kafka: dict[str, str], jaas: dict[str, str], expected: str) -> None:
    with pytest.raises(ConfigurationError, match=expected) as caught:
        made(GSSAPI | kafka, SECTION | jaas)
    assert "s3cret" not in str(caught.value)


def test_references_are_left_to_configuration_providers_and_unused_keys_alone() -> None:
    login = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="${vault:a:b}";'
    properties = made({**PLAIN, "config.providers": "vault", "sasl.jaas.config": login}).properties
    assert properties["sasl.jaas.config"] == login
    section = {"KafkaClient.loginModuleName": KRB5, "KafkaClient.option.keyTab": "${vault:a:b}"}
    assert login_of(made({**GSSAPI, "config.providers": "vault"}, section)) == {"keyTab": "${vault:a:b}"}
    made({"bootstrap.servers": "b:1", "data": "${sys:atlas.home}", "ssl.keystore.location": "${env:STORE}"})


def test_a_section_without_a_login_module_is_ignored_as_in_atlas() -> None:
    section = {key: text for key, text in SECTION.items() if not key.endswith("loginModuleName")}
    file = made(GSSAPI, section, KerberosLogin(has_login_file=True))
    assert "sasl.jaas.config" not in file.properties
    assert "atlas.jaas.KafkaClient.loginModuleName is not set" in file.warnings[0]
    assert login_of(made(GSSAPI, section))["useTicketCache"] == "true"
    assert "sasl.jaas.config" not in made(PLAIN, section, KerberosLogin(has_login_file=True)).properties
    with pytest.raises(ConfigurationError, match=r"^atlas\.jaas\.KafkaClient\.loginModuleName is not set"):
        made(PLAIN, section)


def test_a_client_never_gives_up_a_single_record_nor_overtakes_one() -> None:
    in_flight = "max.in.flight.requests.per.connection"
    servers = {"bootstrap.servers": "b:9092", "retries": "0"}
    for own, expected in (
        ({}, "1"),
        ({in_flight: "5"}, "1"),
        ({"enable.idempotence": "true"}, "1"),
        ({in_flight: "4", "enable.idempotence": "TRUE"}, "4"),
        ({in_flight: "9", "enable.idempotence": "true"}, "5"),
    ):
        properties = made(servers | own).properties
        assert "retries" not in properties  # Kafka's default is the most
        assert properties[in_flight] == expected
