"""Proofs of an application's identity other than a secret: a certificate, or a token of a cluster that it trusts."""

from __future__ import annotations

import datetime
import hashlib
import time
from base64 import urlsafe_b64encode
from functools import cache
from pathlib import Path

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID

_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_EXCHANGE = "api://AzureADTokenExchange"
ISSUER = "https://oidc.example.org/cluster"
SUBJECT = "system:serviceaccount:jobs:lineage"


class RefusedError(Exception):
    """A refusal of Entra ID: status, `error`, the number of its code, and its text."""

    def __init__(self, status: int, error: str, code: int, text: str) -> None:
        super().__init__(text)
        self.status, self.error, self.code, self.text = status, error, code, text


@cache
def key_of(owner: str) -> rsa.RSAPrivateKey:
    """Return the key of all tests: making one takes 60 ms."""
    return rsa.generate_private_key(65537, 2048)


class Assertions:
    """Which certificates and which cluster an application has."""

    def __init__(self, client: str, endpoint: str) -> None:
        self._client = client
        self._endpoint = endpoint
        self._certificates: list[x509.Certificate] = []
        self._cluster = key_of("cluster")

    def register(self, certificate: x509.Certificate) -> None:
        """Upload the public part of a certificate."""
        self._certificates.append(certificate)

    def federated_token(self, subject: str = SUBJECT, issuer: str = ISSUER, life_seconds: float = 3600) -> str:
        """Return the token that the cluster puts into a pod's file."""
        claims = {"iss": issuer, "sub": subject, "aud": _EXCHANGE, "exp": time.time() + life_seconds}
        return jwt.encode(claims, self._cluster, algorithm="RS256")

    def check(self, form: dict[str, str]) -> None:
        """Raise RefusedError unless the assertion of the form proves the application."""
        if form.get("client_assertion_type") != _TYPE:
            raise RefusedError(400, "invalid_request", 900144, "The request body must contain 'client_assertion_type'.")
        assertion = form["client_assertion"]
        header = jwt.get_unverified_header(assertion)
        if "x5t" in header or "x5t#S256" in header:
            self._check_certificate(assertion, header)
        else:
            self._check_federated(assertion)

    def _check_certificate(self, assertion: str, header: dict[str, str]) -> None:
        for certificate in self._certificates:
            der = certificate.public_bytes(serialization.Encoding.DER)
            prints = {"x5t": hashlib.sha1(der), "x5t#S256": hashlib.sha256(der)}
            if all(
                header[name].rstrip("=") == urlsafe_b64encode(each.digest()).rstrip(b"=").decode()
                for name, each in prints.items()
                if name in header
            ):
                break
        else:
            raise _unknown_certificate()
        key = certificate.public_key()
        try:
            claims = jwt.decode(assertion, key, algorithms=["RS256", "PS256"], audience=self._endpoint)
        except jwt.ExpiredSignatureError:
            raise _out_of_time() from None
        except jwt.InvalidTokenError:
            raise _unknown_certificate() from None
        if not claims["iss"] == claims["sub"] == self._client:
            raise RefusedError(401, "invalid_client", 700021, "Client assertion application identifier doesn't match.")

    def _check_federated(self, assertion: str) -> None:
        try:
            key = self._cluster.public_key()
            claims = jwt.decode(assertion, key, algorithms=["RS256"], audience=_EXCHANGE)
        except jwt.ExpiredSignatureError:
            raise _out_of_time() from None
        except jwt.InvalidAudienceError:
            raise _no_match(700212, "audience", "?") from None
        except jwt.InvalidTokenError:
            raise RefusedError(401, "invalid_client", 50027, "JWT token is invalid or malformed.") from None
        if claims["iss"] != ISSUER:
            raise _no_match(700211, "issuer", claims["iss"])
        if claims["sub"] != SUBJECT:
            raise _no_match(700213, "subject", claims["sub"])


def _no_match(code: int, what: str, value: str) -> RefusedError:
    text = f"No matching federated identity record found for presented assertion {what} '{value}'."
    return RefusedError(401, "invalid_client", code, text)


def _unknown_certificate() -> RefusedError:
    return RefusedError(
        401,
        "invalid_client",
        700027,
        "The certificate with identifier used to sign the client assertion is not registered on application.",
    )


def _out_of_time() -> RefusedError:
    return RefusedError(401, "invalid_client", 700024, "Client assertion is not within its valid time range.")


def make_certificate(file: Path, password: str | None = None) -> x509.Certificate:
    """Write a certificate of an application and its RSA key as PEM; give the certificate."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "lineage")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .sign(key, SHA256())
    )
    pem = serialization.Encoding.PEM
    locked = serialization.BestAvailableEncryption(password.encode()) if password else serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, locked)
    file.write_bytes(private + certificate.public_bytes(pem))
    return certificate
