"""Java producer settings become librdkafka's: by allow-list, with warnings for strangers, errors for wrong values."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError, NeedsJvmClientError
from sac_kafka.settings import Settings
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.settings.java_settings import java_settings
from sac_kafka.transport.kafka.settings.keys import (
    IGNORED,
    IGNORED_PREFIXES,
    NEEDS_JAVA,
    OF_NO_PRODUCER,
    SECURED,
    TRANSLATED,
    KeySupport,
    support_of,
)
from sac_kafka.transport.kafka.settings.librdkafka_settings import BASE, librdkafka_settings, translate
from tests.helpers.every_row import every_row

SERVERS = {"bootstrap.servers": "h:9092"}
PRODUCER_KEYS = (Path(__file__).parent / "producer_config_keys.txt").read_text().split()
"""Every key of Kafka 4.3.1's ProducerConfig, as its `configNames()` gives them."""


def test_the_base_keeps_order_and_bounds_every_wait() -> None:
    translation = translate(SERVERS)
    assert translation.warnings == ()
    expected = dict(BASE) | {
        "bootstrap.servers": "h:9092",
        "security.protocol": "plaintext",
        "delivery.timeout.ms": "1020000",
    }
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
        ("client.dns.lookup", "use_all_dns_ips", {"client.dns.lookup": "use_all_dns_ips"}),
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
def test_a_setting_without_meaning_is_omitted(settings: dict[str, str], absent: str) -> None:
    translation = translate(SERVERS | settings)
    assert absent not in translation.config
    assert translation.warnings == ()


def test_only_the_level_of_the_chosen_codec_counts() -> None:
    settings = {"compression.type": "zstd", "compression.zstd.level": "22", "compression.gzip.level": "1"}
    assert translate(SERVERS | settings).config["compression.level"] == "12"


def test_cipher_suites_of_tls_1_3_are_removed_from_a_list() -> None:
    suites = "TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"
    assert translate({**SERVERS, "ssl.cipher.suites": suites}).config["ssl.cipher.suites"] == suites.split(",")[1]


@every_row("key", sorted(IGNORED - {"transactional.id"}) + [f"{prefix}x" for prefix in IGNORED_PREFIXES])
def test_a_known_key_is_omitted_without_a_warning(key: str) -> None:
    translation = translate({**SERVERS, key: "1"})
    assert translation.warnings == ()
    assert translation.config == translate(SERVERS).config


@every_row("key", [*sorted(OF_NO_PRODUCER), "zookeeper.x", "fetch.x", "librdkafka.x"])
def test_keys_of_no_producer_do_not_reach_the_java_client(key: str) -> None:
    assert key not in java_settings({**SERVERS, key: "1"}, {}, KerberosLogin()).properties


def test_no_key_is_both_translated_and_ignored() -> None:
    assert not [
        key for key in TRANSLATED if key in IGNORED or (key.startswith(IGNORED_PREFIXES) and key != "partitioner.class")
    ]


def test_an_unknown_key_is_one_warning_unless_it_is_only_misspelt() -> None:
    warnings = translate({**SERVERS, "linger.msec": "1", "statistics.interval.ms": "9"}).warnings
    assert warnings == (
        "atlas.kafka.statistics.interval.ms is not a Kafka producer property and has no effect; "
        "write a property of librdkafka as "
        "atlas.kafka.librdkafka.statistics.interval.ms",
    )


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"acks": "0"}, "use all"),
        ({"max.in.flight.requests.per.connection": "5"}, "may reorder messages"),
        ({"transactional.id": "t"}, "atlas.kafka.transactional.id is ignored"),
        ({"partitioner.class": "com.acme.Mine"}, "com.acme.Mine is a Java class and ignored"),
        ({"security.protocol": "SSL", "ssl.enabled.protocols": "TLSv1, TLSv1.1"}, "supports only TLSv1.2 and TLSv1.3"),
        ({"security.protocol": "SSL", "ssl.enabled.protocols": "TLSv1.3"}, "librdkafka also accepts TLSv1.2"),
        (
            {"security.protocol": "SSL", "ssl.cipher.suites": "TLS_AES_256_GCM_SHA384,TLS_CHACHA20_POLY1305_SHA256"},
            "set atlas.hook.spark.kafka.client = jvm",
        ),
    ],
)
def test_a_setting_with_a_different_effect_is_one_warning(settings: dict[str, str], expected: str) -> None:
    warnings = translate(SERVERS | settings).warnings
    assert len(warnings) == 1
    assert expected in warnings[0]


