"""What beside `atlas.kafka.*` says how Kafka is reached: the other settings of a login, and the driver that can help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.config.secrets import SecretMapping
from sac_kafka.settings import Settings
from sac_kafka.transport.driver import Driver


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Settings of a Kafka login that are not the Kafka client's own.

    `jaas` are the keys under `atlas.jaas.`, prefix stripped; `oauth_callback` is `module:function` or `azure_imds`;
    `stores_provider` and `provider` are paths of Hadoop credential stores (`cert.stores.credential.provider.path`, of
    trust stores, and `hadoop.security.credential.provider.path`). `driver` is None outside of a driver.
    """

    driver: Driver | None = None
    topic: str = ""
    jaas: Mapping[str, str] = field(default_factory=SecretMapping)
    oauth_callback: str | None = None
    is_tls_enabled: bool = False
    stores_provider: str | None = None
    provider: str | None = None

    @classmethod
    def of(cls, settings: Settings, driver: Driver | None) -> Surroundings:
        """Those of a hook."""
        return cls(
            driver=driver,
            topic=settings.topic,
            jaas=settings.jaas,
            oauth_callback=settings.kafka_oauth_callback,
            is_tls_enabled=settings.is_tls_enabled,
            stores_provider=settings.stores_provider_path,
            provider=settings.provider_path,
        )


NOTHING = Surroundings()
"""Where there is nothing but `atlas.kafka.*`."""
