"""Wide and long statements on a real Spark: no call of the hook's holds the GIL for long, which would stop the user's threads."""

from __future__ import annotations

from pathlib import Path

import pytest

import sac_kafka
from tests.helpers.live_runs import session
from tests.helpers.stalls import counted
from tests.helpers.waiting import LONG_SECONDS
from tests.live.spark.wide_statements import WRITES, run_wide_statements

pytestmark = [pytest.mark.spark, pytest.mark.exhaustive, pytest.mark.timeout(1800)]


def test_no_call_is_too_long_for_wide_and_long_statements(tmp_path: Path) -> None:
    spark = session(str(tmp_path))
    try:
        with counted("sac-kafka") as pieces:
            hook = sac_kafka.attach(spark, client_type="file", client_file_path=tmp_path / "messages.jsonl")
            run_wide_statements(spark, str(tmp_path))
            assert hook.flush(5 * LONG_SECONDS), hook.stats()
            hook.detach()
    finally:
        spark.stop()
    assert hook.stats()["processes"] == WRITES
    assert set(pieces.largest) == {"read", "written", "searched"}
    pieces.assert_small()
