"""The real server of the tests: a Kafka and an Atlas with the type definitions of this project, once a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stack.atlas import TOPICS, AtlasServer
from stack.kafka import KafkaBroker
from tests.live.server.live_atlas import RunningAtlas


@pytest.fixture(scope="session")
def atlas_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningAtlas]:
    """Yield a Kafka and an empty Atlas that reads from it; where they cannot be had the run fails."""
    work = tmp_path_factory.mktemp("server")
    with KafkaBroker(work / "kafka") as kafka:
        for topic in TOPICS:
            kafka.create_topic(topic)
        with AtlasServer(work / "atlas", kafka.bootstrap("PLAINTEXT")) as server:
            yield RunningAtlas(kafka, server)
