"""Access the driver's JVM through the SparkContext: the implementation of `spark.port.SparkDriver`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sac_kafka.log import logger
from sac_kafka.settings.files.finding import Found
from sac_kafka.spark import session, versions
from sac_kafka.spark.java_classes import class_by_name
from sac_kafka.spark.java_errors import brief
from sac_kafka.spark.launch import JvmContext
from sac_kafka.spark.listener import Listener, ListenerSettings
from sac_kafka.spark.session import Metastore, Session
from sac_kafka.transport.driver import KerberosLogin, StoreContents

if TYPE_CHECKING:
    from sac_kafka.spark.kafka_producer import JvmClient
    from sac_kafka.spark.metrics_source import SparkGauges

_PRODUCER = "org.apache.kafka.clients.producer.KafkaProducer"
_GATEWAY = "PYSPARK_GATEWAY_PORT"
_LOGIN_FILE = "java.security.auth.login.config"


class JvmDriver:
    """The JVM of a running SparkContext; class path and `thread_properties` are those of the creating thread."""

    def __init__(self, context: Any) -> None:  # noqa: ANN401 a SparkContext
        self._context = context
        self.is_python = not isinstance(context, JvmContext)
        # Read now: a stopped context has no class loader, and another thread may have a different one.
        self._spark_loader = context._jsc.sc().getClass().getClassLoader()
        self._thread_loader: Any = (
            class_by_name(context._gateway, "java.lang.Thread").currentThread().getContextClassLoader()
        )
        self.thread_properties = session.thread_properties(context)
        self._kafka_loader: Any = None
        self._has_looked = False

    # ---- for the hook

    def session(self) -> Session:
        """Return the facts of the SparkContext with its current configuration."""
        return session.read_session(self._context)

    def metastore(self, conf: Mapping[str, str]) -> Metastore:
        """Return which metastore the session catalog uses."""
        return session.read_metastore(self._context, conf)

    def mounts(self, conf: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the mounts of this driver's Databricks workspace; calls the workspace."""
        from sac_kafka.spark.mounts import read_mounts

        return read_mounts(self._context, conf)

    def class_path_resource(self, name: str) -> Found | None:
        """Return a file on the application's class path; None if it does not exist."""
        return session.class_path_resource(self._context, name, self._thread_loader)

    def spark_file(self, name: str) -> str | None:
        """Return the local path of a file passed with `--files`."""
        return session.spark_file(self._context, name)

    def gauges(self, names: Iterable[str]) -> SparkGauges | None:
        """Register gauges with these names in Spark's metrics system."""
        from sac_kafka.spark import metrics_source

        return metrics_source.start(self._context, names)

    def standard_error(self) -> Callable[[str], None] | None:
        """Return what writes a line to the JVM's standard error; None if it is the same as Python's.

        A JVM that has started Python, as spark-submit does, merges Python's output into its own standard output.
        """
        if _GATEWAY not in os.environ:
            return None
        write: Callable[[str], None] = class_by_name(self._context._gateway, "java.lang.System").err.println
        return write

    def listen(self, specification: str, settings: ListenerSettings) -> Listener:
        """Start the listener; raises AttachError."""
        return Listener.start(self._context, specification, settings)

    # ---- for transports

    def has_kafka_producer(self) -> bool:
        """Return whether one of the driver's class loaders has Kafka's Java client."""
        return self._loader() is not None

    def kafka_connector(self) -> str:
        """Return the Maven coordinates of Spark's Kafka connector for this driver."""
        scala = class_by_name(self._context._gateway, "scala.util.Properties").versionNumberString()
        return versions.kafka_connector(self._context._jsc.sc().version(), scala)

    def kafka_client(self, properties: Mapping[str, str]) -> JvmClient:
        """Return a client with these properties, which stay in memory."""
        from sac_kafka.spark import kafka_producer

        gateway, loader = self._context._gateway, self._loader()

        def make() -> Any:  # noqa: ANN401 a Py4J object
            java_class = kafka_producer.load_producer(gateway, self._spark_loader, loader)
            return kafka_producer.start(gateway, java_class, loader, properties)

        return kafka_producer.JvmClient("kafka-clients", make)

    def kerberos_login(self) -> KerberosLogin:
        """Return the Kerberos login of Hadoop, Spark's configuration and the JVM; what cannot be read counts as missing."""
        conf = self._context._conf
        return KerberosLogin(
            has_ticket=_has_ticket(self._context._jvm),
            principal=conf.get("spark.kerberos.principal") or None,
            keytab=conf.get("spark.kerberos.keytab") or None,
            has_login_file=bool(session.system_property(self._context, _LOGIN_FILE)),
        )

    def system_property(self, name: str) -> str | None:
        """Return a system property of the driver's JVM."""
        return session.system_property(self._context, name)

    def read_store(self, kind: str, content: bytes, password: str | None, key_password: str | None) -> StoreContents:
        """Read a key store with the JVM's own classes; raises ConfigurationError."""
        from sac_kafka.spark import key_stores

        return key_stores.read_store(self._context._gateway, kind, content, password, key_password)

    def credential(self, alias: str, provider_path: str | None) -> str | None:
        """Return a password from Hadoop's credential stores; raises ConfigurationError."""
        from sac_kafka.spark import key_stores

        return key_stores.credential(self._context, alias, provider_path)

    def _loader(self) -> Any:  # noqa: ANN401 a Py4J object
        """Return the class loader that has Kafka: the application's first, which has `--packages` and `spark.jars`."""
        if not self._has_looked:
            self._has_looked = True
            loaders = (self._thread_loader, self._spark_loader)
            self._kafka_loader = next((loader for loader in loaders if loader is not None and _has_class(loader)), None)
        return self._kafka_loader


def _has_class(loader: Any) -> bool:  # noqa: ANN401 a Py4J object
    try:
        loader.loadClass(_PRODUCER)
    except Exception as error:  # noqa: BLE001 ClassNotFoundException, or a class that lacks another
        logger.debug("%s: %s", _PRODUCER, brief(error))
        return False
    return True


def _has_ticket(jvm: Any) -> bool:  # noqa: ANN401 Py4J's view
    try:
        users = jvm.org.apache.hadoop.security.UserGroupInformation
        return bool(users.isLoginTicketBased()) and not users.isLoginKeytabBased()
    except Exception as error:  # noqa: BLE001 a Hadoop without Kerberos
        logger.debug("the Hadoop login cannot be read: %s", brief(error))
        return False
