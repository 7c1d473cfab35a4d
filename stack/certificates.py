"""Throw-away certificates for TLS on this machine: a CA, a broker's certificate, a client's, and wrong ones for tests.

Everything is PEM with P-256 keys. They protect nothing: the keys lie next to the certificates in a work folder.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Literal

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from stack.files import write_private

CertificateName = Literal["broker", "wrong_host", "expired", "event_hubs", "client"]
SERVERS: tuple[CertificateName, ...] = ("broker", "wrong_host", "expired", "event_hubs")
LOCAL_HOSTS = ("localhost", "127.0.0.1")
EVENT_HUBS_HOSTS = ("*.servicebus.windows.net", *LOCAL_HOSTS)
VALID_DAYS = 3650


@dataclass(frozen=True, slots=True)
class Certificates:
    """The files in a folder of certificates; each key store holds a key, its certificate and the CA's."""

    folder: Path

    @property
    def ca(self) -> Path:
        """The certificate to trust."""
        return self.folder / "ca.pem"

    @property
    def other_ca(self) -> Path:
        """A certificate that has signed none of the others."""
        return self.folder / "other_ca.pem"

    def key_store(self, name: CertificateName) -> Path:
        """Return what Kafka takes as `ssl.keystore.location` with `ssl.keystore.type=PEM`."""
        return self.folder / f"{name}.pem"


@dataclass(frozen=True, slots=True)
class _Issued:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        return self.key.private_bytes(pem, pkcs8, serialization.NoEncryption())


def make_certificates(folder: Path) -> Certificates:
    """Make the certificates in a folder, unless usable ones are there: a CA that a client was given stays the same."""
    made = Certificates(folder)
    if not _usable(made):
        now = datetime.now(timezone.utc)
        ca, other_ca = _issue_ca("sac_kafka local stack", now), _issue_ca("somebody else", now)
        valid = (now - timedelta(days=1), now + timedelta(days=VALID_DAYS))
        past = (now - timedelta(days=20), now - timedelta(days=10))
        stores: dict[CertificateName, _Issued] = {
            "broker": _issue(ca, LOCAL_HOSTS, valid),
            "wrong_host": _issue(ca, ("elsewhere.test",), valid),
            "expired": _issue(ca, LOCAL_HOSTS, past),
            "event_hubs": _issue(ca, EVENT_HUBS_HOSTS, valid),
            "client": _issue(ca, ("client",), valid, ExtendedKeyUsageOID.CLIENT_AUTH),
        }
        folder.mkdir(parents=True, exist_ok=True)
        for name, issued in stores.items():
            write_private(made.key_store(name), issued.key_pem + issued.certificate_pem + ca.certificate_pem)
        made.other_ca.write_bytes(other_ca.certificate_pem)
        made.ca.write_bytes(ca.certificate_pem)
    return made


def _usable(made: Certificates) -> bool:
    """Tell whether all files are there, the broker's certificate is of that CA and good for another day."""
    stores = [made.key_store(name) for name in (*SERVERS, "client")]
    if not all(path.is_file() for path in (made.ca, made.other_ca, *stores)):
        return False
    try:
        ca = x509.load_pem_x509_certificate(made.ca.read_bytes())
        broker = x509.load_pem_x509_certificates(made.key_store("broker").read_bytes())[0]
        broker.verify_directly_issued_by(ca)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return broker.not_valid_after_utc > datetime.now(timezone.utc) + timedelta(days=1)


def _issue_ca(name: str, now: datetime) -> _Issued:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _named(name)
    validity = (
        now - timedelta(days=30),
        now + timedelta(days=VALID_DAYS),
    )  # as long as what it signs, also the expired
    builder = _builder(subject, subject, key, validity)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    builder = builder.add_extension(_key_usage(signs_certificates=True), critical=True)
    return _Issued(builder.sign(key, hashes.SHA256()), key)


def _issue(
    ca: _Issued,
    hosts: tuple[str, ...],
    validity: tuple[datetime, datetime],
    usage: x509.ObjectIdentifier = ExtendedKeyUsageOID.SERVER_AUTH,
) -> _Issued:
    key = ec.generate_private_key(ec.SECP256R1())
    builder = _builder(_named(hosts[0]), ca.certificate.subject, key, validity)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_key_usage(signs_certificates=False), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    builder = builder.add_extension(x509.SubjectAlternativeName([_alternative(host) for host in hosts]), critical=False)
    authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca.key.public_key())
    builder = builder.add_extension(authority, critical=False)
    return _Issued(builder.sign(ca.key, hashes.SHA256()), key)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, validity: tuple[datetime, datetime]
) -> x509.CertificateBuilder:
    start, end = validity
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
