"""One YARN for the run, one cluster of Spark's own, one environment packed for both, and what the hook says of one job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from stack.standalone import Standalone
from stack.yarn import Yarn
from tests.live.clusters.submitting import ORDERS, Packed, packed_environment, sent_in, start, to_file, wait


@pytest.fixture(scope="session")
def packed() -> Packed:
    return packed_environment()


@pytest.fixture(scope="session")
def yarn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yarn]:
    with Yarn(tmp_path_factory.mktemp("yarn")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    with Standalone(tmp_path_factory.mktemp("standalone")) as cluster:
        yield cluster


MessagesAt = Callable[[str], list[object]]


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the job writes, wherever it runs."""
    return tmp_path_factory.mktemp("lake")


@pytest.fixture(scope="session")
def messages_at(packed: Packed, lake: Path, tmp_path_factory: pytest.TempPathFactory) -> MessagesAt:
    """Return the messages of the job at a master, in order, without ids and times of the run."""

    def of(master: str) -> list[object]:
        work = tmp_path_factory.mktemp("work")
        process = start(
            [f"--master={master}"],
            [str(ORDERS), str(lake)],
            conf={**to_file(work), "spark.cores.max": "1", "spark.driver.host": "127.0.0.1"},
            work=work,
            variables={"PYSPARK_PYTHON": str(packed.python), "SAC_KAFKA_AUTO": "1"},
        )
        ran = wait(process, work)
        assert ran.status == 0, ran.log
        return sent_in(work)

    return of


@pytest.fixture(scope="session")
def locally(messages_at: MessagesAt) -> list[object]:
    messages = messages_at("local[*]")
    assert len(messages) == 4  # the last one says how complete they are
    return messages
