"""Whatever a message holds and whatever is answered: each message has its end once, after a bounded number of requests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sac_kafka.transport.base import Failure, FailureKind, Record
from sac_kafka.transport.http.client import Answer, UnansweredError, UnansweredReason
from sac_kafka.transport.http.data_map.delivery import MAX_REFUSALS
from sac_kafka.transport.http.data_map.requests import DataMapCall
from sac_kafka.transport.http.data_map.server import DataMapServer
from sac_kafka.transport.http.data_map.transport import DataMapTransport

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "-1", "-2", "q", "T", "x" * 50]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "guid",
                    "typeName",
                    "attributes",
                    "uniqueAttributes",
                    "relationshipAttributes",
                    "qualifiedName",
                    "entity",
                    "inputs",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
KINDS = st.sampled_from(
    ["ENTITY_CREATE_V2", "ENTITY_FULL_UPDATE_V2", "ENTITY_PARTIAL_UPDATE_V2", "ENTITY_DELETE_V2", "X"]
)
ENTITY = st.fixed_dictionaries(
    {"typeName": JSON, "attributes": st.fixed_dictionaries({"qualifiedName": JSON}, optional={"inputs": JSON})},
    optional={"guid": JSON, "relationshipAttributes": JSON},
)
MESSAGE = st.fixed_dictionaries(
    {
        "type": KINDS,
        "entities": st.lists(ENTITY, max_size=3)
        | st.fixed_dictionaries({"entities": st.lists(ENTITY | JSON, max_size=5)}, optional={"referredEntities": JSON})
        | JSON,
    },
    optional={"entityId": ENTITY | JSON, "entity": JSON},
)
BODY = JSON | st.fixed_dictionaries(
    {"errorCode": st.sampled_from(["ATLAS-404-00-001", "ATLAS-400", "", 3]), "errorMessage": JSON},
    optional={"mutatedEntities": JSON, "guidAssignments": JSON, "entities": JSON, "error": JSON},
)
ANSWER = st.tuples(st.sampled_from([200, 200, 200, 400, 400, 404, 409, 413, 429, 500, 503]), BODY) | st.sampled_from(
    list(UnansweredReason)
)


class Answering(DataMapServer):
    """Gives the answers in turn, over and over."""

    def __init__(self, answers: list[Any]) -> None:
        self.is_found = True
        self.answers = answers
        self.answered = 0

    @property
    def address(self) -> str:
        return "https://account"

    def request(self, call: DataMapCall, timeout_seconds: float) -> Answer:
        answer = self.answers[self.answered % len(self.answers)]
        self.answered += 1
        if isinstance(answer, UnansweredReason):
            raise UnansweredError(answer, "x")
        return Answer(answer[0], {}, json.dumps(answer[1]).encode())


@pytest.mark.slow
@given(
    st.lists(MESSAGE, min_size=1, max_size=5), st.lists(ANSWER, min_size=1, max_size=6), st.sampled_from([None, "c"])
)
@settings(max_examples=25)
def test_every_message_has_one_outcome(messages: list[Any], answers: list[Any], collection: str | None) -> None:
    server = Answering(answers)
    sent = DataMapTransport(server, collection=collection, body_bytes=1_000_000, timeout_seconds=5, clock=lambda: 0.0)
    outcomes: list[tuple[int, Failure | None]] = []
    for number, message in enumerate(messages):
        value = json.dumps({"message": message}).encode()
        record = Record("ATLAS_HOOK", b"k", (value,))
        sent.send(record, lambda failure, number=number: outcomes.append((number, failure)))
    sent.close(1)
    assert [number for number, _ in outcomes] == list(range(len(messages)))
    assert server.answered <= len(messages) * (2 * MAX_REFUSALS + 20)
    for _, failure in outcomes:
        assert failure is None or failure.kind in FailureKind
        assert failure is None or len(failure.reason) < 2_000
