"""Events of a hook arrive over HTTP and Kafka, and mean what the messages beside them do."""

from __future__ import annotations

import signal
import uuid
from pathlib import Path

import pytest

from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.settings import Settings
from sac_kafka.tools.graph.flows import flows
from tests.helpers.bridges import BridgeProcess
from tests.helpers.broker import Broker
from tests.helpers.fake_driver import FakeDriver, FakeListener
from tests.helpers.recorded_flows import FIXTURES
from tests.helpers.secret_search import used
from tests.live.spark import drivers
from tests.live.spark.drivers import hook_conf, run

TOKEN = used("t0ken-of-a-receiver")


@pytest.fixture
def bridge(tmp_path: Path) -> BridgeProcess:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    folder = tmp_path / "bridge"
    folder.mkdir()
    running = BridgeProcess(folder, "--token-file", str(token), atlas_metadata_namespace="prod")
    token.unlink()
    return running


@pytest.mark.everyday
@pytest.mark.kafka
def test_events_over_http_and_kafka_mean_what_the_messages_do(
    broker: Broker, bridge: BridgeProcess, tmp_path: Path
) -> None:
    topic, out = f"events-{uuid.uuid4().hex[:8]}", tmp_path / "messages.jsonl"
    broker.create_topic(topic)
    keys = {
        "atlas.client.type": "file",
        "atlas.client.file.path": str(out),
        "atlas.metadata.namespace": "prod",
        "atlas.hook.spool.dir": str(tmp_path / "spool"),
        "atlas.also": "openlineage,kafka",
        "atlas.hook.spark.openlineage.url": f"http://127.0.0.1:{bridge.port}",
        "atlas.hook.spark.openlineage.token": TOKEN,
        "atlas.also.kafka.kafka.bootstrap.servers": broker.bootstrap,
        "atlas.also.kafka.hook.spark.dialect": "openlineage",
        "atlas.also.kafka.notification.hook.topic.name": topic,
    }
    recorded = (FIXTURES / "pipelines" / "4.3.0.txt").read_text("utf-8").splitlines()[1:]
    parts = assemble(FakeDriver(listener=FakeListener(*recorded)), Settings.read(keys, "a test"), Guard())
    parts.worker.run()
    assert [each.counts["delivered"] for each in parts.destinations[1:]] == [
        parts.destinations[1].counts["delivered"]
    ] * 2
    bridge.end(signal.SIGINT)
    meant = flows(out.read_bytes().splitlines())
    assert flows(broker.read_all(topic)) == meant != ()
    assert flows(bridge.out.read_bytes().splitlines()) == meant


@pytest.mark.spark
def test_a_driver_posts_events_beside_its_messages(bridge: BridgeProcess, tmp_path: Path) -> None:
    conf = hook_conf(
        tmp_path,
        metadata_namespace="prod",
        also="openlineage",
        hook_spark_openlineage_url=f"http://127.0.0.1:{bridge.port}",
        hook_spark_openlineage_token=TOKEN,
    )
    ended = run(drivers.nothing, tmp_path, conf)
    assert ended.code == 0, ended.output
    bridge.end(signal.SIGINT)
    meant = flows((tmp_path / "messages.jsonl").read_bytes().splitlines())
    assert flows(bridge.out.read_bytes().splitlines()) == meant != ()
    assert TOKEN not in ended.output + ended.log
