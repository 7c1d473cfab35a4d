"""A job has the same messages wherever it runs: in one process, on separate executors, on Spark's cluster.

What docs/clusters.md shows to a reader is run here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stack.standalone import Standalone
from tests.helpers.messages import messages_in, without_run
from tests.helpers.sessions import atlas_conf
from tests.live.clusters.submitting import ORDERS, Packed, start, wait
from tests.live.server.server_job import PATIENT

pytestmark = pytest.mark.yarn

MessagesAt = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def messages_at(packed: Packed, tmp_path_factory: pytest.TempPathFactory) -> MessagesAt:
    """Return the messages of the job at a master, in order, as text, without ids and times of the run."""
    lake = tmp_path_factory.mktemp("lake")

    def of(master: str) -> list[str]:
        work = tmp_path_factory.mktemp("work")
        conf = atlas_conf(
            client_type="file",
            client_file_path=f"{work}/messages.jsonl",
            metadata_namespace="test",
            hook_spool_dir=f"{work}/spool",
        )
        process = start(
            [f"--master={master}"],
            [str(ORDERS), str(lake)],
            conf=conf
            | {f"spark.{key}": value for key, value in PATIENT.items()}
            | {"spark.cores.max": "1", "spark.driver.host": "127.0.0.1"},
            work=work,
            variables={"PYSPARK_PYTHON": str(packed.python), "SAC_KAFKA_AUTO": "1"},
        )
        ran = wait(process, work)
        assert ran.status == 0, ran.log
        return [json.dumps(without_run(message)) for message in messages_in(work / "messages.jsonl")]

    return of


@pytest.fixture(scope="module")
def locally(messages_at: MessagesAt) -> list[str]:
    messages = messages_at("local[*]")
    assert len(messages) == 4  # the last one holds how complete they are
    return messages


def test_on_a_cluster_of_spark(messages_at: MessagesAt, locally: list[str], standalone: Standalone) -> None:
    assert messages_at(standalone.master) == locally
    assert [*Path(standalone.work / "executors").glob("app-*/*/stderr")], "no executor of the cluster has run"


@pytest.mark.exhaustive
def test_on_separate_executors(messages_at: MessagesAt, locally: list[str]) -> None:
    assert messages_at("local-cluster[2,1,1024]") == locally
