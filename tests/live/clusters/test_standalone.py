"""A job has the same messages wherever it runs: in one process, on separate executors, on Spark's cluster.

What docs/clusters.md shows to a reader is run here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from stack.standalone import Standalone
from tests.live.clusters.conftest import MessagesAt

pytestmark = pytest.mark.yarn


def test_on_a_cluster_of_spark(messages_at: MessagesAt, locally: list[object], standalone: Standalone) -> None:
    assert messages_at(standalone.master) == locally
    assert [*Path(standalone.work / "executors").glob("app-*/*/stderr")], "no executor of the cluster has run"


@pytest.mark.exhaustive
def test_on_separate_executors(messages_at: MessagesAt, locally: list[object]) -> None:
    assert messages_at("local-cluster[2,1,1024]") == locally
