"""Choice of the Kafka client, and the error if the needed one is missing."""

from __future__ import annotations

import logging
import sys
import time
import types
from collections.abc import Mapping

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.driver import KerberosLogin, StoreContents
from sac_kafka.transport.kafka.choosing import choose_client
from sac_kafka.transport.kafka.client import KafkaClient
from sac_kafka.transport.kafka.librdkafka import LibrdkafkaClient

GSSAPI = {
    "atlas.kafka.bootstrap.servers": "b:9092",
    "atlas.kafka.security.protocol": "SASL_PLAINTEXT",
    "atlas.kafka.sasl.mechanism": "GSSAPI",
    "atlas.kafka.sasl.kerberos.service.name": "kafka",
}
PLAINTEXT = {"atlas.kafka.bootstrap.servers": "b:9092"}
CLIENT = "atlas.hook.spark.kafka.client"
LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


class Driver:
    """A driver with or without Kafka's Java client; remembers the properties of the clients that it makes."""

    def __init__(self, *, has_kafka: bool = True) -> None:
        self.has_kafka = has_kafka
        self.client_properties: list[Mapping[str, str]] = []
        self.stored = {"atlas.jaas.KafkaClient.option.password": "of-the-store"}

    def kafka_connector(self) -> str:
        return "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0"

    def has_kafka_producer(self) -> bool:
        return self.has_kafka

    def kafka_client(self, properties: Mapping[str, str]) -> KafkaClient:
        self.client_properties.append(properties)
        return LibrdkafkaClient({"bootstrap.servers": "localhost:1"})  # any client

    def kerberos_login(self) -> KerberosLogin:
        return KerberosLogin(principal="spark@REALM", keytab="/etc/spark.keytab")

    def system_property(self, name: str) -> str | None:
        return None

    def read_store(self, kind: str, content: bytes, password: str | None, key_password: str | None) -> StoreContents:
        raise ConfigurationError("no key store is expected")

    def credential(self, alias: str, provider_path: str | None) -> str | None:
        return self.stored.get(alias)


def settings(properties: Mapping[str, str], client: str | None = None) -> Settings:
    return Settings.read({**properties, **({CLIENT: client} if client else {})}, "the test")


def test_librdkafka_is_the_usual_client() -> None:
    driver = Driver()
    chosen = choose_client(settings(PLAINTEXT), driver)
    client = chosen.make()
    assert client.name.startswith("librdkafka")
    client.close(0)
    assert driver.client_properties == []
    assert chosen.place == "kafka b:9092 (PLAINTEXT)"


def test_settings_beyond_librdkafka_use_the_java_client(caplog: pytest.LogCaptureFixture) -> None:
    driver = Driver()
    with caplog.at_level(logging.INFO, "sac_kafka"):
        chosen = choose_client(settings({**GSSAPI, "atlas.kafka.delivery.timeout.ms": "7000"}), driver)
    assert "the driver's own Kafka client: atlas.kafka.sasl.mechanism = GSSAPI" in caplog.text
    chosen.make().close(0)
    (properties,) = driver.client_properties
    assert "/etc/spark.keytab" in properties["sasl.jaas.config"]
    assert chosen.place == "kafka b:9092 (SASL_PLAINTEXT)"
    assert chosen.delivery_timeout_seconds == 7


def test_the_java_client_can_be_requested() -> None:
    driver = Driver()
    choose_client(settings(PLAINTEXT, "jvm"), driver).make().close(0)
    assert driver.client_properties[0]["bootstrap.servers"] == "b:9092"


def test_librdkafka_can_be_forced() -> None:
    with pytest.raises(ConfigurationError, match=rf"GSSAPI: .*; set {CLIENT} to auto or jvm"):
        choose_client(settings(GSSAPI, "librdkafka"), Driver())


@pytest.mark.parametrize(("properties", "client"), [(GSSAPI, "auto"), (PLAINTEXT, "jvm")])
def test_missing_kafka_classes_are_reported_with_the_fix(properties: dict[str, str], client: str) -> None:
    with pytest.raises(ConfigurationError, match=r"not on the driver's class path; .*spark-sql-kafka-0-10_"):
        choose_client(settings(properties, client), Driver(has_kafka=False))
    with pytest.raises(ConfigurationError, match="this requires Kafka's Java client"):
        choose_client(settings(properties, client), None)


