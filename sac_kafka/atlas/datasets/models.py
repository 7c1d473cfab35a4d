"""Describe Spark ML models as spark_ml_model, spark_ml_pipeline and spark_ml_directory, all named by the directory.

Atlas requires that a directory references a model and a pipeline, which both own it, so each model has a pipeline. Their
relationship `dataset` is not sent: a dataset can be that of one model only, so the next model would take it over.
"""

from __future__ import annotations

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets.description import DatasetEntities
from sac_kafka.atlas.limits import COMMENT_LIMIT, DATASET_LIMIT, INDEXED_LIMIT, shorten, truncate
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value
from sac_kafka.atlas.naming import Naming
from sac_kafka.model import ModelDataset


def model(dataset: ModelDataset, naming: Naming) -> DatasetEntities:
    """Describe a model, an unfitted pipeline, or the directory of a model with its two owners."""
    name = qualified_name.path(dataset.path, naming.namespace)
    return _entities(dataset, naming.namespace, model_name=name, pipeline_name=name, directory_name=name)


def sac_model(dataset: ModelDataset, naming: Naming) -> DatasetEntities:
    """Describe a model as the Spark Atlas Connector does: by its uids, which differ in every run, or else by its directory.

    The directory itself is named `<uri>.<directory>`.
    """
    uid, path = dataset.uid, dataset.path
    return _entities(
        dataset,
        naming.namespace,
        model_name=shorten(uid.replace("pipeline", "model") or path, DATASET_LIMIT),
        pipeline_name=shorten(dataset.pipeline_uid or uid or path, DATASET_LIMIT),
        directory_name=shorten(f"{_uri(path)}.{qualified_name.bare_path(path)}", DATASET_LIMIT),
    )


def _entities(
    dataset: ModelDataset, namespace: str, *, model_name: str, pipeline_name: str, directory_name: str
) -> DatasetEntities:
    label = qualified_name.path_label(dataset.path)
    fitted = AtlasEntity(
        id=AtlasObjectId("spark_ml_model", model_name),
        attributes=_attributes(label, _extra(dataset)),
    )
    pipeline = AtlasEntity(
        id=AtlasObjectId("spark_ml_pipeline", pipeline_name),
        attributes=_attributes(label, dataset.pipeline_uid if dataset.is_fitted else _extra(dataset)),
    )
    bare = truncate(qualified_name.bare_path(dataset.path), INDEXED_LIMIT)
    directory = AtlasEntity(
        id=AtlasObjectId("spark_ml_directory", directory_name),
        attributes={"name": bare, "uri": truncate(dataset.path, INDEXED_LIMIT), "directory": bare},
        references={"model": fitted.id, "pipeline": pipeline.id},
        # Without these names Atlas might use the associations that have the same attributes.
        relationships={"model": "spark_ml_model_ml_directory", "pipeline": "spark_ml_pipeline_ml_directory"},
    )
    head = (fitted, pipeline, directory) if dataset.is_directory else (fitted if dataset.is_fitted else pipeline,)
    return DatasetEntities(
        name=bare,
        label=f"{label}/" if dataset.is_directory else label,
        namespace=namespace,
        head=head,
        owners=head,
        details=(),
        columns=None,
    )


def _attributes(label: str, extra: str) -> dict[str, Value]:
    """Return the attributes `name` and `extra`, the latter only if it has a value."""
    return {"name": truncate(label, INDEXED_LIMIT), **({"extra": truncate(extra, COMMENT_LIMIT)} if extra else {})}


def _extra(dataset: ModelDataset) -> str:
    """Return the class of a model, its Spark uid, and its name in MLflow."""
    return " ".join(part for part in (dataset.model_class, dataset.uid, dataset.uri) if part)


def _uri(path: str) -> str:
    """Return the file system of a path: its scheme and authority."""
    return path.removesuffix(qualified_name.bare_path(path))
