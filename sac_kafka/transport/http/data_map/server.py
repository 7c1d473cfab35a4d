"""Send requests to the Data Map of an account, with a token, at the path where it is found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import mask_value
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.http.client import REDIRECTIONS, Answer, HttpServer, UnansweredError
from sac_kafka.transport.http.data_map.requests import KNOWN, Bulk, DataMapCall, call_of
from sac_kafka.transport.http.entra.errors import EntraError
from sac_kafka.transport.http.entra.tokens import PURVIEW, EntraTokenSource
from sac_kafka.transport.http.failures import (
    ACCOUNT_SETTINGS,
    HttpAttempt,
    Refusal,
    Use,
    explain_answer,
    explain_no_answer,
    is_no_data_map,
)
from sac_kafka.transport.http.posting import MIN_SECONDS

_BASES = ("/datamap/api", "/catalog/api")
"""The documented path, and that of accounts and clouds that do not have it yet."""
ProbingStep = tuple[str, Failure | None, str]
"""Name of the check, its failure, and the text for success."""


class DataMapServer:
    """Client for the Data Map of one account, with the token of `server`, which cannot be renewed, or those of `tokens`."""

    def __init__(
        self, server: HttpServer, tokens: EntraTokenSource | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.http = server
        self._tokens = tokens
        self._clock = clock
        self._bases = list(_BASES)
        self.is_found = False
        """Whether the Data Map has answered: an unknown path then means an unknown entity."""

    @property
    def address(self) -> str:
        """Address of the account."""
        return self.http.address

    def request(self, call: DataMapCall, timeout_seconds: float) -> Answer:
        """Send a request and read the response within the timeout.

        A refused token is renewed once; if the path is unknown, the other one is tried.

        Raises:
            UnansweredError: There is no response.
            EntraError: No token is available.
        """
        deadline = self._clock() + timeout_seconds
        answer = self._at(self._bases[0], call, deadline)
        if self.is_found or not is_no_data_map(answer):
            self.is_found = self.is_found or not (answer.is_foreign or answer.status in REDIRECTIONS)
            return answer
        other = self._elsewhere(call, deadline)
        if other is None and call.method != "POST":  # Perhaps the path is right, and only the entity is unknown.
            self.is_found = any(self._is_at(base, deadline) for base in tuple(self._bases))
        return answer if other is None else other

    def ask(
        self, call: DataMapCall, timeout_seconds: float, collection: str | None = None, *, is_of_entity: bool = False
    ) -> tuple[Answer | None, Refusal | None]:
        """Send a request to write entities. Return the response, and what failed; arguments as of `HttpAttempt`."""
        attempt = HttpAttempt(use=Use.DATA_MAP, server=self.http, names=ACCOUNT_SETTINGS, collection=collection)
        try:
            answer = self.request(call, timeout_seconds)
        except UnansweredError as error:
            return None, explain_no_answer(attempt, error)
        except EntraError as error:
            return None, Refusal(Failure(error.failure_kind, f"{self.address}: {error}"), "no token")
        return answer, explain_answer(replace(attempt, is_of_entity=is_of_entity and self.is_found), answer)

    def _elsewhere(self, call: DataMapCall, deadline: float) -> Answer | None:
        """Send the request to the other path; None if that is unknown, too."""
        if self._is_late(deadline):
            return None
        answer = self._at(self._bases[1], call, deadline)
        if is_no_data_map(answer) or answer.is_foreign:
            return None
        self._bases.reverse()
        self.is_found = True
        return answer

    def _is_at(self, base: str, deadline: float) -> bool:
        """Return whether the Data Map is at this path, and prefer it from now on."""
        if self._is_late(deadline):
            return False
        answer = self._at(base, KNOWN, deadline)
        if is_no_data_map(answer) or answer.is_foreign:
            return False
        self._bases.sort(key=lambda each: each != base)
        return True

    def _is_late(self, deadline: float) -> bool:
        return self._clock() + MIN_SECONDS >= deadline

    def _at(self, base: str, call: DataMapCall, deadline: float) -> Answer:
        answer = self._once(base, call, deadline)
        if answer.status == 401 and self._tokens is not None and not self._is_late(deadline):
            self._tokens.forget()
            return self._once(base, call, deadline)
        return answer

    def _once(self, base: str, call: DataMapCall, deadline: float) -> Answer:
        server = self.http
        if self._tokens is not None:
            try:
                token = self._tokens.token(PURVIEW, max(MIN_SECONDS, deadline - self._clock()))
            except ConfigurationError as error:
                raise EntraError(str(error), FailureKind.NEEDS_ACTION) from None
            server = replace(server, token=token.text)
        return server.request(call.method, base + call.path, call.body, max(MIN_SECONDS, deadline - self._clock()))


def probe(server: DataMapServer, collection: str | None, left: Callable[[], float]) -> Iterator[ProbingStep]:
    """Read a type, then write an empty list of entities, which is refused as empty if writing is allowed.

    Whether the Data Map checks permissions for an empty list is not documented. `left` returns the seconds for the next
    step.
    """
    yield "log-in", _failure(server.ask(KNOWN, left())[1]), f"{server.address} answers, and accepts the token"
    place = "the root collection" if collection is None else f"collection {mask_value(collection)}"
    call = call_of(Bulk((), collection))
    good = f"writing no entity to {place} is not forbidden; permission to write one can only be checked by writing it"
    yield "permission", _failure(server.ask(call, left(), collection)[1]), good


def _failure(refusal: Refusal | None) -> Failure | None:
    if refusal is None or refusal.failure.kind is FailureKind.REJECTED:
        return None  # The empty list was refused because of its content, after the checks that apply to all requests.
    return refusal.failure