def test_passwords_of_hadoops_stores_are_looked_up() -> None:
    section = {
        "atlas.kafka.bootstrap.servers": "b:9092",
        "atlas.kafka.security.protocol": "SASL_SSL",
        "atlas.kafka.sasl.mechanism": "PLAIN",
        "atlas.jaas.KafkaClient.loginModuleName": LOGIN,
        "atlas.jaas.KafkaClient.option.username": "u",
        "atlas.jaas.KafkaClient.option.password": "********",
    }
    driver = Driver()
    chosen = choose_client(settings(section, "jvm"), driver)
    chosen.make().close(0)
    assert driver.client_properties[0]["sasl.jaas.config"] == f'{LOGIN} required username="u" password="of-the-store";'
    assert "of-the-store" not in repr(chosen) + repr(driver.client_properties[0])
    driver.stored.clear()
    with pytest.raises(
        ConfigurationError, match=r"atlas\.jaas\.KafkaClient\.option\.password = \*{8}: .* no such alias"
    ):
        choose_client(settings(section, "jvm"), driver)


def test_stored_passwords_of_unused_sections_are_not_looked_up() -> None:
    driver = Driver()
    driver.stored.clear()
    others = {"atlas.jaas.Client.option.password": "********", "atlas.kafka.ssl.keystore.password": "********"}
    choose_client(settings({**PLAINTEXT, **others}, "jvm"), driver).make().close(0)
    ours = {"atlas.jaas.KafkaClient.loginModuleName": LOGIN, "atlas.jaas.KafkaClient.option.password": "********"}
    choose_client(
        settings({**PLAINTEXT, **ours, "atlas.kafka.security.protocol": "PLAINTEXT"}, "jvm"), driver
    ).make().close(0)
    text = {"atlas.kafka.sasl.jaas.config": f'{LOGIN} required username="u" password="p";'}
    choose_client(settings({**GSSAPI, **text, **ours, **others}, "jvm"), driver).make().close(0)
    assert len(driver.client_properties) == 3


def test_a_stored_password_is_never_taken_for_a_reference() -> None:
    driver = Driver()
    driver.stored["atlas.jaas.KafkaClient.0.option.password"] = "a${b}c"
    section = {
        **GSSAPI,
        "atlas.kafka.sasl.mechanism": "PLAIN",
        "atlas.jaas.KafkaClient.0.loginModuleName": LOGIN,
        "atlas.jaas.KafkaClient.0.option.username": "u",
        "atlas.jaas.KafkaClient.0.option.password": "********",
    }
    choose_client(settings(section, "jvm"), driver).make().close(0)
    assert 'password="a${b}c"' in driver.client_properties[0]["sasl.jaas.config"]
    choose_client(settings(section), driver)


def test_warnings_of_the_java_clients_settings_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    kafka = {
        **GSSAPI,
        "atlas.kafka.sasl.mechanism": "OAUTHBEARER",
        "atlas.kafka.sasl.jaas.config": "com.acme.M required;",
    }
    kafka["atlas.hook.spark.kafka.oauth.callback"] = "company.tokens:get"
    choose_client(settings(kafka, "jvm"), Driver())
    (message,) = caplog.messages
    assert message.startswith(
        "the test: atlas.hook.spark.kafka.oauth.callback is not used by the driver's own Kafka client"
    )


def test_a_token_function_gets_the_text_of_librdkafka_from_the_first_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scopes: list[str] = []
    module = types.ModuleType("company_tokens")

    def get(text: str) -> tuple[str, float]:
        scopes.append(text)
        return "a-token", time.time() + 600

    module.get = get  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "company_tokens", module)
    kafka = {
        **GSSAPI,
        "atlas.kafka.bootstrap.servers": "localhost:1",
        "atlas.kafka.sasl.mechanism": "OAUTHBEARER",
        "atlas.kafka.librdkafka.sasl.oauthbearer.config": "tenant=1",
        "atlas.hook.spark.kafka.oauth.callback": "company_tokens:get",
    }
    choose_client(settings(kafka), Driver()).make().close(0)
    assert scopes[0] == "tenant=1"
