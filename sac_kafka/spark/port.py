"""The interface to the driver's JVM: implemented by `spark.driver.JvmDriver`, and in tests by a fake without Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from sac_kafka.settings.files.finding import Resource
from sac_kafka.spark.listener import ListenerSettings
from sac_kafka.spark.session import Metastore, Session
from sac_kafka.transport.driver import Driver


class Gauges(Protocol):
    """Gauges registered in Spark's metrics system. Methods never raise."""

    def update(self, numbers: Iterable[float]) -> None:
        """Set the values of all gauges, in the order of their names."""

    def close(self) -> None:
        """Unregister the gauges."""


class Listening(Protocol):
    """A listener that listens. All methods raise `GoneError` if the JVM is unreachable."""

    @property
    def compiled_because(self) -> str | None:
        """Why it was compiled in the driver; None if the precompiled classes fit."""

    def poll(self, wait_ms: int) -> str | None:
        """Return the pending lines; None if there are none within `wait_ms`."""

    def confirm(self, number: int, needed: Sequence[int]) -> None:
        """Confirm the event lines up to a number, except those with some numbers: another process need not read them."""

    def wake(self) -> None:
        """End the poll in progress, or else the next one; called by another thread than the polling one."""

    def mark(self, marker: int) -> None:
        """Post a flush marker on the bus."""

    def note(self, kind: str, text: str, dataset: Any = None) -> None:  # noqa: ANN401 a Java Dataset
        """Post a note of the driver's Python (`plan.driver_notes`), with the plan of a DataFrame."""

    def note_rdd(self, kind: str, rdd: Any, dataset: Any) -> None:  # noqa: ANN401 a Java RDD, a Java Dataset
        """Post a note that an RDD was made of a DataFrame, with its plan; nothing where it was not."""

    def note_checkpoint(self, kind: str, made: Any, dataset: Any) -> None:  # noqa: ANN401 Java Datasets
        """Post a note that a DataFrame was made as a checkpoint of another, with the plan of the latter."""

    def note_rows(self, kind: str, rdd: Any, text: str = "") -> None:  # noqa: ANN401 a Java RDD
        """Post a note about an RDD, with the current sources of its rows."""

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
        """Post a note about a model (`plan.ml_events.ModelNote`) with the plans of its training data, or its input and output."""

    def literals(self, dataset: Any) -> tuple[str, ...]:  # noqa: ANN401 a Java Dataset
        """Return the literals of a DataFrame's plan as text, and the texts remembered for the DataFrames it derives from."""

    def remember(self, dataset: Any, text: str) -> None:  # noqa: ANN401 a Java Dataset
        """Remember a DataFrame: those made of it have `text` among their literals."""

    def answer(self, question: int, text: str) -> None:
        """Answer a question of another process."""

    def register(self, text: str) -> None:
        """Register this process with what is known of it (`lineage.runs.attribution.PythonProcess`)."""

    def own(self, session: Any) -> None:  # noqa: ANN401 a Java SparkSession
        """Register a session of this process."""

    def others(self) -> tuple[str, ...]:
        """Return the other Python processes that have attached to the SparkContext and still run."""

    def release(self) -> None:
        """Leave the listener to the other processes."""

    def detach(self) -> None:
        """Leave the listener bus; events received so far are still projected."""


class SparkDriver(Driver, Protocol):
    """The driver's JVM, as used while a hook attaches."""

    @property
    def thread_properties(self) -> Mapping[str, str]:
        """Local properties of the attaching thread, such as its job group."""

    def session(self) -> Session:
        """Return the facts of the SparkContext with its current configuration."""

    def metastore(self, conf: Mapping[str, str]) -> Metastore:
        """Return which metastore the session catalog uses; `conf` is the session's configuration."""

    def mounts(self, conf: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the mounts of a Databricks workspace, () elsewhere; `conf` is the session's configuration. Never raises."""

    def class_path_resource(self, name: str) -> Resource | None:
        """Return a file on the application's class path; None if it does not exist."""

    def spark_file(self, name: str) -> str | None:
        """Return the local path of a file passed with `--files`."""

    def gauges(self, names: Iterable[str]) -> Gauges | None:
        """Register gauges in Spark's metrics system; None if the driver does not allow it."""

    def listen(self, specification: str, settings: ListenerSettings) -> Listening:
        """Start the listener.

        Raises:
            AttachError: The context is stopped, or the driver's Spark lacks something that the listener needs.
        """
