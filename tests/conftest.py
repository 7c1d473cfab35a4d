"""Fixtures of all tests. What is tested is the installed package where there is one: the checkout comes last on the path."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

# Every JVM of the tests lives for seconds: without the optimising compiler a Spark job takes a quarter less time.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

from sac_kafka import guard  # noqa: E402 the path must be set first


@pytest.fixture(autouse=True)
def own_errors(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[tuple[str, Exception]]]:
    """What the guard swallowed is raised at the end of a test, unless the test plants errors (marker `planted`)."""
    errors: list[tuple[str, Exception]] = []
    monkeypatch.setattr(guard, "on_error", lambda stage, e: errors.append((stage, e)))
    yield errors
    if errors and request.node.get_closest_marker("planted") is None:
        raise errors[0][1]


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """A real Kafka for the whole run; where it cannot be had the run fails."""
    from broker import acquire_broker

    acquired = acquire_broker(tmp_path_factory.mktemp("kafka"))
    yield acquired
    acquired.close()
