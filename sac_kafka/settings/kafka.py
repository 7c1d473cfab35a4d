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
        doc="What produces to Kafka: librdkafka, which comes with the hook; or jvm, Kafka's Java client on the driver's "
        "class path, which also does Kerberos, and handlers in Java. auto: librdkafka, unless the settings need the other.",
    )
    kafka_oauth_callback: str | None = setting(
        "atlas.hook.spark.kafka.oauth.callback",
        kind=TEXT,
        default=None,
        doc="Where tokens for `sasl.mechanism=OAUTHBEARER` come from: `module:function`, called with one text as "
        "confluent-kafka's `oauth_cb` is and giving a JWT, or (token, epoch seconds of its end); or `azure_imds`, the "
        "managed identity of a machine in Azure.",
    )
    is_tls_enabled: bool = setting(
        "atlas.enableTLS",
        kind=BOOLEAN,
        default=False,
        doc="true: the password of `atlas.kafka.ssl.truststore.location` is the alias `truststore.password` in "
        "`cert.stores.credential.provider.path`.",
    )
    stores_provider_path: str | None = setting(
        "cert.stores.credential.provider.path",
        kind=TEXT,
        default=None,
        doc="The Hadoop credential store (`jceks://file/…`) of `atlas.enableTLS`.",
    )
    provider_path: str | None = setting(
        "hadoop.security.credential.provider.path",
        kind=TEXT,
        default=None,
        shown="that of the driver's Hadoop configuration",
        doc="The Hadoop credential store of passwords that are given as `********`, each under the alias of its own key.",
    )
