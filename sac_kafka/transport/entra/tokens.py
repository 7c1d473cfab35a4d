"""A source of tokens: kept until shortly before their end, asked for with a deadline, by one call at a time."""

from __future__ import annotations

import base64
import binascii
import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sac_kafka.config.choices import EntraCredential
from sac_kafka.deadlines import Call
from sac_kafka.errors import ConfigurationError, LateError
from sac_kafka.settings.entra import Entra
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.entra.credentials import Fetch, fetch_of
from sac_kafka.transport.entra.errors import EntraError, explained
from sac_kafka.transport.entra.identity import EntraIdentity, identity_of

PURVIEW = "https://purview.azure.net/.default"
"""The scope of Purview's REST interfaces."""
_EARLY_MS = 300_000  # azure-identity, too, gives no token that has less than five minutes left
_PAUSE_MS = 30_000  # after a failure, while the old token is still good


def event_hubs_scope(namespace_host: str) -> str:
    """Give the scope of an Event Hubs namespace.

    >>> event_hubs_scope("contoso.servicebus.windows.net")
    'https://contoso.servicebus.windows.net/.default'
    """
    return f"https://{namespace_host}/.default"


@dataclass(frozen=True, slots=True)
class EntraToken:
    """A token, and when it ends in epoch milliseconds."""

    text: str = field(repr=False)
    expires_ms: int


@dataclass(frozen=True, slots=True)
class _Kept:
    """A token that was given, and from when on a new one is asked for."""

    token: EntraToken
    renew_ms: int


class EntraTokenSource:
    """Gives tokens of Entra ID; any thread may ask.

    Args:
        identity: Who asks.
        timeout_seconds: The longest that anybody waits.
        connect: Makes what asks Entra ID, anew after `forget`.
        clock: Epoch seconds.
    """

    def __init__(
        self,
        identity: EntraIdentity,
        timeout_seconds: float = 10.0,
        *,
        connect: Callable[[EntraIdentity, float], Fetch] = fetch_of,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.identity = identity
        self._timeout = timeout_seconds
        self._connect = connect
        self._clock = clock
        self._lock = threading.Lock()
        self._fetch: Fetch | None = None
        self._kept: dict[str, _Kept] = {}
        self._calls: dict[str, Call[tuple[str, int]]] = {}

    @classmethod
    def of(cls, entra: Entra, environ: Mapping[str, str] | None = None) -> EntraTokenSource:
        """Make the source that the settings describe, without asking for anything.

        Raises:
            ConfigurationError: Something is missing or wrong.
        """
        return cls(identity_of(entra, environ), entra.timeout_seconds)

    def token(self, scope: str, timeout_seconds: float = math.inf) -> EntraToken:
        """Give a token for a scope: the one that is kept, or a new one shortly before its end.

        While the old one is good, a failure to get a new one is nobody's trouble. It is waited for `timeout_seconds` at most,
        and no longer than the source's own time.

        Raises:
            EntraError: There is none.
            ConfigurationError: The library is missing, or a file is wrong.
        """
        with self._lock:
            kept = self._kept.get(scope)
        now = self._now_ms()
        if kept is not None and now < kept.renew_ms:
            return kept.token
        try:
            token = (
                self._given() if self.identity.kind is EntraCredential.TOKEN else self._asked(scope, timeout_seconds)
            )
        except (EntraError, ConfigurationError):
            now = self._now_ms()
            if kept is None or kept.token.expires_ms <= now:
                raise
            token, renew_ms = kept.token, now + _PAUSE_MS
        else:
            renew_ms = token.expires_ms - min(_EARLY_MS, max(0, token.expires_ms - self._now_ms()) // 2)
        with self._lock:
            self._kept[scope] = _Kept(token, min(renew_ms, token.expires_ms))
        return token

    def forget(self) -> None:
        """Ask anew the next time: a server does not take the token although it has not ended."""
        with self._lock:
            self._kept.clear()
            self._calls.clear()
            self._fetch = None  # azure-identity keeps tokens, too

    def _asked(self, scope: str, timeout_seconds: float) -> EntraToken:
        call = self._call(scope)
        try:
            text, end = call.result(min(self._timeout, timeout_seconds))
        except LateError as error:  # whoever asks next waits for the same call
            raise explained(error, self.identity, scope) from None
        except ConfigurationError:
            self._done(scope, call)
            raise
        except Exception as error:  # noqa: BLE001 (of azure-identity and what it stands on: any)
            self._done(scope, call)
            raise explained(error, self.identity, scope) from None
        self._done(scope, call)
        if end * 1000 <= self._now_ms():
            raise EntraError(
                "the token of Entra ID has ended already: set this machine's clock", FailureKind.NEEDS_ACTION
            )
        return EntraToken(text, end * 1000)

    def _call(self, scope: str) -> Call[tuple[str, int]]:
        """The call that is under way, whoever has begun it, or a new one."""
        with self._lock:
            if scope not in self._calls:
                self._calls[scope] = Call(lambda: self._connected()(scope))
            return self._calls[scope]

    def _done(self, scope: str, call: Call[tuple[str, int]]) -> None:
        with self._lock:
            if self._calls.get(scope) is call:
                del self._calls[scope]

    def _connected(self) -> Fetch:
        """What asks, made by the thread that asks: to import the library takes as long as a request."""
        fetch = self._fetch
        if fetch is None:
            fetch = self._fetch = self._connect(self.identity, self._timeout)
        return fetch

    def _given(self) -> EntraToken:
        proof = self.identity.proof
        token = EntraToken(proof.text, end_of(proof.text, proof.place))
        if token.expires_ms <= self._now_ms():
            raise EntraError(f"the token in {proof.place} has ended: get a new one", FailureKind.NEEDS_ACTION)
        return token

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def end_of(token: str, place: str) -> int:
    """Read when a token ends, in epoch milliseconds.

    Raises:
        ConfigurationError: It is no token of Entra ID.
    """
    try:
        payload = token.split(".", 2)[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return int(claims["exp"]) * 1000
    except (IndexError, KeyError, TypeError, ValueError, binascii.Error, RecursionError, OverflowError):
        raise ConfigurationError(
            f"{place}: holds no token of Entra ID (a JSON web token with the claim exp): give what "
            "az account get-access-token --resource https://purview.azure.net calls accessToken"
        ) from None
