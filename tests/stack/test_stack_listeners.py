"""The further listeners: each asks for what it is there for, and turns away who does not bring it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, Producer

from stack.kafka import KafkaBroker
from stack.key_stores import KINDS, make_key_stores
from stack.listeners import (
    ALL,
    LOGIN,
    MUTUAL,
    SECURE_LOGIN,
    TLS,
    Admission,
    Listener,
    TokenIssuer,
    scram_users,
    with_listeners,
)
from stack.listeners import java_options as options_of
from tests.waiting import until

BARE = {"listeners": "A://h:1", "advertised.listeners": "A://h:1", "listener.security.protocol.map": "A:PLAINTEXT"}
PASSWORDS = {
    "$ConnectionString": "Endpoint=sb://x/;SharedAccessKey=k=",
    "alice": "of-alice-alone",
    "reader": "of-reader",
}
ISSUER = TokenIssuer("http://localhost:1/jwks", "me", "kafka")


def made(listeners: list[Listener], **admission: object) -> dict[str, str]:
    ported = [(listener, 20 + number) for number, listener in enumerate(listeners)]
    return with_listeners(BARE, ported, Admission(passwords=PASSWORDS, ca="/ca.pem", **admission), "127.0.0.1")


def test_without_further_listeners_nothing_changes() -> None:
    assert made([]) == BARE


def test_each_mechanism_of_each_listener_has_its_jaas_line() -> None:
    settings = made(list(ALL), tokens=ISSUER)
    for listener in ALL:
        prefix = f"listener.name.{listener.name.lower()}."
        enabled = settings.get(f"{prefix}sasl.enabled.mechanisms", "")
        assert enabled == ",".join(listener.mechanisms)
        lines = [key for key in settings if key.startswith(prefix) and key.endswith("sasl.jaas.config")]
        assert len(lines) == len(listener.mechanisms)
    assert settings["listeners"] == "A://h:1," + ",".join(
        f"{each.name}://127.0.0.1:{20 + number}" for number, each in enumerate(ALL)
    )
    assert settings["sasl.oauthbearer.jwks.endpoint.url"] == ISSUER.jwks_url
    assert "authorizer.class.name" not in settings


def test_tokens_are_taken_only_with_an_issuer() -> None:
    settings = made([LOGIN])
    assert settings["listener.name.login.sasl.enabled.mechanisms"] == "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"
    assert not [key for key in settings if "oauth" in key]
    assert options_of(Admission(passwords={}, ca="")) == []
    assert options_of(Admission(passwords={}, ca="", tokens=ISSUER)) == [
        "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=http://localhost:1/jwks"
    ]


def test_a_row_brings_its_own_jaas_line_and_settings() -> None:
    own = Listener(
        name="KERBEROS",
        protocol="SASL_PLAINTEXT",
        mechanisms=("GSSAPI",),
        jaas={"GSSAPI": "a.Krb5LoginModule required;"},
        properties={"sasl.kerberos.service.name": "kafka"},
    )
    settings = made([own])
    assert settings["listener.name.kerberos.gssapi.sasl.jaas.config"] == "a.Krb5LoginModule required;"
    assert settings["listener.name.kerberos.sasl.kerberos.service.name"] == "kafka"


def test_the_refused_are_the_only_ones_without_rights() -> None:
    settings = made([MUTUAL], refused=["reader"])
    assert settings["super.users"] == "User:$ConnectionString;User:ANONYMOUS;User:CN=client;User:alice"


def test_scram_has_the_users_that_its_tool_can_take() -> None:
    assert scram_users([TLS], PASSWORDS) == []
    arguments = scram_users([LOGIN, SECURE_LOGIN], PASSWORDS)
    assert arguments[1::2] == [
        f"SCRAM-SHA-{bits}=[name={user},password={PASSWORDS[user]}]"
        for bits in (256, 512)
        for user in ("alice", "reader")
    ]


def test_key_stores_are_of_the_kinds_that_they_say(tmp_path: Path) -> None:
    from stack.certificates import make_certificates

    stores = make_key_stores(make_certificates(tmp_path / "c"), tmp_path / "s", "of-the-stores", "of-the-keys")
    begins = {"JKS": b"\xfe\xed\xfe\xed", "JCEKS": b"\xce\xce\xce\xce", "PKCS12": b"\x30"}
    for kind in KINDS:
        assert stores.trust(kind).read_bytes().startswith(begins[kind])
        assert stores.key(kind).read_bytes().startswith(begins[kind])


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    work = tmp_path_factory.mktemp("kafka")
    with KafkaBroker(work, listeners=[TLS, MUTUAL, LOGIN], passwords=PASSWORDS, refused=["reader"]) as broker:
        broker.create_topic("listeners")
        yield broker


def answer(kafka: KafkaBroker, listener: str, says: str = "", **settings: str) -> str:
    """Give what becomes of a record: nothing, the name of its error, or the error of the connection that says this."""
    errors: list[KafkaError] = []
    reports: list[str] = []

    def report(error: KafkaError | None, _message: object) -> None:
        reports.append(error.name() if error else "")

    def told() -> list[str]:
        # A broker that turns a client away may be gone before the client has read why; it asks again.
        return [each.str() for each in errors if "brokers are down" not in each.str() and says in each.str()]

    config = {"bootstrap.servers": kafka.bootstrap(listener), "log_level": 0, "error_cb": errors.append}
    config["broker.address.family"] = "v4"  # of the others nobody listens at
    producer = Producer({**config, **{key.replace("_", "."): value for key, value in settings.items()}})
    producer.produce("listeners", b"x", on_delivery=report)
    until(lambda: producer.poll(0.1) is None or reports or (says and told()), lambda: errors)
    found = reports[0] if reports else told()[0]
    producer.purge()
    producer.flush(1)
    return found


def login(mechanism: str, user: str) -> dict[str, str]:
    protocol = {"security_protocol": "sasl_plaintext", "sasl_mechanism": mechanism}
    return {**protocol, "sasl_username": user, "sasl_password": PASSWORDS[user]}


@pytest.mark.kafka
def test_a_client_must_bring_what_the_listener_asks_for(kafka: KafkaBroker) -> None:
    secure = {"security_protocol": "ssl", "ssl_ca_location": str(kafka.ca_file)}
    own = str(kafka.certificates.key_store("client"))
    assert answer(kafka, "TLS", **secure) == ""
    assert answer(kafka, "MUTUAL", "alert bad certificate", **secure) != ""
    assert answer(kafka, "MUTUAL", **secure, ssl_certificate_location=own, ssl_key_location=own) == ""
    stranger = str(kafka.certificates.key_store("broker"))  # of the right CA, but no client's
    assert (
        answer(kafka, "MUTUAL", "alert", **secure, ssl_certificate_location=stranger, ssl_key_location=stranger) != ""
    )


@pytest.mark.kafka
@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_who_logs_in_may_write_unless_refused(mechanism: str, kafka: KafkaBroker) -> None:
    assert answer(kafka, "LOGIN", **login(mechanism, "alice")) == ""
    assert answer(kafka, "LOGIN", **login(mechanism, "reader")) == "TOPIC_AUTHORIZATION_FAILED"
    wrong = {**login(mechanism, "alice"), "sasl_password": "wrong"}
    assert answer(kafka, "LOGIN", "Authentication failed", **wrong) != ""
