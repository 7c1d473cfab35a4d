"""The Data Map as a server: where it is, who asks, and the two paths that it is found at."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from sac_kafka.errors import SacKafkaError
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.data_map.errors import is_no_data_map
from sac_kafka.transport.data_map.requests import KNOWN, DataMapCall
from sac_kafka.transport.http import REDIRECTIONS, Answer, HttpServer
from sac_kafka.transport.posting import MIN_SECONDS

_BASES = ("/datamap/api", "/catalog/api")
"""The documented one, and that of accounts and clouds that do not have it yet."""


class NoTokenError(SacKafkaError):
    """There is no token: one sentence with its cure; `trouble` says whether that may pass by itself."""

    def __init__(self, text: str, failure_kind: FailureKind) -> None:
        super().__init__(text)
        self.failure_kind = failure_kind


class Bearer(Protocol):
    """Gives the token to log in with."""

    def token(self, timeout_seconds: float) -> str:
        """Give one that is still good, within so many seconds.

        Raises:
            NoTokenError: There is none.
        """

    def renew(self) -> bool:
        """The last one was refused: forget it. False where there can be no other."""


class DataMapServer:
    """Asks the Data Map of one account.

    Args:
        server: Where it is, and whom to trust.
        bearer: Gives the token.
        clock: Counts seconds and never goes back.
    """

    def __init__(self, server: HttpServer, bearer: Bearer, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._bearer = bearer
        self._clock = clock
        self._bases = list(_BASES)
        self.is_found = False
        """Whether the Data Map has answered as such: a path that is not there is then an entity that is not there."""

    @property
    def address(self) -> str:
        """Where it is."""
        return self._server.address

    def ask(self, call: DataMapCall, timeout_seconds: float) -> Answer:
        """Send a request and read the answer, all within the time.

        A token that is refused is renewed once; a path that nobody knows is given up for the other one.

        Raises:
            UnansweredError: There is no answer.
            NoTokenError: There is no token.
        """
        deadline = self._clock() + timeout_seconds
        answer = self._at(self._bases[0], call, deadline)
        if self.is_found or not is_no_data_map(answer):
            self.is_found = self.is_found or not (answer.is_foreign or answer.status in REDIRECTIONS)
            return answer
        other = self._elsewhere(call, deadline)
        if other is None and call.method != "POST":  # it may be that alone which is not there
            self.is_found = any(self._is_at(base, deadline) for base in tuple(self._bases))
        return answer if other is None else other

    def _elsewhere(self, call: DataMapCall, deadline: float) -> Answer | None:
        """Ask at the other path; None where nobody knows that either."""
        if self._is_late(deadline):
            return None
        answer = self._at(self._bases[1], call, deadline)
        if is_no_data_map(answer) or answer.is_foreign:
            return None
        self._bases.reverse()
        self.is_found = True
        return answer

    def _is_at(self, base: str, deadline: float) -> bool:
        """Say whether the Data Map is at this path; it is asked there first from then on."""
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
        if answer.status == 401 and not self._is_late(deadline) and self._bearer.renew():
            return self._once(base, call, deadline)
        return answer

    def _once(self, base: str, call: DataMapCall, deadline: float) -> Answer:
        token = self._bearer.token(max(MIN_SECONDS, deadline - self._clock()))
        left = max(MIN_SECONDS, deadline - self._clock())
        return replace(self._server, token=token).ask(call.method, base + call.path, call.body, left)
