"""Events of Spark ML: those of pipelines in the JVM, and notes of what the driver's Python does with models."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan

_ML = "org.apache.spark.ml"


@spark_class("sackafka.ModelNote")
class ModelNote:
    """A note of the driver's Python, by its `kind`; `text` is JSON. `time` is epoch milliseconds.

    `plan` is what a model was `fitted` to, `columns` are those that were `transformed`, `path` is the directory of what was
    `saved` or `loaded`, as that began (`saving`, `loading`) and where it `failed`.
    """

    kind: str
    text: str
    path: str | None
    time: int
    plan: LogicalPlan | None
    columns: tuple[Attribute, ...]


@spark_class(f"{_ML}.FitStart")
class FitStart:
    """A pipeline, or a stage of one, is about to be fitted to `plan`."""

    uid: str = accessor("estimator.uid")
    plan: LogicalPlan | None = accessor("dataset.queryExecution.analyzed")


@spark_class(f"{_ML}.FitEnd")
class FitEnd:
    """It has been, to a model."""

    uid: str = accessor("estimator.uid")
    model: str = accessor("model.uid")
    model_class: str = accessor("model.getClass")


@spark_class(f"{_ML}.TransformStart")
class TransformStart:
    """A model of a pipeline, or a stage of one, is given `columns`."""

    uid: str = accessor("transformer.uid")
    columns: tuple[Attribute, ...] = accessor("input.queryExecution.analyzed.output")


@spark_class(f"{_ML}.TransformEnd")
class TransformEnd:
    """It gives `columns`."""

    uid: str = accessor("transformer.uid")
    columns: tuple[Attribute, ...] = accessor("output.queryExecution.analyzed.output")


@spark_class(f"{_ML}.SaveInstanceStart")
class SaveInstanceStart:
    """A pipeline or its model, or a stage of one, is about to be saved."""

    path: str = accessor("@modelPath")


@spark_class(f"{_ML}.SaveInstanceEnd")
class SaveInstanceEnd:
    """It has been; what it is stands in private fields."""

    path: str = accessor("@modelPath")
    uid: str | None = accessor("writer.#instance.uid|@none")
    instance_class: str | None = accessor("writer.#instance.getClass|@none")


@spark_class(f"{_ML}.LoadInstanceStart")
class LoadInstanceStart:
    """Something is about to be loaded; `reader` tells it from others that are loaded at the same time."""

    path: str = accessor("@modelPath")
    reader: str = accessor("reader.hashCode")


@spark_class(f"{_ML}.LoadInstanceEnd")
class LoadInstanceEnd:
    """It has been."""

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
"""All of them."""
