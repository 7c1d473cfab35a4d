"""Random queries over known tables: their lineage equals the known one, in both directions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark")

from tests.helpers.live_runs import session
from tests.live.generated.choices import Choices
from tests.live.generated.running import SETTINGS, Runner, prepare
from tests.live.generated.trees import statement

A_BATCH = 25
IN_FULL = 100
IN_NIGHTLY = 3_000

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    spark = session(str(tmp_path_factory.mktemp("generated")), **SETTINGS)
    prepare(spark)
    yield Runner(spark)
    spark.stop()


def _equal(runner: Runner, first: int) -> None:
    seeds = range(first, first + A_BATCH)
    choices = [Choices(seed) for seed in seeds]
    made = [statement(c, f"q{seed}") for c, seed in zip(choices, seeds, strict=True)]
    for seed, each, taken, difference in zip(seeds, made, choices, runner.run(made), strict=True):
        if difference:
            pytest.fail(f"seed {seed}:\n{each}\n{difference}\nsmallest:\n{runner.smallest(seed, taken)}")


@pytest.mark.parametrize(
    "first",
    [
        0,
        *(pytest.param(first, marks=pytest.mark.exhaustive) for first in range(A_BATCH, IN_FULL, A_BATCH)),
    ],
    ids=lambda first: f"seeds from {first}",
)
def test_generated_queries_have_their_known_lineage(runner: Runner, first: int) -> None:
    _equal(runner, first)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "first", range(IN_FULL, IN_FULL + IN_NIGHTLY, A_BATCH), ids=lambda first: f"seeds from {first}"
)
def test_many_generated_queries_have_their_known_lineage(runner: Runner, first: int) -> None:
    _equal(runner, first)
