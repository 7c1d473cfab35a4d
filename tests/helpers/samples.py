"""Choose the tests that `.ci/run` leaves to `make test-full`, `make test-atlas` and the like: marker `exhaustive`.

A test over many cases that needs a Spark or a server runs with the first few in CI. A test that marks some of its own
cases (`tests.helpers.everyday.params`) keeps its own choice.
"""

from __future__ import annotations

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
