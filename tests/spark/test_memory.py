"""What a user's own test sees: messages in memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from live import session
from messages import names, validated

import sac_kafka

pytestmark = [pytest.mark.spark]


def test_a_users_test_reads_messages_from_memory(tmp_path: Path) -> None:
    spark = session(str(tmp_path), **{"spark.atlas.client.type": "memory", "spark.atlas.metadata.namespace": "test"})
    try:
        hook = sac_kafka.attach(spark)
        spark.range(3).write.parquet(str(tmp_path / "out"))

        assert hook.flush(30)

        messages = validated(value for record in hook.transport.records for value in record.values)
        assert hook.transport.messages() == messages
        assert names(messages, "fs_path") == {f"file:{tmp_path}/out@test"}
    finally:
        spark.stop()
