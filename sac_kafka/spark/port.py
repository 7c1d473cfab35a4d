"""What a hook asks of the driver's JVM, whoever answers: `spark.driver.JvmDriver`, in tests a fake without Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from sac_kafka.config.finding import Resource
from sac_kafka.metrics.gauges import Gauges
from sac_kafka.spark.listener import ListenerSettings
from sac_kafka.spark.session import Metastore, Session
from sac_kafka.transport.driver import Driver


class Listening(Protocol):
    """A listener that listens. All methods raise `GoneError` if the JVM is unreachable."""

    @property
    def compiled_because(self) -> str | None:
        """Why it was compiled in the driver; None if the precompiled classes fit."""

    def poll(self, wait_ms: int) -> str | None:
        """Give the lines that wait, None if there are none within `wait_ms`."""

    def wake(self) -> None:
        """End the poll that waits, or else the next one: another thread than the one that polls calls it."""

    def mark(self, marker: int) -> None:
        """Post a flush marker on the bus."""

    def note(self, kind: str, text: str, dataset: Any = None) -> None:  # noqa: ANN401 a Java Dataset
        """Post a note of the driver's Python (`plan.driver_notes`), with the plan of a DataFrame."""

    def note_rdd(self, kind: str, rdd: Any, dataset: Any) -> None:  # noqa: ANN401 a Java RDD, a Java Dataset
        """Post a note that an RDD was made of a DataFrame, with its plan; nothing where it was not."""

    def note_checkpoint(self, kind: str, made: Any, dataset: Any) -> None:  # noqa: ANN401 Java Datasets
        """Post a note that a DataFrame was made as a checkpoint of another, with the plan of that."""

    def note_rows(self, kind: str, rdd: Any, text: str = "") -> None:  # noqa: ANN401 a Java RDD
        """Post a note about an RDD, with what its rows come from as it is now."""

    def model(
        self,
        kind: str,
        text: str,
        *,
        path: str | None = None,
        read: Any = None,  # noqa: ANN401 a Java Dataset, and so are the others
        before: Any = None,  # noqa: ANN401
        after: Any = None,  # noqa: ANN401
    ) -> None:
        """Post a note about a model (`plan.ml_events.ModelNote`), with what it read, or was given and gave."""

    def literals(self, dataset: Any) -> tuple[str, ...]:  # noqa: ANN401 a Java Dataset
        """Give the literals of a DataFrame's plan as text, and what is remembered of those it was made of."""

    def remember(self, dataset: Any, text: str) -> None:  # noqa: ANN401 a Java Dataset
        """Remember a DataFrame: those made of it have `text` among their literals."""

    def detach(self) -> None:
        """Leave the bus; what was handed over is still projected."""


class SparkDriver(Driver, Protocol):
    """The driver's JVM, asked while a hook attaches."""

    @property
    def thread_properties(self) -> Mapping[str, str]:
        """What the jobs of the thread that attaches are told to belong to."""

    def session(self) -> Session:
        """Give the facts of the SparkContext, with its configuration as it is now."""

    def metastore(self, conf: Mapping[str, str]) -> Metastore:
        """Tell where the session catalog keeps its tables; `conf` is the session's."""

    def mounts(self, conf: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Tell what is mounted in the workspace, () where it is none of Databricks; `conf` is the session's. Never raises."""

    def class_path_resource(self, name: str) -> Resource | None:
        """Give a file on the class path of the application; None if it is not there."""

    def spark_file(self, name: str) -> str | None:
        """Give the local path of a file that was given with `--files`."""

    def gauges(self, names: Iterable[str]) -> Gauges | None:
        """Give gauges of these names that stand beside Spark's metrics; None where the driver does not take them."""

    def listen(self, specification: str, settings: ListenerSettings) -> Listening:
        """Start the listener.

        Raises:
            AttachError: The context is stopped, or the driver's Spark lacks what the listener stands on.
        """
