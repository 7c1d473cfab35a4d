"""The interface to the driver's JVM: implemented by `spark.driver.JvmDriver`, and in tests by a fake without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from sac_kafka.settings.files.finding import Found
from sac_kafka.spark.listener import Listener, ListenerSettings
from sac_kafka.spark.session import Metastore, Session
from sac_kafka.transport.driver import Driver

if TYPE_CHECKING:
    from sac_kafka.spark.metrics_source import SparkGauges


class SparkDriver(Driver, Protocol):
    """The driver's JVM, as used while a hook attaches."""

    is_python: bool
    """Whether Python has made the SparkContext; False for a main in Scala or Java."""

    @property
    def thread_properties(self) -> Mapping[str, str]:
        """Local properties of the attaching thread, such as its job group."""

    def session(self) -> Session:
        """Return the facts of the SparkContext with its current configuration."""

    def metastore(self, conf: Mapping[str, str]) -> Metastore:
        """Return which metastore the session catalog uses; `conf` is the session's configuration."""

    def mounts(self, conf: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the mounts of a Databricks workspace, () elsewhere; `conf` is the session's configuration. Never raises."""

    def class_path_resource(self, name: str) -> Found | None:
        """Return a file on the application's class path; None if it does not exist."""

    def spark_file(self, name: str) -> str | None:
        """Return the local path of a file passed with `--files`."""

    def gauges(self, names: Iterable[str]) -> SparkGauges | None:
        """Register gauges in Spark's metrics system; None if the driver does not allow it."""

    def standard_error(self) -> Callable[[str], None] | None:
        """Return what writes a line to the JVM's standard error; None if it is the same as Python's."""

    def listen(self, specification: str, settings: ListenerSettings) -> Listener:
        """Start the listener.

        Raises:
            AttachError: The context is stopped, or the driver's Spark lacks something that the listener needs.
        """
