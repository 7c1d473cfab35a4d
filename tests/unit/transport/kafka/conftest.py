"""Shared by the tests of Kafka's transport: what records were told."""

from __future__ import annotations

import pytest

from tests.unit.transport.kafka.told import Told


@pytest.fixture
def told() -> Told:
    return Told()
