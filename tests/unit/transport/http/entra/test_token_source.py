"""Tokens are kept until shortly before they expire, requested once and with a deadline; a valid one outlives a failure."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.declarations.choices import EntraCredential
from sac_kafka.settings.entra import Entra
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.http.entra.errors import EntraError
from sac_kafka.transport.http.entra.identity import EntraIdentity
from sac_kafka.transport.http.entra.tokens import PURVIEW, EntraTokenSource, Fetch

WHO = EntraIdentity(kind=EntraCredential.MANAGED_IDENTITY)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Service:
    """Gives numbered tokens that live `life` seconds, or fails."""

    def __init__(self, clock: Clock, life: int = 3600) -> None:
        self.clock, self.life, self.calls, self.connected = clock, life, 0, 0
        self.error: Exception | None = None

    def connect(self, identity: EntraIdentity, timeout_seconds: float) -> Fetch:
        self.connected += 1

        def fetch(scope: str) -> tuple[str, int]:
            self.calls += 1
            if self.error is not None:
                raise self.error
            return f"token {self.calls} for {scope}", int(self.clock.now) + self.life

        return fetch


def source(service: Service) -> EntraTokenSource:
    return EntraTokenSource(WHO, 5, connect=service.connect, clock=service.clock)


def test_a_token_is_kept_until_five_minutes_before_its_end() -> None:
    clock = Clock()
    service = Service(clock)
    tokens = source(service)
    first = tokens.token(PURVIEW)
    assert first.expires_ms == 1_003_600_000
    clock.now += 3299
    assert tokens.token(PURVIEW) is first
    clock.now += 2
    assert tokens.token(PURVIEW).text == f"token 2 for {PURVIEW}"
    assert (service.calls, service.connected) == (2, 1)


def test_a_short_lived_token_is_kept_for_half_its_life() -> None:
    clock = Clock()
    service = Service(clock, life=60)
    tokens = source(service)
    tokens.token(PURVIEW)
    clock.now += 29
    tokens.token(PURVIEW)
    assert service.calls == 1
    clock.now += 2
    tokens.token(PURVIEW)
    assert service.calls == 2


def test_each_scope_has_its_own_token() -> None:
    tokens = source(Service(Clock()))
    assert {tokens.token("a").text, tokens.token("b").text} == {"token 1 for a", "token 2 for b"}


def test_a_failure_is_hidden_and_not_retried_at_once_while_the_old_token_is_valid() -> None:
    clock = Clock()
    service = Service(clock)
    tokens = source(service)
    first = tokens.token(PURVIEW)
    service.error = OSError("the network is down")
    clock.now += 3400
    assert tokens.token(PURVIEW) is first
    assert tokens.token(PURVIEW) is first
    assert service.calls == 2
    clock.now += 31
    assert tokens.token(PURVIEW) is first
    assert service.calls == 3
    clock.now += 170
    with pytest.raises(EntraError):
        tokens.token(PURVIEW)
    service.error = None
    assert tokens.token(PURVIEW).text == f"token 5 for {PURVIEW}"


def test_forget_requests_a_token_from_a_new_credential() -> None:
    service = Service(Clock())
    tokens = source(service)
    tokens.token(PURVIEW)
    tokens.forget()
    assert tokens.token(PURVIEW).text == f"token 2 for {PURVIEW}"
    assert service.connected == 2


def test_an_expired_new_token_is_blamed_on_the_clock() -> None:
    with pytest.raises(EntraError, match="set this machine's clock") as caught:
        source(Service(Clock(), life=-10)).token(PURVIEW)
    assert caught.value.failure_kind is FailureKind.NEEDS_ACTION


@pytest.fixture
def hanging() -> Iterator[tuple[EntraTokenSource, list[int]]]:
    release, begun = threading.Event(), []

    def connect(identity: EntraIdentity, timeout_seconds: float) -> Fetch:
        def fetch(scope: str) -> tuple[str, int]:
            begun.append(1)
            release.wait()
            return "late", int(time.time()) + 3600

        return fetch

    yield EntraTokenSource(WHO, 0.05, connect=connect), begun
    release.set()


def test_threads_share_one_call_and_wait_no_longer_than_their_timeout(
    hanging: tuple[EntraTokenSource, list[int]],
) -> None:
    tokens, begun = hanging
    for _ in range(2):  # the call hangs until the test has ended
        with pytest.raises(EntraError, match=r"atlas\.hook\.spark\.entra\.timeout\.seconds") as caught:
            tokens.token(PURVIEW)
        assert caught.value.failure_kind is FailureKind.TRANSIENT
    assert begun == [1]


def test_a_token_in_flight_during_forget_is_not_used(hanging: tuple[EntraTokenSource, list[int]]) -> None:
    tokens, begun = hanging
    for _ in range(2):
        with pytest.raises(EntraError):
            tokens.token(PURVIEW)
        tokens.forget()
    assert begun == [1, 1]


def jwt(**claims: object) -> str:
    parts = ({"alg": "none"}, claims, {})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


def given(token: str) -> EntraTokenSource:
    return EntraTokenSource.of(Entra(credential=EntraCredential.TOKEN, token=token), {})


def test_a_given_token_is_used_until_it_expires() -> None:
    end = int(time.time()) + 600
    token = given(jwt(exp=end)).token(PURVIEW)
    assert (token.text, token.expires_ms) == (jwt(exp=end), end * 1000)
    with pytest.raises(EntraError, match="has expired: get a new one"):
        given(jwt(exp=1)).token(PURVIEW)


@pytest.mark.parametrize("text", ["opaque", "a.b.c", "a.e30.c", jwt(exp="soon"), jwt(exp=None), "a." + "9" * 100_000])
def test_an_invalid_token_is_reported_without_showing_it(text: str) -> None:
    with pytest.raises(ConfigurationError, match="az account get-access-token") as caught:
        given(text).token(PURVIEW)
    assert text not in str(caught.value)
    assert "atlas.hook.spark.entra.token" in str(caught.value)