@pytest.mark.parametrize("versions", ["TLSv1.2", "TLSv1.1,TLSv1.3"])
def test_available_tls_versions_are_accepted(versions: str) -> None:
    assert translate({**SERVERS, "security.protocol": "SSL", "ssl.enabled.protocols": versions}).warnings == ()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"bootstrap.servers": ""}, "atlas.kafka.bootstrap.servers is not set"),
        ({"bootstrap.servers": "a:1;b:2"}, "; separate brokers by commas"),
        ({"bootstrap.servers": "a:1 b:2"}, "; separate brokers by commas"),
        ({"bootstrap.servers": "a:1   # my broker"}, "; comments must be on separate lines"),
        ({"bootstrap.servers": "h"}, "'h' is not host:port"),
        ({"bootstrap.servers": "h:0"}, "'h:0' is not host:port"),
        ({"bootstrap.servers": "a:1,b c:2"}, "'b c:2' is not host:port"),
        ({"bootstrap.servers": "n.servicebus.windows.net"}, ":9093"),
        ({"linger.ms": "5ms"}, "atlas.kafka.linger.ms = 5ms: must be an integer"),
        ({"acks": "2"}, "must be one of all, -1, 0, 1"),
        ({"client.dns.lookup": "none"}, "must be one of use_all_dns_ips"),
        ({"compression.type": "brotli"}, "must be one of none, gzip"),
        ({"enable.idempotence": "yes"}, "must be one of true, false"),
        ({"delivery.timeout.ms": "5", "linger.ms": "5"}, "must be greater than atlas.kafka.linger.ms = 5"),
        ({"enable.idempotence": "true", "acks": "1"}, "requires atlas.kafka.acks = all"),
        ({"enable.idempotence": "true", "max.in.flight.requests.per.connection": "6"}, "at most 5"),
        ({"client.id": "${env:NOT_SET}"}, "refers to ${env:NOT_SET}, which is not set"),
        ({"config.providers": "file", "client.id": "${file:/x:y}"}, "cannot run a Java configuration provider"),
    ],
)
def test_a_wrong_setting_is_one_error_with_key_and_fix(settings: dict[str, str], expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        translate(SERVERS | settings)
    assert expected in str(caught.value)


def test_an_unresolved_reference_in_an_unused_key_is_no_error() -> None:
    assert translate({**SERVERS, "data": "${sys:atlas.home}/data/kafka"}).warnings == ()


def test_the_longest_message_fits() -> None:
    assert int(translate(SERVERS, 2_000_000).config["message.max.bytes"]) > 2_000_000
    assert translate({**SERVERS, "max.request.size": "500000"}, 900_000).warnings == (
        "messages of up to 900000 bytes exceed atlas.kafka.max.request.size = 500000; "
        "lower atlas.notification.message.max.length.bytes",
    )


@pytest.mark.parametrize(("text", "seconds"), [(None, 120.0), ("5000", 5.0), ("2147483647", 2147483.647)])
def test_librdkafka_tries_longer_than_the_transport_waits(text: str | None, seconds: float) -> None:
    """It is the transport that gives up, all records in order; a client that gives up one would break the order."""
    translation = translate({**SERVERS, **({"delivery.timeout.ms": text} if text else {})})
    assert translation.delivery_timeout_seconds == seconds
    limit = int(translation.config["delivery.timeout.ms"]) / 1000
    assert limit == min(seconds + 900, 2147483.647)


def test_the_queue_is_bounded_in_bytes() -> None:
    assert translate(SERVERS).queue_bytes == 32 * 1024 * 1024
    assert translate({**SERVERS, "buffer.memory": "67108864"}).queue_bytes == 64 * 1024 * 1024


def test_every_key_of_the_java_producer_is_handled() -> None:
    fates = {key: support_of(key) for key in PRODUCER_KEYS}
    assert len(fates) == 113
    assert [key for key, found in fates.items() if found is KeySupport.UNKNOWN] == []
    assert set(fates.values()) == set(KeySupport) - {KeySupport.UNKNOWN}
    tables = (set(TRANSLATED), set(SECURED), set(NEEDS_JAVA), set(IGNORED))
    assert sum(map(len, tables)) == len(set().union(*tables)), "a key is in two tables"


@pytest.mark.parametrize("key", sorted(NEEDS_JAVA))
def test_settings_only_for_java_are_refused_with_the_reason(key: str) -> None:
    login = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";'
    secure = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": login}
    with pytest.raises(NeedsJvmClientError, match="librdkafka cannot run"):
        translate({**SERVERS, **secure, key: "com.acme.Thing"})


@pytest.mark.parametrize("key", sorted(NEEDS_JAVA.keys() - {"config.providers"}))
def test_java_classes_of_unused_security_are_ignored(key: str) -> None:
    assert translate({**SERVERS, key: "com.acme.Thing"}).warnings == ()


def test_all_settings_of_a_hook_are_translated() -> None:
    properties = {
        "atlas.kafka.bootstrap.servers": "h:9092",
        "atlas.kafka.security.protocol": "SASL_PLAINTEXT",
        "atlas.kafka.sasl.mechanism": "SCRAM-SHA-512",
        "atlas.jaas.KafkaClient.loginModuleName": "org.apache.kafka.common.security.scram.ScramLoginModule",
        "atlas.jaas.KafkaClient.option.username": "u",
        "atlas.jaas.KafkaClient.option.password": "hunter2",
        "atlas.notification.message.max.length.bytes": "5000000",
    }
    translation = librdkafka_settings(Settings.read(properties, "test"), None)
    assert (translation.config["sasl.username"], translation.config["sasl.password"]) == ("u", "hunter2")
    assert int(translation.config["message.max.bytes"]) > 5_000_000
    assert "hunter2" not in repr(translation)


@pytest.mark.full
@pytest.mark.exhaustive
def test_real_librdkafka_takes_every_translation() -> None:
    """Try each Java setting at a low, a high and a usual value: the real library must accept all."""
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


def test_a_client_never_gives_up_a_single_record() -> None:
    idempotent = {"enable.idempotence": "true", "retries": "0"}
    for own in ({"retries": "0"}, {"retries": "3"}, idempotent):
        assert "retries" not in translate(SERVERS | own).config  # librdkafka's default is the most
