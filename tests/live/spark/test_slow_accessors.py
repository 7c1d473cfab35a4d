"""Slow accessors: those that wait and, outside of Spark, those that compute; never because of a busy machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.spark.compiled import Compiled

COUNTED = Path("/proc/thread-self/schedstat")
"""The file in which Linux shows how long a thread has waited for a processor."""
ATTEMPTS = 10
"""What else delays a thread (a page of memory, a stop of the whole process) does not come in each of them."""


@pytest.fixture(scope="module")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiled]:
    """Start a JVM with one processor, whatever the machine has."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        made = Compiled(tmp_path_factory.mktemp("asking"), "Asking", ("Watch",))
    finally:
        os.sched_setaffinity(0, before)
    with made as jvm:
        yield jvm


def is_noted(jvm: Compiled, does: str, of: str, ms: int, others: int) -> bool:
    return "slow accessor: " in jvm.answer(does, of, str(ms), str(others))


@pytest.mark.parametrize(
    ("does", "of", "ms"), [("waits", "Spark", 200), ("waits", "another", 200), ("computes", "another", 100)]
)
def test_a_slow_accessor_is_named(jvm: Compiled, does: str, of: str, ms: int) -> None:
    assert any(is_noted(jvm, does, of, ms, 0) for _ in range(ATTEMPTS))


@pytest.mark.skipif(not COUNTED.exists(), reason="this system does not count what a thread waits for a processor")
@pytest.mark.parametrize("of", ["Spark", "another"])
def test_a_busy_machine_makes_none_slow(jvm: Compiled, of: str) -> None:
    assert not all(is_noted(jvm, "computes", of, 30, 8) for _ in range(ATTEMPTS))


def test_a_computing_accessor_of_spark_is_not_named(jvm: Compiled) -> None:
    assert not all(is_noted(jvm, "computes", "Spark", 100, 0) for _ in range(ATTEMPTS))
