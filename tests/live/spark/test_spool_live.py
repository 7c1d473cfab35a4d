"""The spool of real hooks: what one could not deliver the next one does, in the same process and in another."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sac_kafka
from tests.helpers.live_runs import session
from tests.helpers.messages import entities, messages_in, validated
from tests.helpers.processes import environment
from tests.helpers.sessions import atlas_conf
from tests.helpers.spooled import kept, texts
from tests.helpers.waiting import LONG_SECONDS, until
from tests.live.spark.drivers import hook_conf, start, writes_and_stays

pytestmark = pytest.mark.spark


def written(messages: list[dict]) -> list[str]:
    """Return the last segments of the written paths, in the order of the messages."""
    return [
        output["uniqueAttributes"]["qualifiedName"].rpartition("/")[2].partition("@")[0]
        for message in messages
        for process in entities([message], "spark_process")
        for output in process["relationshipAttributes"]["outputs"]
    ]


def test_a_second_hook_delivers_messages_of_the_first(tmp_path: Path) -> None:
    spark = session(str(tmp_path), **hook_conf(tmp_path, hook_spark_exit_timeout_seconds="20"))
    sink = tmp_path / "messages.jsonl"
    first = sac_kafka.attach(spark)
    sink.mkdir()  # from now on nothing can be written there
    for name in "ab":
        spark.range(3).write.parquet(f"{tmp_path}/{name}")
    flushed = first.flush(LONG_SECONDS)  # it waits until all is kept
    assert (flushed.kept, flushed.waiting, flushed.lost) == (2, 0, 0), flushed
    assert first.stats()["messages"]["spooled"] == 2
    assert first.stats()["spool"]["records"] == 2
    assert first.stats()["spool"]["directory"] == str(tmp_path / "spool")
    spark.range(3).write.parquet(f"{tmp_path}/c")
    first.detach()
    assert written(validated(texts(kept(tmp_path / "spool")))) == ["a", "b", "c"]
    sink.rmdir()

    second = sac_kafka.attach(spark)
    spark.range(3).write.parquet(f"{tmp_path}/d")
    assert second.flush(LONG_SECONDS)
    assert {kind: n for kind, n in second.stats()["messages"].items() if n} == {"delivered": 1, "replayed": 4}
    spark.stop()

    messages = messages_in(sink)
    assert written(messages) == ["a", "b", "c", "d"]
    assert [message["spooled"] for message in messages] == [True, True, True, True, False, False]
    assert list((tmp_path / "spool").glob("*.avro")) == []


def test_a_terminated_driver_keeps_undelivered_messages(tmp_path: Path) -> None:
    conf = hook_conf(tmp_path, client_type="kafka", hook_spark_exit_timeout_seconds="5") | atlas_conf(
        kafka_bootstrap_servers="localhost:1"
    )
    with start(writes_and_stays, tmp_path, conf) as process:
        try:
            written_file = tmp_path / "written"
            until(lambda: written_file.exists() or process.poll() is not None, seconds=5 * LONG_SECONDS)
            assert written_file.exists(), (tmp_path / "output").read_text()
            process.send_signal(signal.SIGTERM)
            assert process.wait(LONG_SECONDS) == -signal.SIGTERM, (tmp_path / "output").read_text()
        finally:
            process.kill()

    records = kept(tmp_path / "spool")
    assert written([json.loads(text) for text in texts(records)]) == ["a", "b", "c"]
    assert {record["key"] for record in records} == {records[0]["key"]}
    command = [sys.executable, "-m", "sac_kafka.tools.cli.main", "spool", "replay", "--any-destination", "--dir"]
    sink = tmp_path / "messages.jsonl"
    options = ["--conf", "atlas.client.type=file", "--conf", f"atlas.client.file.path={sink}"]
    command += [str(tmp_path / "spool"), *options]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert written(messages_in(sink)) == ["a", "b", "c"]
