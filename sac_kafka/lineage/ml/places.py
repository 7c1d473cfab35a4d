"""Where models lie: what a directory is called from run to run, and what MLflow calls the model in it."""

from __future__ import annotations

import dataclasses
import re

from sac_kafka.lineage.datasets.files import Patterns
from sac_kafka.lineage.datasets.paths import root
from sac_kafka.lineage.model import Dataset, PathDataset

_OF_MLFLOW = re.compile(r"/[^/]+/(?P<run>[0-9a-f]{32})/artifacts/(?P<artifact>.+?)(?:/sparkml)?/?")
_LOGGED = re.compile(r"/models/(?P<model>m-[0-9a-f]{32})/artifacts(?:/.*)?")
"""Since MLflow 3 a model has a folder of its own, beside those of runs."""
_TEMPORARY = re.compile(r"/tmp/mlflow/[0-9a-f-]{36}(?:/|$)")  # noqa: S108 nothing is written there
"""MLflow writes where it may not write to the store itself, and copies (`DFS_TMP`); what it loads it copies there, too."""
_ID = re.compile(r"(?<=/m-)[0-9a-f]{32}(?=/|$)")


@dataclasses.dataclass(frozen=True, slots=True)
class ModelPlace:
    """A model's directory: its name from run to run, where it really is, and the model's URI where MLflow keeps it there."""

    path: str
    location: str
    uri: str = ""


def place(location: str, patterns: Patterns) -> ModelPlace | None:
    """The place of a model; None for MLflow's temporary folders, from which it is copied.

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


def is_at(path: str, directory: str) -> bool:
    """True for the directory itself, and for what is in it.

    >>> is_at("file:/m/a/data", "file:/m/a"), is_at("file:/m/a", "file:/m/a"), is_at("file:/m/ab", "file:/m/a")
    (True, True, False)
    """
    return path == directory or path.startswith(f"{directory.rstrip('/')}/")


def concrete(dataset: Dataset) -> tuple[str, ...]:
    """Where a path really is; nothing of models, and of what is no path."""
    return (dataset.locations or (dataset.path,)) if type(dataset) is PathDataset else ()
