"""Which models an application knows, and by what: numbers of the driver's Python, uids of Spark's."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.columns.handed_up import EMPTY
from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.model import ModelDataset

MAX_MODELS = 1_000
"""Names of models that are remembered; the oldest is forgotten first."""


@dataclasses.dataclass(slots=True, eq=False, kw_only=True)
class KnownModel:
    """A model, by what the fit or load that made it said.

    `uid` is that of the model as a whole, `training` what it was fitted to (None where that was not seen), with the
    pipeline it was fitted by where that is saved. `saved` is where it was loaded from, or saved last.
    """

    uid: str
    training: Origin | None = None
    pipeline_uid: str = ""
    started_ms: int | None = None
    saved: ModelDataset | None = None

    @property
    def read(self) -> Origin | None:
        """What was read to make columns by it: the saved model, else what it was fitted to."""
        if self.saved is not None:
            return Origin(inputs=(self.saved,), columns=EMPTY)
        return self.training


class KnownModels:
    """The models that an application has fitted or loaded lately."""

    def __init__(self) -> None:
        self._by_name: Bounded[tuple[int, str], KnownModel] = Bounded(MAX_MODELS)

    def add(self, model: KnownModel, number: int, uids: Iterable[str]) -> None:
        """Know a model by its number (0: it has none), and by the uids of it and of what is within it."""
        names = [(number, "")] if number else []
        for name in (*names, *((0, uid) for uid in uids)):
            self._by_name[name] = model

    def find(self, number: int, uid: str) -> KnownModel | None:
        """The model with this number; where that is not known the last one with this uid."""
        names = ((number, uid), (number, ""), (0, uid)) if number else ((0, uid),)
        return next((known for name in names if (known := self._by_name.get(name)) is not None), None)

    def saved(self, number: int, uid: str, at: ModelDataset) -> None:
        """A model has been saved; what was saved of one that is made of several is a model by itself.

        One that was loaded stays what it was loaded from: where else it is saved is a copy.
        """
        known = self.find(number, uid)
        if known is None:
            self.add(KnownModel(uid=uid, saved=at), number, (uid,))
        elif known.training is not None and known.uid == uid:
            known.saved = at
        elif known.training is not None:
            self._by_name[(number, uid)] = dataclasses.replace(known, uid=uid, saved=at)
