"""Azure Event Hubs: its limits, and connection strings that are checked in words without showing a key."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.factory import content_of
from sac_kafka.transport.kafka.settings.context import ConnectionContext
from sac_kafka.transport.kafka.settings.event_hubs import EVENT_HUBS, JAVA_EVENT_HUBS, is_event_hubs
from sac_kafka.transport.kafka.settings.java_settings import JavaSettings, java_settings
from sac_kafka.transport.kafka.settings.librdkafka_settings import Translation, translate

CONNECTION = "Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=very+secret/key="


def entry(username: str = "$ConnectionString", password: str = CONNECTION) -> str:
    return (
        f'org.apache.kafka.common.security.plain.PlainLoginModule required username="{username}" password="{password}";'
    )


MESSAGES_OF_ATLAS = {"atlas.notification.message.max.length.bytes": "1000000"}
SETTINGS = {
    "bootstrap.servers": "n.servicebus.windows.net:9093",
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "PLAIN",
    "sasl.jaas.config": entry(),
}


def translated(changes: dict[str, str], topic: str = "ATLAS_HOOK") -> Translation:
    return translate(SETTINGS | changes, 900_000, ConnectionContext(topic=topic))


def test_defaults_follow_the_documentation_of_event_hubs() -> None:
    translation = translated({})
    assert translation.warnings == ()
    assert {key: translation.config[key] for key in EVENT_HUBS} == dict(EVENT_HUBS)
    assert translation.config["sasl.username"] == "$ConnectionString"
    assert translation.config["sasl.password"] == CONNECTION


@pytest.mark.parametrize(("batch_size", "batch"), [(0, "900000"), (3_000_000, "900000"), (250_000, "250000")])
def test_a_batch_is_limited_to_the_longest_message(batch_size: int, batch: str) -> None:
    """The service measures the batch: many short messages would be refused for their sum."""
    assert translate(SETTINGS, batch_size, ConnectionContext(topic="ATLAS_HOOK")).config["batch.size"] == batch
    other = translate({"bootstrap.servers": "h:9093"}, batch_size)
    assert "batch.size" not in other.config


def test_the_users_own_settings_win() -> None:
    assert translated({"connections.max.idle.ms": "60000"}).config["connections.max.idle.ms"] == "60000"


def test_refused_settings_are_replaced_with_warnings() -> None:
    translation = translated({"compression.type": "lz4", "max.request.size": "2000000"})
    assert translation.config["compression.type"] == "none"
    assert translation.config["message.max.bytes"] == "1000000"
    assert len(translation.warnings) == 2
    assert translated({"compression.type": "gzip"}).warnings == ()


@pytest.mark.parametrize(
    ("servers", "expected"),
    [
        (["n.servicebus.windows.net:9093"], True),
        (["N.ServiceBus.Windows.Net:9093"], True),
        (["n.servicebus.chinacloudapi.cn:9093"], True),
        (["n.servicebus.usgovcloudapi.net:9093"], True),
        (["servicebus.example.com:9093"], False),
    ],
)
def test_event_hubs_is_recognised_by_the_host(servers: list[str], expected: bool) -> None:
    assert is_event_hubs(servers) is expected


SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";'
IDLE = [
    (
        {"connections.max.idle.ms": text},
        f"atlas.kafka.connections.max.idle.ms = {shown}: Azure closes connections that are idle",
    )
    for text, shown in (("540000", "540000"), ("240000", "240000"), ("-1", "0"))
]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"bootstrap.servers": "other.servicebus.windows.net:9093"},
            "is for n.servicebus.windows.net, but atlas.kafka.bootstrap.servers is other.servicebus.windows.net",
        ),
        (
            {"sasl.jaas.config": entry(password=CONNECTION + ";EntityPath=hub")},
            "only for the event hub hub (EntityPath)",
        ),
        ({"sasl.jaas.config": entry(password=CONNECTION.replace("sb://", "https://"))}, "is not sb://"),
        *IDLE,
        (
            {"sasl.mechanism": "SCRAM-SHA-512", "sasl.jaas.config": SCRAM},
            "atlas.kafka.sasl.mechanism = SCRAM-SHA-512: Event Hubs supports only PLAIN and OAUTHBEARER; the login will fail",
        ),
    ],
)
def test_a_doubtful_setting_is_one_warning(changes: dict[str, str], expected: str) -> None:
    warnings = translated(changes).warnings
    assert len(warnings) == 1
    assert expected in warnings[0]
    assert "secret/key" not in warnings[0]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"security.protocol": "PLAINTEXT", "sasl.jaas.config": ""},
            "= PLAINTEXT: Event Hubs supports only SASL_SSL; set it",
        ),
        ({"bootstrap.servers": "n.servicebus.windows.net:9092"}, "supports Kafka only on port 9093; write 9093"),
        ({"bootstrap.servers": "n.servicebus.windows.net:443"}, "supports Kafka only on port 9093; write 9093"),
    ],
)
def test_an_unsupported_setting_is_an_error(changes: dict[str, str], expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        translated(changes)
    assert expected in str(caught.value)


def test_an_entity_path_is_compared_ignoring_case() -> None:
    """Names of event hubs have no case."""
    assert translated({"sasl.jaas.config": entry(password=CONNECTION + ";EntityPath=atlas_hook")}).warnings == ()


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        (entry(username="alice"), "the user name must be $ConnectionString"),
        (entry(username="ConnectionString"), "the user name must be $ConnectionString"),
        (entry(password="SharedAccessSignature sr=sb%3a%2f%2fn&sig=very+secret/key&se=1"), "shared access signature"),
        (entry(password="Endpoint=sb://n.servicebus.windows.net/;SharedAccessSignature=very+secret/key"), "signature"),
        (entry(password="very+secret/key="), "Endpoint and SharedAccessKeyName and SharedAccessKey missing"),
        (entry(password="Endpoint=sb://n.servicebus.windows.net/;SharedAccessKey=very+secret/key"), "KeyName missing"),
        (entry(password="Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=k"), "SharedAccessKey missing"),
    ],
)
def test_a_login_that_the_service_refuses_is_an_error(login: str, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        translated({"sasl.jaas.config": login})
    assert expected in str(caught.value)
    assert "secret/key" not in str(caught.value)
    assert str(caught.value).startswith("atlas.kafka.sasl.jaas.config: ")


def test_the_listeners_name_before_a_server_does_not_matter() -> None:
    assert translated({"bootstrap.servers": "SASL_SSL://n.servicebus.windows.net:9093"}).warnings == ()


def test_other_brokers_take_any_user() -> None:
    other = {"bootstrap.servers": "h:9093", "sasl.jaas.config": entry(username="alice", password="p")}
    assert translated(other).config["sasl.username"] == "alice"


def test_the_java_client_gets_the_same_limits() -> None:
    settings = {**SETTINGS, "metadata.max.age.ms": "60000"}
    properties = java_settings(settings, {}, KerberosLogin(), message_bytes=900_000).properties
    expected = {**JAVA_EVENT_HUBS, "metadata.max.age.ms": "60000"}
    assert {key: properties[key] for key in expected} == expected
    assert "connections.max.idle.ms" not in java_settings({"bootstrap.servers": "h:1"}, {}, KerberosLogin()).properties


def of_java(changes: dict[str, str], topic: str = "ATLAS_HOOK", message_bytes: int = 900_000) -> JavaSettings:
    around = ConnectionContext(topic=topic)
    return java_settings(SETTINGS | changes, {}, KerberosLogin(), message_bytes=message_bytes, context=around)


def test_refused_settings_are_replaced_for_the_java_client_too() -> None:
    assert of_java({}).warnings == ()
    settings = of_java({"compression.type": "lz4", "max.request.size": "2000000"})
    assert settings.properties["compression.type"] == "none"
    assert settings.properties["max.request.size"] == "1000000"
    assert len(settings.warnings) == 2


def test_long_messages_are_divided_without_a_warning() -> None:
    assert of_java({}, message_bytes=3_000_000).warnings == ()
    assert translate(SETTINGS, 3_000_000, ConnectionContext(topic="ATLAS_HOOK")).warnings == ()
    warnings = of_java({"max.request.size": "500000"}).warnings
    assert "exceed atlas.kafka.max.request.size = 500000" in warnings[-1]
    settings = Settings.read(
        {**{f"atlas.kafka.{key}": text for key, text in SETTINGS.items()}, **MESSAGES_OF_ATLAS}, "test"
    )
    assert content_of(settings).message_max_bytes < 1_000_000
    assert content_of(
        Settings.read({"atlas.kafka.bootstrap.servers": "h:9093", **MESSAGES_OF_ATLAS}, "test")
    ) == replace(settings.content, message_max_bytes=1_000_000)


def test_the_login_of_the_java_client_is_checked_too() -> None:
    with pytest.raises(ConfigurationError, match=r"^atlas\.kafka\.sasl\.jaas\.config: the user name must be"):
        of_java({"sasl.jaas.config": entry(username="alice")})
    warnings = of_java({"sasl.jaas.config": entry(password=CONNECTION + ";EntityPath=hub")}).warnings
    assert "only for the event hub hub (EntityPath)" in warnings[0]
    assert "secret/key" not in repr(warnings)


@pytest.mark.parametrize(
    "changes",
    [
        {"sasl.jaas.config": "com.acme.VaultLoginModule required;"},
        {"sasl.jaas.config": entry("u", "p"), "sasl.login.callback.handler.class": "com.acme.Handler"},
        {"sasl.jaas.config": entry("u", "${vault:a:b}"), "config.providers": "vault"},
        {"bootstrap.servers": "h:9093", "sasl.jaas.config": entry("u", "p")},
    ],
)
def test_a_login_that_java_completes_is_not_checked(changes: dict[str, str]) -> None:
    assert of_java(changes).warnings == ()
