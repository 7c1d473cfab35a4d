"""What a transport may ask of the driver's JVM, whatever code of Spark answers it (`spark/driver.py`).

Outside of a driver (the command line) there is none: then what needs one is an error that says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sac_kafka.transport.kafka.client import KafkaClient


@dataclass(frozen=True, slots=True)
class KerberosLogin:
    """How the driver itself is logged in to Kerberos.

    `has_ticket`: its Hadoop login is by ticket, not by keytab. `principal` and `keytab` are Spark's own
    (`spark.kerberos.…`), None where they are not set. `has_login_file`: the JVM has a JAAS file of its own
    (`-Djava.security.auth.login.config`), which Kafka's Java client reads by itself.
    """

    has_ticket: bool = False
    principal: str | None = None
    keytab: str | None = None
    has_login_file: bool = False


@dataclass(frozen=True, slots=True)
class StoreContents:
    """What a key store of Java holds, as DER.

    `trusted` are the certificates that Java would trust; `key` is the PKCS#8 of the first private key, unencrypted, and
    `chain` its certificates, its own first. The repr shows no key.
    """

    trusted: tuple[bytes, ...] = ()
    key: bytes | None = field(default=None, repr=False)
    chain: tuple[bytes, ...] = ()


class Driver(Protocol):
    """The driver's JVM, asked while the hook attaches; what it makes may be used later, from the worker's thread.

    Only those of key stores and credentials raise.
    """

    def has_kafka_producer(self) -> bool:
        """Whether the driver's class path has Kafka's Java client (Spark's Kafka connector brings it)."""

    def kafka_client(self, properties: Mapping[str, str]) -> KafkaClient:
        """Give a client that produces through a `KafkaProducer` of the driver, made with these Java properties.

        It is made at the first record, and tells in `poll` what is wrong with the properties.
        """

    def kerberos_login(self) -> KerberosLogin:
        """Tell how the driver is logged in to Kerberos."""

    def system_property(self, name: str) -> str | None:
        """A system property of the driver's JVM."""

    def read_store(self, kind: str, content: bytes, password: str | None, key_password: str | None) -> StoreContents:
        """Read a key store with the JVM's `java.security.KeyStore`.

        Args:
            kind: Java's name of its format: JKS, JCEKS, PKCS12, or another that a security provider of the JVM knows.
            content: The store itself.
            password: The password of the store; None: no check, which of PKCS12 gives no certificates.
            key_password: The password of its keys; None: no key is read.

        Raises:
            ConfigurationError: It cannot be read; the message is the reason alone, without place and secrets.
        """

    def credential(self, alias: str, provider_path: str | None) -> str | None:
        """Give a password out of Hadoop's credential stores, None where no store has the alias.

        Args:
            alias: The name in the store.
            provider_path: The stores (`jceks://file/…`); None: those of the driver's Hadoop configuration.

        Raises:
            ConfigurationError: A store cannot be read; the message is the reason alone.
        """
