"""The server does what its OpenAPI description says: requests that the description allows, and others, the same in each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from sac_kafka.bridge.http_api import Api, application

schemathesis = pytest.importorskip("schemathesis")
pytestmark = pytest.mark.full


def keep(texts: Sequence[str], events: Sequence[object]) -> None:
    assert len(texts) == len(events) > 0
    assert not any("\n" in text for text in texts)


SCHEMA = schemathesis.openapi.from_asgi(
    "/openapi.json", application(Api(keep=keep, count=lambda _: None, counts=dict, token="t"))
)


@SCHEMA.parametrize()
@settings(max_examples=40, derandomize=True, deadline=None, database=None, suppress_health_check=[*HealthCheck])
def test_answers_are_those_of_the_description(case: Any) -> None:
    case.call_and_validate(headers={"Authorization": "Bearer t"})
