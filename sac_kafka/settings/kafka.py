"""Settings: the Kafka client, in addition to Kafka's own properties under `atlas.kafka.*`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.masking import SecretMapping
from sac_kafka.settings.declarations.choices import KafkaClientType
from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import TEXT, one_of

JAAS_PREFIX, CLIENT = "atlas.jaas.", "KafkaClient"
"""The prefix of the settings of logins, and the section of Kafka's client."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Kafka(Subject):
    """The Kafka client and its connection.

    `properties` and `jaas` are the settings under `atlas.kafka.` and `atlas.jaas.`, without the prefix. `client` is None if
    the client is chosen by the other settings.
    """

    properties: Mapping[str, str] = field(default_factory=SecretMapping)
    jaas: Mapping[str, str] = field(default_factory=SecretMapping)
    client: KafkaClientType | None = setting(
        "atlas.hook.spark.kafka.client",
        kind=one_of(KafkaClientType, automatic="auto"),
        documented="auto",
        doc="The Kafka client. jvm: Kafka's Java client on the driver's class path, which also supports Kerberos "
        "and handlers in Java; auto: librdkafka unless the settings require Java.",
    )
    oauth_callback: str | None = setting(
        "atlas.hook.spark.kafka.oauth.callback",
        kind=TEXT,
        doc="Source of tokens for `sasl.mechanism=OAUTHBEARER`: `module:function`, or `azure_imds`, the managed "
        "identity of an Azure machine. See [tokens](connecting.md#tokens).",
    )
    is_tls_enabled: bool = setting(
        "atlas.enableTLS",
        default=False,
        doc="true: the password of `atlas.kafka.ssl.truststore.location` is read from the alias `truststore.password` in the "
        "credential store `cert.stores.credential.provider.path`.",
    )
    stores_provider_path: str | None = setting(
        "cert.stores.credential.provider.path",
        kind=TEXT,
        doc="The Hadoop credential store (`jceks://file/…`) for `atlas.enableTLS`.",
    )
    provider_path: str | None = setting(
        "hadoop.security.credential.provider.path",
        kind=TEXT,
        documented="that of the driver's Hadoop configuration",
        doc="The Hadoop credential store of the passwords given as `********`; the alias of each is its key.",
    )
