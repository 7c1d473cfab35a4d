"""A driver without Spark, which answers a hook as a test wants, or fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sac_kafka.spark.listener import ListenerSettings
from sac_kafka.spark.session import Metastore, Session
from sac_kafka.transport.driver import KerberosLogin, StoreContents


class FakeListener:
    """Return the given texts, then the end of the application; remember the calls."""

    compiled_because = None

    def __init__(self, *texts: str) -> None:
        self.texts = [*texts, '["end"]']
        self.is_detached = False
        self.confirmed: list[tuple[int, tuple[int, ...]]] = []

    def poll(self, wait_ms: int) -> str | None:
        return self.texts.pop(0)

    def confirm(self, number: int, needed: Sequence[int]) -> None:
        self.confirmed.append((number, tuple(needed)))

    def wake(self) -> None:
        pass

    def mark(self, marker: int) -> None:
        self.texts.insert(0, f'["marker",{marker}]')

    def note(self, kind: str, text: str, dataset: Any = None) -> None:
        pass

    def note_rdd(self, kind: str, rdd: Any, dataset: Any) -> None:
        pass

    def note_checkpoint(self, kind: str, made: Any, dataset: Any) -> None:
        pass

    def note_rows(self, kind: str, rdd: Any, text: str = "") -> None:
        pass

    def model(
        self, kind: str, text: str, *, path: str | None = None, read: Any = None, before: Any = None, after: Any = None
    ) -> None:
        pass

    def literals(self, dataset: Any) -> tuple[str, ...]:
        return ()

    def remember(self, dataset: Any, text: str) -> None:
        pass

    def answer(self, question: int, text: str) -> None:
        pass

    def register(self, text: str) -> None:
        self.registered = text

    def own(self, session: Any) -> bool:
        return False

    def others(self) -> tuple[str, ...]:
        return ()

    def release(self) -> None:
        pass

    def detach(self) -> None:
        self.is_detached = True


class FakeDriver:
    """`calls` are the calls in order, `fails` what one of them raises, `settings` what the listener was started with."""

    def __init__(
        self,
        conf: Mapping[str, str] | None = None,
        *,
        name: str = "orders 2026-11-21",
        metastore: Metastore | None = None,
        mounts: tuple[tuple[str, str], ...] = (),
        listener: Any = None,
        fails: Mapping[str, Exception] | None = None,
        spark_version: str = "4.3.0",
    ) -> None:
        self.is_python = True
        self.thread_properties: Mapping[str, str] = {}
        self.conf, self.name, self.fails = conf or {}, name, fails or {}
        self.listener = FakeListener() if listener is None else listener
        self.calls: list[str] = []
        self.settings: ListenerSettings | None = None
        self.gauge_names: tuple[str, ...] = ()
        self.spark_version = spark_version
        self._metastore = metastore or Metastore()
        self._mounts = mounts

    def _record(self, what: str) -> None:
        self.calls.append(what)
        if what in self.fails:
            raise self.fails[what]

    def session(self) -> Session:
        self._record("session")
        return Session(
            application_id="local-1",
            attempt=None,
            name=self.name,
            user="alice",
            spark_version=self.spark_version,
            started_ms=0,
            conf=self.conf,
        )

    def metastore(self, conf: Mapping[str, str]) -> Metastore:
        self._record("metastore")
        return self._metastore

    def mounts(self, conf: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        self._record("mounts")
        return self._mounts

    def class_path_resource(self, name: str) -> None:
        self._record("class_path_resource")

    def spark_file(self, name: str) -> None:
        self._record("spark_file")

    def gauges(self, names: Iterable[str]) -> Any:
        self._record("gauges")
        self.gauge_names = tuple(names)
        return None

    def standard_error(self) -> None:
        return None

    def listen(self, specification: str, settings: ListenerSettings) -> Any:
        self._record("listen")
        self.settings = settings
        return self.listener

    def kafka_connector(self) -> str:
        return "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0"

    def has_kafka_producer(self) -> bool:
        return False

    def kafka_client(self, properties: Mapping[str, str]) -> Any:
        raise NotImplementedError

    def kerberos_login(self) -> KerberosLogin:
        return KerberosLogin()

    def system_property(self, name: str) -> None:
        self._record("system_property")

    def read_store(self, kind: str, content: bytes, password: str | None, key_password: str | None) -> StoreContents:
        raise NotImplementedError

    def credential(self, alias: str, provider_path: str | None) -> str | None:
        raise NotImplementedError
