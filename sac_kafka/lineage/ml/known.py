"""Identify the models of an application by the numbers that the driver's Python assigns, and by Spark's uids."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.columns.output_columns import EMPTY
from sac_kafka.model import ModelDataset
from sac_kafka.model.bounds import Bounded

MAX_MODELS = 1_000
"""Names of models that are remembered; the oldest is evicted first."""


@dataclasses.dataclass(slots=True, eq=False, kw_only=True)
class KnownModel:
    """A model, as its fit or load described it.

    Attributes:
        uid: The uid of the whole model.
        training: Origin of the training data, with the pipeline if that is saved; None if the fit was not seen.
        pipeline_uid: The uid of the estimator or pipeline that was fitted.
        started_ms: Start of the fit in epoch milliseconds.
        saved: The location it was loaded from, or last saved to.
    """

    uid: str
    training: Origin | None = None
    pipeline_uid: str = ""
    started_ms: int | None = None
    saved: ModelDataset | None = None

    @property
    def read(self) -> Origin | None:
        """The input of a column that the model computes: the saved model, else its training data."""
        if self.saved is not None:
            return Origin(inputs=(self.saved,), columns=EMPTY)
        return self.training


class KnownModels:
    """The models that an application has recently fitted or loaded."""

    def __init__(self) -> None:
        self._by_name: Bounded[tuple[int, str], KnownModel] = Bounded(MAX_MODELS)

    def add(self, model: KnownModel, number: int, uids: Iterable[str]) -> None:
        """Add a model under its number (0: none), its uid and the uids of its parts."""
        names = [(number, "")] if number else []
        for name in (*names, *((0, uid) for uid in uids)):
            self._by_name[name] = model

    def find(self, number: int, uid: str) -> KnownModel | None:
        """Return the model with this number, or, if that is unknown, the last one with this uid."""
        names = ((number, uid), (number, ""), (0, uid)) if number else ((0, uid),)
        return next((known for name in names if (known := self._by_name.get(name)) is not None), None)

    def note_save(self, number: int, uid: str, at: ModelDataset) -> None:
        """Record where a model was saved; a part that is saved separately becomes another model.

        A loaded model keeps the location that it was loaded from: the new one is a copy.
        """
        known = self.find(number, uid)
        if known is None:
            self.add(KnownModel(uid=uid, saved=at), number, (uid,))
        elif known.training is not None and known.uid == uid:
            known.saved = at
        elif known.training is not None:
            self._by_name[(number, uid)] = dataclasses.replace(known, uid=uid, saved=at)
