"""The live cases of `make test`: few of all, that together meet every declared Spark class which any case meets.

Chosen from what was recorded on the newest Spark: one case after the other, always the one that meets most of what is
left. A class that is declared anew comes in with its case's recording; `test_everyday.py` sees that it has one.
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
from tests.batches import versions

FIXTURES = Path(__file__).resolve().parent / "fixtures"
KINDS = ("batches", "hive", "kafka")
"""The folders of recorded batches, each of a kind of session."""

_CLASS = re.compile(r'\["c","([^"]+)"')

Case = tuple[str, str]
"""Kind and name."""


def newest(kind: str) -> Path:
    """The folder of the batches of the newest Spark."""
    return FIXTURES / kind / versions(FIXTURES / kind)[-1]


@functools.cache
def met() -> Mapping[Case, frozenset[str]]:
    """The declared Spark classes that are in each case's batch."""
    files = [(kind, file) for kind in KINDS for file in sorted(newest(kind).glob("*.txt"))]
    return {(kind, file.stem): frozenset(_CLASS.findall(file.read_text("utf-8"))) & {*DECLARED} for kind, file in files}


@functools.cache
def cover() -> frozenset[Case]:
    """The chosen cases."""
    left = set().union(*met().values())
    chosen = set()
    while left:
        case = max(met(), key=lambda case: len(met()[case] & left))
        chosen.add(case)
        left -= met()[case]
    return frozenset(chosen)


def params(kind: str, names: Iterable[str]) -> list[Any]:
    """The cases of a kind for `parametrize`, the chosen ones marked `everyday`."""
    chosen = cover()
    return [pytest.param(name, marks=[pytest.mark.everyday] if (kind, name) in chosen else []) for name in names]
