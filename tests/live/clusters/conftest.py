"""One YARN for the run, one cluster of Spark's own, and one environment packed for both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark")

from stack.standalone import Standalone
from stack.yarn import Yarn
from tests.live.clusters.submitting import Packed, packed_environment


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
