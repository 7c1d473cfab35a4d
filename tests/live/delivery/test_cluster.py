"""A cluster of three brokers loses one while a job runs: nothing is lost, and the job is not affected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stack.cluster import KafkaCluster
from tests.live.delivery.chaos import WRITES, replay
from tests.live.delivery.chaos_running import ChaosJob
from tests.live.delivery.chaos_topic import TopicReader
from tests.live.delivery.chaos_verdict import judge
from tests.live.jobs.running import PATIENT_PROPERTIES, write_conf

pytestmark = [pytest.mark.spark, pytest.mark.kafka]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    with KafkaCluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("role", "kills_at"), [("leader", 20), pytest.param("follower", 10, marks=pytest.mark.nightly)]
)
def test_a_broker_of_three_is_lost(
    role: str, kills_at: int, cluster: KafkaCluster, tmp_path: Path, add_to_summary: Callable[[str], None]
) -> None:
    topic = f"lost-{role}"
    cluster.create_topic(topic)
    conf = write_conf(
        tmp_path / "conf",
        {
            "atlas.metadata.namespace": "test",
            "atlas.kafka.bootstrap.servers": cluster.bootstrap(),
            "atlas.notification.hook.topic.name": topic,
            "atlas.hook.spool.dir": str(tmp_path / "spool"),
            **PATIENT_PROPERTIES,
        },
    )
    node = cluster.leader(topic) if role == "leader" else cluster.followers(topic)[0]

    job = ChaosJob(tmp_path / "job", "stop", WRITES, conf=conf)
    assert job.wait_for_statement(kills_at)
    node.kill()
    ended = job.ended()

    assert ended.ran.status == 0, ended.ran.log
    assert ended.statements == WRITES
    replay(conf)
    verdict = judge(str(ended.application), ended.encoded, TopicReader(cluster.bootstrap(), topic).read())
    add_to_summary(f"{role} killed: {verdict.sent} messages, {len(verdict.lost)} lost, {verdict.duplicates} duplicates")
    assert verdict.sent >= WRITES, ended.ran.log
    assert (verdict.lost, verdict.disordered, verdict.strange) == ((), (), ()), ended.ran.log
    node.start()
