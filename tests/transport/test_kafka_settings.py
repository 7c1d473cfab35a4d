"""Java producer settings become librdkafka's: by allow-list, with warnings for strangers, errors for wrong values."""

from __future__ import annotations

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.kafka_keys import IGNORED, IGNORED_PREFIXES, TRANSLATED
from sac_kafka.transport.kafka_settings import BASE, EVENT_HUBS, translate

SERVERS = {"bootstrap.servers": "h:9092"}
EVENT_HUBS_SERVERS = {
    "bootstrap.servers": "n.servicebus.windows.net:9093",
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "PLAIN",
    "sasl.jaas.config": 'org.x.plain.PlainLoginModule required username="$ConnectionString" password="p";',
}


def test_the_base_keeps_order_and_bounds_every_wait() -> None:
    translation = translate(SERVERS)
    assert translation.warnings == ()
    expected = dict(BASE) | {"bootstrap.servers": "h:9092", "security.protocol": "plaintext"}
    assert translation.config == expected
    assert BASE["acks"] == "all"
    assert BASE["max.in.flight.requests.per.connection"] == "1"
    assert BASE["metadata.recovery.strategy"] == "none"
    assert BASE["reconnect.backoff.max.ms"] == "1000"


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("acks", "-1", {"acks": "-1"}),
        ("acks", " ALL ", {"acks": "all"}),
        ("retries", "0", {"retries": "0"}),
        ("linger.ms", "50", {"linger.ms": "50"}),
        ("batch.size", "0", {"batch.size": "1"}),
        ("max.request.size", "2000000", {"message.max.bytes": "2000000"}),
        ("buffer.memory", "67108864", {"queue.buffering.max.kbytes": "65536"}),
        ("buffer.memory", "1", {"queue.buffering.max.kbytes": str(1048576 // 1024 + 2)}),
        ("compression.type", "ZSTD", {"compression.type": "zstd"}),
        ("request.timeout.ms", "10000", {"request.timeout.ms": "10000", "socket.timeout.ms": "11000"}),
        ("request.timeout.ms", "9999999", {"request.timeout.ms": "299000", "socket.timeout.ms": "300000"}),
        ("metadata.max.age.ms", "60000", {"topic.metadata.refresh.interval.ms": "60000"}),
        ("connections.max.idle.ms", "-1", {"connections.max.idle.ms": "0"}),
        ("retry.backoff.ms", "0", {"retry.backoff.ms": "1"}),
        ("socket.connection.setup.timeout.ms", "10", {"socket.connection.setup.timeout.ms": "1000"}),
        ("partitioner.class", "org.apache.kafka.clients.producer.RoundRobinPartitioner", {"partitioner": "random"}),
        ("partitioner.class", "com.acme.Mine", {"partitioner": "murmur2_random"}),
        ("client.dns.lookup", "use_all_dns_ips", {"client.dns.lookup": "use_all_dns_ips"}),
        ("delivery.timeout.ms", "5000", {"delivery.timeout.ms": "5000"}),
        ("retry.backoff.ms", "5000", {"retry.backoff.max.ms": "5000"}),
        ("client.id", "mine", {"client.id": "mine"}),
        ("bootstrap.servers", "PLAINTEXT://a:1 , b:2,[::1]:3", {"bootstrap.servers": "a:1,b:2,[::1]:3"}),
        ("librdkafka.linger.ms", " 7", {"linger.ms": " 7"}),
        ("librdkafka.debug", "all", {"debug": "all"}),
    ],
)
def test_a_setting_is_translated(key: str, text: str, expected: dict[str, str]) -> None:
    translation = translate({**SERVERS, key: text})
    assert {name: translation.config[name] for name in expected} == expected
    assert translation.warnings == ()


@pytest.mark.parametrize(
    ("settings", "absent"),
    [
        ({"client.dns.lookup": "default"}, "client.dns.lookup"),
        ({"compression.type": ""}, "compression.type"),
        ({"compression.type": "gzip", "compression.zstd.level": "3"}, "compression.level"),
        ({"ssl.cipher.suites": "TLS_AES_256_GCM_SHA384"}, "ssl.cipher.suites"),
        ({"sasl.kerberos.kinit.cmd": "/usr/bin/kinit"}, "sasl.kerberos.kinit.cmd"),
    ],
)
def test_a_setting_without_meaning_is_left_out(settings: dict[str, str], absent: str) -> None:
    translation = translate(SERVERS | settings)
    assert absent not in translation.config
    assert translation.warnings == ()


def test_only_the_level_of_the_chosen_codec_counts() -> None:
    settings = {"compression.type": "zstd", "compression.zstd.level": "22", "compression.gzip.level": "1"}
    assert translate(SERVERS | settings).config["compression.level"] == "12"


def test_cipher_suites_of_tls_1_3_are_taken_out_of_a_list() -> None:
    suites = "TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"
    assert translate({**SERVERS, "ssl.cipher.suites": suites}).config["ssl.cipher.suites"] == suites.split(",")[1]


@pytest.mark.parametrize("key", sorted(IGNORED) + [f"{prefix}x" for prefix in IGNORED_PREFIXES])
def test_a_known_key_is_left_out_without_a_word(key: str) -> None:
    translation = translate({**SERVERS, key: "1"})
    assert translation.warnings == ()
    assert translation.config == translate(SERVERS).config


def test_no_key_is_both_translated_and_ignored() -> None:
    assert not [
        key for key in TRANSLATED if key in IGNORED or (key.startswith(IGNORED_PREFIXES) and key != "partitioner.class")
    ]


def test_an_unknown_key_is_one_warning_with_a_suggestion() -> None:
    warnings = translate({**SERVERS, "linger.msec": "1", "sasl.username": "u"}).warnings
    assert warnings == (
        "atlas.kafka.linger.msec is no setting of Kafka's producer and is not used "
        "(did you mean atlas.kafka.linger.ms?)",
        "atlas.kafka.sasl.username is no setting of Kafka's producer and is not used "
        "(for librdkafka: atlas.kafka.librdkafka.sasl.username)",
    )


def test_acks_0_is_warned_about() -> None:
    assert "use all" in translate({**SERVERS, "acks": "0"}).warnings[0]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"bootstrap.servers": ""}, "atlas.kafka.bootstrap.servers is not set"),
        ({"bootstrap.servers": "h"}, "'h' is not host:port"),
        ({"bootstrap.servers": "h:0"}, "'h:0' is not host:port"),
        ({"bootstrap.servers": "a:1,b c:2"}, "'b c:2' is not host:port"),
        ({"bootstrap.servers": "n.servicebus.windows.net"}, ":9093"),
        ({"linger.ms": "5ms"}, "atlas.kafka.linger.ms = 5ms: must be an integer"),
        ({"acks": "2"}, "must be one of all, -1, 0, 1"),
        ({"client.dns.lookup": "none"}, "must be one of use_all_dns_ips"),
        ({"compression.type": "brotli"}, "must be one of none, gzip"),
        ({"enable.idempotence": "yes"}, "must be one of true, false"),
        ({"delivery.timeout.ms": "5", "linger.ms": "5"}, "must be more than atlas.kafka.linger.ms = 5"),
        ({"enable.idempotence": "true", "acks": "1"}, "needs atlas.kafka.acks = all"),
        ({"enable.idempotence": "true", "retries": "0"}, "needs atlas.kafka.retries above 0"),
        ({"enable.idempotence": "true", "max.in.flight.requests.per.connection": "6"}, "at most 5"),
        ({"client.id": "${env:NOT_SET}"}, "refers to ${env:NOT_SET}, which is not set"),
        ({"config.providers": "file"}, "a configuration provider is not supported yet"),
    ],
)
def test_a_wrong_setting_is_one_error_with_key_and_cure(settings: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        translate(SERVERS | settings)
    assert said in str(caught.value)


def test_an_unresolved_reference_in_an_unused_key_is_no_error() -> None:
    assert translate({**SERVERS, "data": "${sys:atlas.home}/data/kafka"}).warnings == ()


def test_the_longest_message_fits() -> None:
    assert int(translate(SERVERS, 2_000_000).config["message.max.bytes"]) > 2_000_000
    assert translate({**SERVERS, "max.request.size": "500000"}, 900_000).warnings == (
        "messages of up to 900000 bytes do not fit into atlas.kafka.max.request.size = 500000; "
        "lower atlas.notification.message.max.length.bytes",
    )


def test_event_hubs_gets_what_its_documentation_asks_for() -> None:
    translation = translate(EVENT_HUBS_SERVERS, 900_000)
    assert translation.warnings == ()
    assert {key: translation.config[key] for key in EVENT_HUBS} == dict(EVENT_HUBS)


def test_event_hubs_overrides_what_its_service_refuses_with_warnings() -> None:
    translation = translate(EVENT_HUBS_SERVERS | {"compression.type": "lz4", "max.request.size": "2000000"})
    assert translation.config["compression.type"] == "none"
    assert translation.config["message.max.bytes"] == "1040000"
    assert len(translation.warnings) == 2
    plain = translate({"bootstrap.servers": "n.servicebus.windows.net:9093"})
    assert "SASL_SSL" in plain.warnings[0]


def test_the_users_own_settings_win_over_those_for_event_hubs() -> None:
    config = translate(EVENT_HUBS_SERVERS | {"connections.max.idle.ms": "60000"}).config
    assert config["connections.max.idle.ms"] == "60000"


def test_real_librdkafka_takes_every_translation() -> None:
    """Each Java setting at a low, a high and a usual value: none may be refused by the real library."""
    confluent_kafka = pytest.importorskip("confluent_kafka")
    values = ("true", "0", "1", "2147483647", "-1", "all", "none", "gzip", "rebootstrap", "use_all_dns_ips", "10000")
    made = 0
    for key in TRANSLATED.keys() - {"ssl.cipher.suites"}:
        for value in values:
            try:
                config = translate({**SERVERS, key: value}).config
            except ConfigurationError:
                continue
            producer = confluent_kafka.Producer({**config, "log_level": 0})
            producer.close()
            made += 1
    assert made > len(TRANSLATED)
