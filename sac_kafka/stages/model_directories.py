"""Track the directories of models: reads and writes within them belong to the model (ALS reads its factors only when used)."""

from __future__ import annotations

from sac_kafka.model import Dataset, ModelDataset, Process
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.substitution import substitute, without_sources
from sac_kafka.names.model_places import actual_locations, is_within

MAX_OPEN = 100
"""Open directories that are remembered; the oldest is evicted first."""


class OpenDirectories:
    """The directories that are `open`, by who opened them: the driver's Python, or events of the JVM."""

    def __init__(self) -> None:
        self.open: Bounded[tuple[str, str], int | None] = Bounded(MAX_OPEN)

    def begin(self, by: str, path: str, time_ms: int | None = None) -> None:
        """Open a directory that is written or read from now on."""
        self.open[(by, path)] = time_ms

    def end(self, by: str, path: str) -> tuple[int | None] | None:
        """Close a directory.

        Returns:
            When it was opened; None if it was not open.
        """
        return (self.open.pop((by, path)),) if (by, path) in self.open else None

    def outermost(self, path: str) -> str | None:
        """Return the outermost open directory that contains a path; None without one."""
        return min((at for _, at in self.open if is_within(path, at)), key=len, default=None)

    def is_part(self, process: Process) -> bool:
        """Return whether a process writes only within open directories, or only reads there."""
        used = process.outputs or process.inputs
        return bool(used and self.open) and all(map(self._is_within, used))

    def _is_within(self, dataset: Dataset) -> bool:
        return any(self.outermost(place) is not None for place in actual_locations(dataset))


MAX_DIRECTORIES = 1_000
"""Directories of models that are remembered; the oldest is evicted first."""
_MAX_DEPTH = 4
"""Levels below the model's directory at which a part of it may be (`stages/0_als/userFactors`)."""


class SavedParts:
    """The models that an application has recently saved or loaded, by the location that they are `at`."""

    def __init__(self) -> None:
        self.at: Bounded[str, ModelDataset] = Bounded(MAX_DIRECTORIES)

    def add(self, model: ModelDataset) -> None:
        """Add a model at its locations."""
        for location in model.locations:
            self.at[location] = model

    def as_models(self, process: Process) -> Process:
        """Return a process with parts of models replaced by the models; locations that it overwrites are no longer models.

        A model has no columns that could be sources.
        """
        models = {d.key: model for d in process.inputs if (model := self._model_of(d)) is not None}
        for location in (place for d in process.outputs for place in actual_locations(d)):
            self.at.pop(location, None)
        return without_sources(substitute(process, models), {m.key for m in models.values()}) if models else process

    def _model_of(self, dataset: Dataset) -> ModelDataset | None:
        """Return the model that contains all locations of a path; None if there is no such model."""
        found = {
            None if (model := self._around(place)) is None else model.key: model for place in actual_locations(dataset)
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def _around(self, place: str) -> ModelDataset | None:
        for _ in range(_MAX_DEPTH):
            place = place.rpartition("/")[0]
            if (model := self.at.get(place)) is not None:
                return model
        return None


class ModelDirectories:
    """The directories of models that are being saved or loaded, and of those that were."""

    def __init__(self) -> None:
        self.saving = OpenDirectories()
        self.loading = OpenDirectories()
        self.saved = SavedParts()

    def is_part(self, process: Process) -> bool:
        """Return whether a process saves or loads a part of a model."""
        return self.saving.is_part(process) or self.loading.is_part(process)
