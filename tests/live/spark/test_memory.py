"""A user's own test: messages in memory, and lineage in a small form."""

from __future__ import annotations

from pathlib import Path

import pytest

import sac_kafka
from sac_kafka import Flow
from tests.helpers.live_runs import session
from tests.helpers.messages import names, validated
from tests.helpers.waiting import LONG_SECONDS

pytestmark = [pytest.mark.spark]


def test_a_users_test_reads_messages_and_lineage_from_memory(tmp_path: Path) -> None:
    spark = session(str(tmp_path))
    source, target = f"file:{tmp_path}/in", f"file:{tmp_path}/out"
    try:
        with sac_kafka.attach(spark, job_name="daily", client_type="memory", metadata_namespace="test") as hook:
            spark.range(3).write.parquet(str(tmp_path / "in"))
            df = spark.read.parquet(str(tmp_path / "in")).selectExpr("id", "id * 2 as twice")
            df.write.parquet(str(tmp_path / "out"))

            flushed = hook.flush(LONG_SECONDS)

            assert flushed
            assert flushed == sac_kafka.Flushed(delivered=2)
            messages = validated(value for record in hook.transport.records for value in record.values)
            assert hook.messages() == messages
            assert names(messages, "fs_path") == {f"{source}@test", f"{target}@test"}
            assert names(messages, "spark_application") == {"daily@test"}
            assert hook.lineage()[1] == Flow(
                inputs=(source,),
                outputs=(target,),
                columns={f"{target}#id": (f"{source}#id",), f"{target}#twice": (f"{source}#id",)},
                expressions={f"{target}#twice": ("id * 2",)},
            )
        assert not hook.is_active
        assert hook.stats()["job"] == "daily"
        assert (hook.stats()["executions"], hook.stats()["failed"]) == (2, 0)
    finally:
        spark.stop()
