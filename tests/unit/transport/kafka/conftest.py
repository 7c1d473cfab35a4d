"""Shared by the tests of Kafka's transport."""

from __future__ import annotations

import pytest

from tests.unit.transport.kafka.sending import Sender


@pytest.fixture
def sender() -> Sender:
    return Sender()
