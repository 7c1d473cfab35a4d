"""Certificates for the tests of stores: an authority, one that it has signed, and a client's key; PEM and DER."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from stack.certificates import make_certificates


@dataclass(frozen=True)
class Examples:
    root: str
    signed: str
    key: str
    root_der: bytes
    signed_der: bytes
    key_der: bytes


def make_examples(folder: Path) -> Examples:
    made = make_certificates(folder)
    text = made.key_store("client").read_text()
    root, signed = made.ca.read_text(), "-----BEGIN CERTIFICATE-----" + text.split("-----BEGIN CERTIFICATE-----")[1]
    key = text.split("-----BEGIN CERTIFICATE-----")[0]
    der, pkcs8 = serialization.Encoding.DER, serialization.PrivateFormat.PKCS8
    return Examples(
        root,
        signed,
        key,
        *(x509.load_pem_x509_certificate(each.encode()).public_bytes(der) for each in (root, signed)),
        serialization.load_pem_private_key(key.encode(), None).private_bytes(der, pkcs8, serialization.NoEncryption()),
    )
