"""OAUTHBEARER on a real broker, which checks signatures of tokens: each way delivers, and each failure is one sentence."""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Callable, Iterator

import confluent_kafka
import pytest

from sac_kafka.settings import Settings
from sac_kafka.settings.files.source import SPARK_CONFIGURATION
from sac_kafka.transport.base import Failure, Record, Transport
from sac_kafka.transport.factory import make_transport
from stack.certificates import Certificates, make_certificates
from stack.kafka import KafkaBroker
from stack.listeners import LOGIN
from stack.properties import login_module
from tests.helpers.broker import LocalBroker
from tests.helpers.secret_search import used
from tests.helpers.token_server import CLIENT_ID, TokenServer
from tests.helpers.waiting import until

pytestmark = pytest.mark.kafka

MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
SESSION_SECONDS = 4
"""The broker ends a connection after so long, unless the client logs in again with a token."""
LIFE_SECONDS = 4
"""Lifetime of a token in seconds: librdkafka fetches the next one after four fifths of it."""


class Outcomes:
    def __init__(self) -> None:
        self.failures: list[Failure | None] = []

    def __call__(self, failure: Failure | None) -> None:
        self.failures.append(failure)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def tokens(certificates: Certificates) -> Iterator[TokenServer]:
    with TokenServer(key_store=certificates.key_store("broker")) as server:
        used(server.client_secret)
        yield server


