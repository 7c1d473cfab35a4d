"""Settings: how Kafka is reached, beside `atlas.kafka.*`, which is Kafka's own."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.declaring import setting
from sac_kafka.config.values import BOOLEAN, TEXT, choice


@dataclass(frozen=True, kw_only=True)
class KafkaLogin:
    """How Kafka is reached, beside `atlas.kafka.*`, which is Kafka's own."""

    kafka_client: str = setting(
        "atlas.hook.spark.kafka.client",
        kind=choice("auto", "librdkafka", "jvm"),
        default="auto",
        doc="Which Kafka client sends: librdkafka comes with the hook; jvm is Kafka's Java client on the driver's class path, "
        "which also supports Kerberos and handlers written in Java; auto is librdkafka unless the settings need Java.",
    )
    kafka_oauth_callback: str | None = setting(
        "atlas.hook.spark.kafka.oauth.callback",
        kind=TEXT,
        default=None,
        doc="Where tokens for `sasl.mechanism=OAUTHBEARER` come from: `module:function`, called with one string, like "
        "confluent-kafka's `oauth_cb`, which returns a JWT or (token, expiry in epoch seconds); or `azure_imds`, the managed "
        "identity of an Azure machine.",
    )
    is_tls_enabled: bool = setting(
        "atlas.enableTLS",
        kind=BOOLEAN,
        default=False,
        doc="true: the password of `atlas.kafka.ssl.truststore.location` is stored under the alias `truststore.password` in "
        "`cert.stores.credential.provider.path`.",
    )
    stores_provider_path: str | None = setting(
        "cert.stores.credential.provider.path",
        kind=TEXT,
        default=None,
        doc="The Hadoop credential store (`jceks://file/…`) for `atlas.enableTLS`.",
    )
    provider_path: str | None = setting(
        "hadoop.security.credential.provider.path",
        kind=TEXT,
        default=None,
        shown="that of the driver's Hadoop configuration",
        doc="The Hadoop credential store of passwords given as `********`, each under its own key as the alias.",
    )
