"""The JVM of sessions in this process is that of all tests: it has the test catalog on its class path too."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from tests.helpers.catalog import building


@pytest.fixture(scope="session", autouse=True)
def class_path() -> None:
    """As in `tests/live/spark`, whichever comes first."""
    building.on_class_path()