@pytest.fixture(scope="module")
def kafka(tokens: TokenServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    work = tmp_path_factory.mktemp("oauth")
    properties = {"connections.max.reauth.ms": str(SESSION_SECONDS * 1000)}  # or when its token ends, if that is sooner
    with KafkaBroker(work, listeners=[LOGIN], tokens=tokens.issuer_for_brokers, properties=properties) as broker:
        yield broker


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    made = types.ModuleType("company_tokens")
    monkeypatch.setitem(sys.modules, "company_tokens", made)
    return made


def transport(kafka: KafkaBroker, changes: dict[str, str], callback: str | None = None) -> Transport:
    settings = {
        "atlas.kafka.bootstrap.servers": kafka.bootstrap("LOGIN"),
        "atlas.kafka.security.protocol": "SASL_PLAINTEXT",
        "atlas.kafka.sasl.mechanism": "OAUTHBEARER",
        **{f"atlas.kafka.{key}": value for key, value in changes.items()},
        **({"atlas.hook.spark.kafka.oauth.callback": callback} if callback else {}),
    }
    session = {key: f"{SPARK_CONFIGURATION}, spark.{key}" for key in settings}
    return make_transport(Settings.read(settings, "test", session))


def client(tokens: TokenServer, secret: str | None = None) -> dict[str, str]:
    options = {"clientId": CLIENT_ID, "clientSecret": secret or tokens.client_secret, "scope": "produce"}
    return {
        "sasl.oauthbearer.token.endpoint.url": tokens.token_url,
        "sasl.jaas.config": login_module(MODULE, options),
    }


def served(to: Transport, outcomes: Outcomes, count: int) -> None:
    """Serve it until so many records have an outcome. A flush gives up where a broker takes long for its first answer."""

    def is_reported() -> bool:
        to.service(0.1)
        return len(outcomes.failures) >= count

    until(is_reported, to.problem)


def delivered(kafka: KafkaBroker, to: Transport, topic: str) -> list[bytes]:
    kafka.create_topic(topic)
    outcomes = Outcomes()
    to.send(Record(topic, b"app", (b'{"n": 0}',)), outcomes)
    served(to, outcomes, 1)
    assert outcomes.failures == [None]
    to.close(1)
    return LocalBroker(kafka).read_all(topic)


def refused(to: Transport, expected: str) -> str:
    """Return the final problem of an undelivered record: a slow server gives another one before."""
    outcomes = Outcomes()
    to.send(Record("refused", b"app", (b"{}",)), outcomes)
    until(lambda: to.service(0.1) or expected in (to.problem() or ""), to.problem)
    problem = to.problem() or ""
    to.close(0.1)
    assert len(outcomes.failures) == 1
    assert outcomes.failures[0] is not None
    return problem


def test_client_credentials_deliver(kafka: KafkaBroker, tokens: TokenServer) -> None:
    assert delivered(kafka, transport(kafka, client(tokens)), "credentials") == [b'{"n": 0}']
    assert tokens.requests[-1] == ("token", {"grant_type": ["client_credentials"], "scope": ["produce"]})


def test_the_token_server_is_trusted_by_the_logins_own_store(
    kafka: KafkaBroker, tokens: TokenServer, certificates: Certificates
) -> None:
    """Without it librdkafka does not trust the certificate: the store is really used."""
    options = {"clientId": CLIENT_ID, "clientSecret": tokens.client_secret}
    settings = {
        "sasl.oauthbearer.token.endpoint.url": tokens.secure_token_url,
        "sasl.jaas.config": login_module(MODULE, options),
    }
    assert "certificate" in refused(transport(kafka, settings), "certificate")
    trusting = login_module(MODULE, {**options, "ssl.truststore.location": str(certificates.ca)})
    assert delivered(kafka, transport(kafka, {**settings, "sasl.jaas.config": trusting}), "tls") == [b'{"n": 0}']


def test_a_managed_identity_delivers(kafka: KafkaBroker, tokens: TokenServer) -> None:
    settings = {
        "sasl.oauthbearer.token.endpoint.url": f"{tokens.url}/imds",
        "sasl.jaas.config": login_module(MODULE, {"clientId": "an-identity"}),
    }
    assert delivered(kafka, transport(kafka, settings, "azure_imds"), "imds") == [b'{"n": 0}']
    query = {"api-version": ["2018-02-01"], "resource": ["https://localhost"], "client_id": ["an-identity"]}
    assert tokens.requests[-1] == ("imds", query)


def test_a_users_function_delivers(kafka: KafkaBroker, tokens: TokenServer, module: types.ModuleType) -> None:
    module.get = lambda config: (tokens.token(), time.time() + 3600)  # type: ignore[attr-defined]
    assert delivered(kafka, transport(kafka, {}, "company_tokens:get"), "function") == [b'{"n": 0}']


def sent_until(kafka: KafkaBroker, to: Transport, topic: str, is_over: Callable[[], bool]) -> None:
    """Send a record each half a second, one more after it is over: each arrives once."""
    kafka.create_topic(topic)
    outcomes = Outcomes()

    def is_last() -> bool:
        is_last, count = is_over(), len(outcomes.failures)
        to.send(Record(topic, b"app", (b'{"n": %d}' % count,)), outcomes)
        served(to, outcomes, count + 1)
        time.sleep(0.5)
        return is_last

    until(is_last)
    to.close(1)
    assert outcomes.failures == [None] * len(outcomes.failures)
    values = [b'{"n": %d}' % number for number in range(len(outcomes.failures))]
    assert LocalBroker(kafka).read_all(topic) == values


def test_tokens_are_renewed_and_ended_connections_do_not_matter(
    kafka: KafkaBroker, tokens: TokenServer, module: types.ModuleType
) -> None:
    """Let the broker accept each token for hours: a busy machine fails nothing."""
    given: list[float] = []

    def get(config: str) -> tuple[str, float]:
        given.append(time.time() + LIFE_SECONDS)
        return tokens.token(), given[-1]

    module.get = get  # type: ignore[attr-defined]
    # Tokens come no sooner than librdkafka wants them: with the third the first session is over.
    sent_until(kafka, transport(kafka, {}, "company_tokens:get"), "renewed", lambda: len(given) > 2)


@pytest.mark.nightly
def test_an_expired_token_is_renewed(kafka: KafkaBroker, tokens: TokenServer, module: types.ModuleType) -> None:
    """Let the broker end connections with an expired token: later records need a new one.

    Needs real time: a machine that stands still for ten seconds has no good token.
    """
    ends: list[int] = []

    def get(config: str) -> tuple[str, float]:
        ends.append(int(time.time()) + 16)
        return tokens.token(exp=ends[-1]), ends[-1] - 11

    module.get = get  # type: ignore[attr-defined]
    to = transport(kafka, {}, "company_tokens:get")
    sent_until(kafka, to, "renewed-in-time", lambda: bool(ends) and time.time() > ends[0] + 1)
    assert len(ends) >= 2


def test_a_wrong_secret_is_one_sentence(kafka: KafkaBroker, tokens: TokenServer) -> None:
    wrong = used("a-wrong-secret-of-the-client")
    sentence = "unknown client or wrong secret"
    problem = refused(transport(kafka, client(tokens, wrong)), sentence)
    assert sentence in problem
    assert wrong not in problem


def test_a_failing_function_is_one_sentence(
    kafka: KafkaBroker, module: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make no producer: it would wait for a token for 10 s, and then give no reason."""

    def fail(config: str) -> str:
        raise PermissionError("the vault refuses; token=abcdefghijkl")

    def make(config: object) -> None:
        made.append(config)
        raise RuntimeError("no token")

    made: list[object] = []
    module.fail = fail  # type: ignore[attr-defined]
    monkeypatch.setattr(confluent_kafka, "Producer", make)
    sentence = "atlas.hook.spark.kafka.oauth.callback (fail of company_tokens): PermissionError: the vault refuses"
    problem = refused(transport(kafka, {}, "company_tokens:fail"), sentence)
    assert sentence in problem
    assert "abcdefghijkl" not in problem
    assert made == []


def test_a_token_for_another_audience_is_refused(
    kafka: KafkaBroker, tokens: TokenServer, module: types.ModuleType
) -> None:
    module.other = lambda config: tokens.token(aud="somebody-else")  # type: ignore[attr-defined]
    assert "invalid_token" in refused(transport(kafka, {}, "company_tokens:other"), "invalid_token")


def test_a_token_signed_by_another_is_refused(kafka: KafkaBroker, module: types.ModuleType) -> None:
    with TokenServer() as forger:
        module.forged = lambda config: forger.token()  # type: ignore[attr-defined]
        assert "invalid_token" in refused(transport(kafka, {}, "company_tokens:forged"), "invalid_token")
