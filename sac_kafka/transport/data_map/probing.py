"""Check whether the Data Map would accept messages, without sending any."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sac_kafka.masking import mask_value
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.data_map.errors import explain_answer, explain_no_answer
from sac_kafka.transport.data_map.requests import KNOWN, Bulk, DataMapCall, call_of
from sac_kafka.transport.data_map.server import DataMapServer, NoTokenError
from sac_kafka.transport.http import UnansweredError

ProbingStep = tuple[str, Failure | None, str]
"""Name of the check, its failure, and the text for success."""


def probe(server: DataMapServer, collection: str | None, left: Callable[[], float]) -> Iterator[ProbingStep]:
    """Read a type, then write an empty list of entities, which is refused as empty if writing is allowed.

    Whether the Data Map checks permissions for an empty list is not documented. `left` returns the seconds for the next
    step.
    """
    yield "log-in", _attempt(server, KNOWN, None, left()), f"{server.address} answers, and accepts the token"
    place = "the root collection" if collection is None else f"collection {mask_value(collection)}"
    call = call_of(Bulk((), collection))
    good = f"writing no entity to {place} is not forbidden; permission to write one can only be checked by writing it"
    yield "permission", _attempt(server, call, collection, left()), good


def _attempt(
    server: DataMapServer, call: DataMapCall, collection: str | None, timeout_seconds: float
) -> Failure | None:
    try:
        refusal = explain_answer(server.address, server.request(call, timeout_seconds), collection)
    except UnansweredError as error:
        refusal = explain_no_answer(server.address, error)
    except NoTokenError as error:
        return Failure(error.failure_kind, f"{server.address}: {error}")
    if refusal is None or refusal.failure.kind is FailureKind.REJECTED:
        return None  # The empty list was refused because of its content, after the checks that apply to all requests.
    return refusal.failure
