"""Name the directories of models from run to run, and find MLflow's URI of the model in it."""

from __future__ import annotations

import dataclasses
import re

from sac_kafka.model import Dataset, PathDataset
from sac_kafka.names.files import Patterns
from sac_kafka.names.paths import root

_OF_MLFLOW = re.compile(r"/[^/]+/(?P<run>[0-9a-f]{32})/artifacts/(?P<artifact>.+?)(?:/sparkml)?/?")
_LOGGED = re.compile(r"/models/(?P<model>m-[0-9a-f]{32})/artifacts(?:/.*)?")
"""Since MLflow 3 a model has its own directory, separate from those of runs."""
_TEMPORARY = re.compile(r"/tmp/mlflow/[0-9a-f-]{36}(?:/|$)")  # noqa: S108 only read
"""MLflow's temporary directory (`DFS_TMP`) for a store that it cannot write to directly, and for models that it loads."""
_ID = re.compile(r"(?<=/m-)[0-9a-f]{32}(?=/|$)")


@dataclasses.dataclass(frozen=True, slots=True)
class ModelPlace:
    """The directory of a model: its name from run to run, its actual location, and the model's URI if MLflow keeps it."""

    path: str
    location: str
    uri: str = ""


def place(location: str, patterns: Patterns) -> ModelPlace | None:
    """Return the place of a model; None for MLflow's temporary directories, from which a model is copied.

    >>> place("file:/work/mlruns/0/0123456789abcdef0123456789abcdef/artifacts/churn/sparkml", ())
    ... # doctest: +NORMALIZE_WHITESPACE
    ModelPlace(path='file:/work/mlruns/0/{uuid}/artifacts/churn/sparkml',
        location='file:/work/mlruns/0/0123456789abcdef0123456789abcdef/artifacts/churn/sparkml',
        uri='runs:/0123456789abcdef0123456789abcdef/churn')
    """
    location = location.rstrip("/") or location
    if _TEMPORARY.search(location):
        return None
    return ModelPlace(root(_ID.sub("{uuid}", location), patterns), location, _uri(location))


def _uri(location: str) -> str:
    if logged := _LOGGED.search(location):
        return f"models:/{logged['model']}"
    of_run = re.search(rf"(?s){_OF_MLFLOW.pattern}$", location)
    return f"runs:/{of_run['run']}/{of_run['artifact']}" if of_run else ""


def is_within(path: str, directory: str) -> bool:
    """Return whether a path is a directory or within it.

    >>> is_within("file:/m/a/data", "file:/m/a"), is_within("file:/m/a", "file:/m/a"), is_within("file:/m/ab", "file:/m/a")
    (True, True, False)
    """
    return path == directory or path.startswith(f"{directory.rstrip('/')}/")


def actual_locations(dataset: Dataset) -> tuple[str, ...]:
    """Return the actual locations of a path; nothing for models and other datasets."""
    return (dataset.locations or (dataset.path,)) if type(dataset) is PathDataset else ()
