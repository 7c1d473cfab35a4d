"""The SQL that is shown of generated queries means what they do: it is parsed again by the same Spark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark")

from tests.helpers.live_runs import session
from tests.live.generated.choices import Choices
from tests.live.generated.running import SETTINGS, prepare
from tests.live.generated.shown import Judge
from tests.live.generated.trees import statement

A_BATCH = 25
IN_FULL = 50
IN_NIGHTLY = 1_000

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    spark = session(str(tmp_path_factory.mktemp("shown")), **SETTINGS)
    prepare(spark)
    yield Judge(spark)
    spark.stop()


@pytest.mark.parametrize(
    "first",
    [
        *(pytest.param(first, marks=pytest.mark.exhaustive) for first in range(0, IN_FULL, A_BATCH)),
        *(pytest.param(first, marks=pytest.mark.nightly) for first in range(IN_FULL, IN_NIGHTLY, A_BATCH)),
    ],
    ids=lambda first: f"seeds from {first}",
)
def test_shown_sql_means_what_was_written(judge: Judge, first: int) -> None:
    operators, texts, by_rows = judge.operators, judge.texts, judge.by_rows
    for seed in range(first, first + A_BATCH):
        made = statement(Choices(seed), f"shown{seed}")
        faults = judge.faults(made)
        assert not faults, "\n".join((f"seed {seed}:", str(made), *faults))
    assert judge.operators - operators >= A_BATCH // 2, "too few to judge"
    print(
        f"{judge.operators - operators} operators, {judge.texts - texts} texts, {judge.by_rows - by_rows} by their rows"
    )
