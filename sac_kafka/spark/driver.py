"""The driver's JVM as the hook and its transports see it: `spark.port.SparkDriver`, asked through the SparkContext."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sac_kafka.config.finding import Resource
from sac_kafka.log import logger
from sac_kafka.spark import kafka_producer, key_stores, metrics_source, session
from sac_kafka.spark.java_errors import brief
from sac_kafka.spark.listener import Listener, ListenerSettings
from sac_kafka.spark.mounts import read_mounts
from sac_kafka.spark.session import Metastore, Session
from sac_kafka.transport.driver import KerberosLogin, StoreContents

_PRODUCER = "org.apache.kafka.clients.producer.KafkaProducer"
_LOGIN_FILE = "java.security.auth.login.config"


class JvmDriver:
    """The JVM of a SparkContext that runs; class path and `thread_properties` are those of the thread that has made this."""

    def __init__(self, context: Any) -> None:  # noqa: ANN401 a SparkContext
        self._context = context
        # Asked now: a stopped context has no loader, and another thread may have another.
        self._spark_loader = context._jsc.sc().getClass().getClassLoader()
        self._thread_loader: Any = context._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        self.thread_properties = session.thread_properties(context)
        self._kafka_loader: Any = None
        self._has_looked = False

    # ---- what the hook asks

    def session(self) -> Session:
        """The facts of the SparkContext, with its configuration as it is now."""
        return session.read_session(self._context)

    def metastore(self, conf: Mapping[str, str]) -> Metastore:
        """Where the session catalog keeps its tables."""
        return session.read_metastore(self._context, conf)

    def mounts(self, conf: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """What is mounted in the workspace of Databricks that this driver runs in; a call to the workspace."""
        return read_mounts(self._context, conf)

    def class_path_resource(self, name: str) -> Resource | None:
        """A file on the class path of the application."""
        return session.class_path_resource(self._context, name, self._thread_loader)

    def spark_file(self, name: str) -> str | None:
        """The local path of a file that was given with `--files`."""
        return session.spark_file(self._context, name)

    def gauges(self, names: Iterable[str]) -> metrics_source.SparkGauges | None:
        """Give gauges of these names that stand beside Spark's metrics."""
        return metrics_source.start(self._context, names)

    def listen(self, specification: str, settings: ListenerSettings) -> Listener:
        """Start the listener; raises AttachError."""
        return Listener.start(self._context, specification, settings)

    # ---- what transports ask

    def has_kafka_producer(self) -> bool:
        """Whether one of the driver's class loaders has Kafka's Java client."""
        return self._loader() is not None

    def kafka_client(self, properties: Mapping[str, str]) -> kafka_producer.JvmClient:
        """Give a client with these properties, which stay in memory."""
        gateway, loader = self._context._gateway, self._loader()

        def make() -> Any:  # noqa: ANN401 a Py4J object
            java_class = kafka_producer.compiled(gateway, self._spark_loader, loader)
            return kafka_producer.start(gateway, java_class, loader, properties)

        return kafka_producer.JvmClient("kafka-clients", make)

    def kerberos_login(self) -> KerberosLogin:
        """Ask Hadoop, Spark's configuration and the JVM; what cannot be asked counts as not there."""
        conf = self._context._conf
        return KerberosLogin(
            has_ticket=_has_ticket(self._context._jvm),
            principal=conf.get("spark.kerberos.principal") or None,
            keytab=conf.get("spark.kerberos.keytab") or None,
            has_login_file=bool(session.system_property(self._context, _LOGIN_FILE)),
        )

    def system_property(self, name: str) -> str | None:
        """A system property of the driver's JVM."""
        return session.system_property(self._context, name)

    def read_store(self, kind: str, content: bytes, password: str | None, key_password: str | None) -> StoreContents:
        """Read a key store with the JVM's own classes; raises ConfigurationError."""
        return key_stores.read_store(self._context._gateway, kind, content, password, key_password)

    def credential(self, alias: str, provider_path: str | None) -> str | None:
        """Give a password out of Hadoop's credential stores; raises ConfigurationError."""
        return key_stores.credential(self._context, alias, provider_path)

    def _loader(self) -> Any:  # noqa: ANN401 a Py4J object
        """The class loader that has Kafka: that of the application first, where `--packages` and `spark.jars` are."""
        if not self._has_looked:
            self._has_looked = True
            loaders = (self._thread_loader, self._spark_loader)
            self._kafka_loader = next((each for each in loaders if each is not None and _has_class(each)), None)
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
        logger.debug("the Hadoop login cannot be asked for: %s", brief(error))
        return False
