"""Choose the tests that `.ci/run` leaves to `make test-full` (`exhaustive`), and `make quick` to `make test` (`slow`).

A test over many cases that needs a Spark or a server runs with the first few in CI. A test that marks some of its own
cases (`tests.helpers.everyday.params`) keeps its own choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

FIRST = 2
"""Cases of such a test that CI runs."""
NEEDS = {"spark", "kafka", "full", "sources"}


def mark_exhaustive(items: Iterable[pytest.Item]) -> None:
    """Mark the cases beyond the first few of each test that needs more than Python."""
    by_test: dict[str, list[pytest.Item]] = {}
    for item in items:
        by_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in by_test.values():
        names = [{mark.name for mark in case.iter_markers()} for case in cases]
        if any("exhaustive" in each for each in names):
            continue
        live = [case for case, each in zip(cases, names, strict=True) if each & NEEDS and "everyday" not in each]
        for case in live[FIRST:]:
            case.add_marker(pytest.mark.exhaustive)


_OTHER_SPARK = re.compile(r"\[.*(?<![\d.])(3\.5|4\.[0-2])\.\d+(?![\d.])")
"""A case that was recorded on another Spark than the newest."""


def mark_slow(items: Iterable[pytest.Item]) -> None:
    """Mark the replays of older Sparks: most of them say what those of the newest say.

    As OpenLineage events they say even less: what the version of Spark decides is over before.
    """
    for item in items:
        if "/replay/" in item.nodeid and "sources" not in item.nodeid and _OTHER_SPARK.search(item.nodeid):
            item.add_marker(pytest.mark.full if "openlineage" in item.nodeid else pytest.mark.slow)
