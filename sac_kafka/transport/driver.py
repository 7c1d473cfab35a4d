"""Declare what transports need of the driver's JVM; `spark/driver.py` implements it.

Outside of a driver (on the command line) there is no implementation; settings that need one are then an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sac_kafka.transport.kafka.client import KafkaClient


@dataclass(frozen=True, slots=True)
class KerberosLogin:
    """Kerberos login of the driver itself.

    `has_ticket`: its Hadoop login is by ticket, not by keytab. `principal` and `keytab` are Spark's own settings
    (`spark.kerberos.…`), None if they are not set. `has_login_file`: the JVM has a JAAS file
    (`-Djava.security.auth.login.config`), which Kafka's Java client reads by itself.
    """

    has_ticket: bool = False
    principal: str | None = None
    keytab: str | None = None
    has_login_file: bool = False


@dataclass(frozen=True, slots=True)
class StoreContents:
    """Contents of a Java key store, as DER.

    `trusted` are the certificates that Java would trust; `key` is the first private key as unencrypted PKCS#8, and `chain`
    its certificate chain, leaf first. The repr omits the key.
    """

    trusted: tuple[bytes, ...] = ()
    key: bytes | None = field(default=None, repr=False)
    chain: tuple[bytes, ...] = ()


class Driver(Protocol):
    """The driver's JVM. It is used while the hook attaches; the worker's thread uses the objects it returns.

    Only `read_store` and `credential` raise.
    """

    def has_kafka_producer(self) -> bool:
        """Return whether the driver's class path has Kafka's Java client (Spark's Kafka connector brings it)."""

    def kafka_connector(self) -> str:
        """Return the Maven coordinates of Spark's Kafka connector for this driver, which brings the client."""

    def kafka_client(self, properties: Mapping[str, str]) -> KafkaClient:
        """Return a client that produces through a `KafkaProducer` of the driver with these Java properties.

        The producer is created for the first record; `poll` reports invalid properties.
        """

    def kerberos_login(self) -> KerberosLogin:
        """Return the driver's Kerberos login."""

    def system_property(self, name: str) -> str | None:
        """Return a system property of the driver's JVM."""

    def read_store(self, kind: str, content: bytes, password: str | None, key_password: str | None) -> StoreContents:
        """Read a key store with the JVM's `java.security.KeyStore`.

        Args:
            kind: Format by its Java name: JKS, JCEKS, PKCS12, or another that a security provider of the JVM supports.
            content: Bytes of the store.
            password: Password of the store; None skips the integrity check, and a PKCS12 store then has no certificates.
            key_password: Password of its keys; None reads no key.

        Raises:
            ConfigurationError: The store cannot be read; the message is the reason alone, without location or secrets.
        """

    def credential(self, alias: str, provider_path: str | None) -> str | None:
        """Return a password from Hadoop's credential stores, None if no store has the alias.

        Args:
            alias: Name in the store.
            provider_path: Stores (`jceks://file/…`); None for those of the driver's Hadoop configuration.

        Raises:
            ConfigurationError: A store cannot be read; the message is the reason alone.
        """
