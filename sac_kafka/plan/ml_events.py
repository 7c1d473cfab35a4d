"""Declare events of Spark ML: of pipelines in the JVM, and notes of the driver's Python about models."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan

_ML = "org.apache.spark.ml"


@spark_class("sackafka.ModelNote")
class ModelNote:
    """A note of the driver's Python; `text` is JSON, `time` is in epoch milliseconds.

    `plan` is the training data (`fitted`), `columns` are the output (`transformed`), `path` is the directory of a save or load
    (`saving`, `saved`, `loading`, `loaded`, `failed`). `process` is the Python process.
    """

    kind: str
    text: str
    path: str | None
    time: int
    plan: LogicalPlan | None
    columns: tuple[Attribute, ...]
    process: str | None = accessor("process", default=None)


@spark_class(f"{_ML}.FitStart")
class FitStart:
    """A pipeline, or a stage of one, starts to be fitted to `plan`."""

    uid: str = accessor("estimator.uid")
    plan: LogicalPlan | None = accessor("dataset.queryExecution.analyzed")


@spark_class(f"{_ML}.FitEnd")
class FitEnd:
    """The fit has ended and returned a model."""

    uid: str = accessor("estimator.uid")
    model: str = accessor("model.uid")
    model_class: str = accessor("model.getClass")


@spark_class(f"{_ML}.TransformStart")
class TransformStart:
    """A model of a pipeline, or a stage of one, starts to transform `columns`."""

    uid: str = accessor("transformer.uid")
    columns: tuple[Attribute, ...] = accessor("input.queryExecution.analyzed.output")


@spark_class(f"{_ML}.TransformEnd")
class TransformEnd:
    """The transformation has ended and returned `columns`."""

    uid: str = accessor("transformer.uid")
    columns: tuple[Attribute, ...] = accessor("output.queryExecution.analyzed.output")


@spark_class(f"{_ML}.SaveInstanceStart")
class SaveInstanceStart:
    """A pipeline, its model, or a stage of one starts to be saved."""

    path: str = accessor("@modelPath")


@spark_class(f"{_ML}.SaveInstanceEnd")
class SaveInstanceEnd:
    """The save has ended; private fields identify what was saved."""

    path: str = accessor("@modelPath")
    uid: str | None = accessor("writer.#instance.uid|@none")
    instance_class: str | None = accessor("writer.#instance.getClass|@none")


@spark_class(f"{_ML}.LoadInstanceStart")
class LoadInstanceStart:
    """A load has started; `reader` distinguishes it from others at the same time."""

    path: str = accessor("@modelPath")
    reader: str = accessor("reader.hashCode")


@spark_class(f"{_ML}.LoadInstanceEnd")
class LoadInstanceEnd:
    """The load has ended."""

    reader: str = accessor("reader.hashCode")
    uid: str = accessor("instance.uid")
    instance_class: str = accessor("instance.getClass")


ModelEvent = (
    ModelNote
    | FitStart
    | FitEnd
    | TransformStart
    | TransformEnd
    | SaveInstanceStart
    | SaveInstanceEnd
    | LoadInstanceStart
    | LoadInstanceEnd
)
"""Every event about models."""
