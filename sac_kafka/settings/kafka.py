"""Settings: how Kafka is reached, beside `atlas.kafka.*`, which is Kafka's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.config.choices import KafkaClientType
from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.secrets import SecretMapping
from sac_kafka.config.values import BOOLEAN, TEXT, one_of


@dataclass(frozen=True, kw_only=True, repr=False)
class Kafka(Subject):
    """How Kafka is reached.

    `properties` and `jaas` are what stands below `atlas.kafka.` and `atlas.jaas.`, prefix stripped. `client` is None where
    the settings decide.
    """

    properties: Mapping[str, str] = field(default_factory=SecretMapping)
    jaas: Mapping[str, str] = field(default_factory=SecretMapping)
    client: KafkaClientType | None = setting(
        "atlas.hook.spark.kafka.client",
        kind=one_of(KafkaClientType, by_itself="auto"),
        default=None,
        shown="auto",
        doc="Which Kafka client sends: librdkafka comes with the hook; jvm is Kafka's Java client on the driver's class path, "
        "which also supports Kerberos and handlers written in Java; auto is librdkafka unless the settings need Java.",
    )
    oauth_callback: str | None = setting(
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
