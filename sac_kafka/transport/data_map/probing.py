"""Whether the Data Map would take messages, asked without telling it any."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sac_kafka.config.secrets import mask_value
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.data_map.errors import explain_answer, explain_no_answer
from sac_kafka.transport.data_map.requests import KNOWN, Bulk, DataMapCall, call_of
from sac_kafka.transport.data_map.server import DataMapServer, NoTokenError
from sac_kafka.transport.http import UnansweredError

ProbingStep = tuple[str, Failure | None, str]
"""What was tried, why it failed, and what to say where it did not."""


def probe(server: DataMapServer, collection: str | None, left: Callable[[], float]) -> Iterator[ProbingStep]:
    """Read something, then write nothing: an empty list of entities is refused for being empty where one may write.

    Whether the Data Map looks at the rights of whoever writes nothing is not documented. `left` gives the seconds that
    the next step may take.
    """
    yield "log-in", _tried(server, KNOWN, None, left()), f"{server.address} answers, and takes the token"
    place = "the root collection" if collection is None else f"collection {mask_value(collection)}"
    call = call_of(Bulk((), collection))
    good = f"writing no entity to {place} is not forbidden; whether writing one is can only be told by doing it"
    yield "permission", _tried(server, call, collection, left()), good


def _tried(server: DataMapServer, call: DataMapCall, collection: str | None, timeout_seconds: float) -> Failure | None:
    try:
        refusal = explain_answer(server.address, server.ask(call, timeout_seconds), collection)
    except UnansweredError as error:
        refusal = explain_no_answer(server.address, error)
    except NoTokenError as error:
        return Failure(error.failure_kind, f"{server.address}: {error}")
    if refusal is None or refusal.failure.kind is FailureKind.REJECTED:
        return None  # what it would say of any message
    return refusal.failure
