"""The live cases of `make test`: few of all, which meet most of the declared Spark classes.

Chosen from what was recorded on the newest Spark: one case after the other, always the one that meets the most classes
that no chosen case meets. `make test` runs those that add several classes, CI those that add more than one, `make test-full`
every case. A class that is declared later comes in with its case's recording; `test_everyday.py` verifies that it has one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.plan import specification  # noqa: F401 its import declares the classes
from sac_kafka.plan.declaration import DECLARED
from tests.cases.batches import versions

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
KINDS = ("batches", "hive", "kafka")
"""The folders of recorded batches, each of a kind of session; the first one is that of most cases."""

SEVERAL = 6
"""Classes that a case adds, at least, to be run by `make test`."""

_CLASS = re.compile(r'\["c","([^"]+)"')

Case = tuple[str, str]
"""Kind and name."""


def newest(kind: str) -> Path:
    """Return the folder of the batches of the newest Spark."""
    return FIXTURES / kind / versions(FIXTURES / kind)[-1]


@functools.cache
def met() -> Mapping[Case, frozenset[str]]:
    """Return the declared Spark classes in each case's batch."""
    files = [(kind, file) for kind in KINDS for file in sorted(newest(kind).glob("*.txt"))]
    return {(kind, file.stem): frozenset(_CLASS.findall(file.read_text("utf-8"))) & {*DECLARED} for kind, file in files}


@functools.cache
def cover() -> Mapping[Case, int]:
    """Return the chosen cases in their order, each with the number of classes that it adds."""
    left = set().union(*met().values())
    chosen = {}
    while left:
        case = max(met(), key=lambda case: len(met()[case] & left))
        chosen[case] = len(met()[case] & left)
        left -= met()[case]
    return chosen


def is_everyday(case: Case) -> bool:
    """Return whether `make test` runs a case: it adds several classes, and needs no special session."""
    return case[0] == KINDS[0] and cover().get(case, 0) >= SEVERAL


def params(kind: str, names: Iterable[str]) -> list[Any]:
    """Return the cases of a kind for `parametrize`: `everyday` are those of `make test`, `exhaustive` those beyond the cover."""
    return [pytest.param(name, marks=_marks((kind, name))) for name in names]


def _marks(case: Case) -> list[pytest.MarkDecorator]:
    if is_everyday(case):
        return [pytest.mark.everyday]
    return [] if cover().get(case, 0) > 1 else [pytest.mark.exhaustive]
