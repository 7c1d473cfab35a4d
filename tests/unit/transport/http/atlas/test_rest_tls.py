"""Certificates that are trusted, and those that are not."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import pytest

from sac_kafka.transport.base import FailureKind
from stack.certificates import CertificateName, Certificates, make_certificates
from tests.unit.transport.http.atlas.bench import Sender, record, transport
from tests.unit.transport.notification_server import NotificationServer


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def tls_server(certificates: Certificates) -> Iterator[NotificationServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.key_store("broker"))
    with NotificationServer(context) as running:
        yield running


def test_tls_with_a_trusted_authority(
    tls_server: NotificationServer, certificates: Certificates, sender: Sender
) -> None:
    rest = transport(tls_server, **{"atlas.hook.spark.rest.ca.file": str(certificates.ca)})
    sender.send(rest, record(0))
    rest.close(60)
    assert sender.outcomes == [(0, None)]


@pytest.mark.parametrize("trusted", ["the system's", "another"])
def test_an_untrusted_certificate_needs_action(
    tls_server: NotificationServer, certificates: Certificates, sender: Sender, trusted: str
) -> None:
    keys = {"atlas.hook.spark.rest.ca.file": str(certificates.other_ca)} if trusted == "another" else {}
    rest = transport(tls_server, **keys)
    sender.send(rest, record(0))
    rest.service(0)
    [failure] = sender.failures
    assert failure.kind is FailureKind.NEEDS_ACTION
    assert "its certificate is not trusted" in str(failure)
    assert "atlas.hook.spark.rest.ca.file" in str(failure)


@pytest.mark.parametrize("name", ["wrong_host", "expired"])
def test_a_wrong_certificate_needs_action(certificates: Certificates, sender: Sender, name: CertificateName) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.key_store(name))
    with NotificationServer(context) as wrong:
        rest = transport(wrong, **{"atlas.hook.spark.rest.ca.file": str(certificates.ca)})
        sender.send(rest, record(0))
        rest.service(0)
    assert sender.failures[0].kind is FailureKind.NEEDS_ACTION
    reason, fix = {
        "wrong_host": (
            "is for another host (Hostname mismatch",
            "give a host name of the certificate in atlas.rest.address",
        ),
        "expired": ("has expired, or is not yet valid (certificate has expired", "set this machine's clock"),
    }[name]
    assert f"its certificate {reason}" in str(sender.failures[0])
    assert fix in str(sender.failures[0])
    assert "ca.file" not in str(sender.failures[0])


@pytest.mark.parametrize("direction", ["tls to plain", "plain to tls"])
def test_the_wrong_scheme(
    server: NotificationServer, tls_server: NotificationServer, sender: Sender, direction: str
) -> None:
    address = (
        server.address.replace("http:", "https:")
        if direction == "tls to plain"
        else tls_server.address.replace("https:", "http:")
    )
    rest = transport(address)
    sender.send(rest, record(0))
    rest.service(0)
    [failure] = sender.failures
    assert ("is atlas.rest.address an http:// address?" in str(failure)) is (direction == "tls to plain")
