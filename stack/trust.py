"""Certificates that this machine trusts, for a Java from elsewhere, which has only its own."""

from __future__ import annotations

import ssl
import warnings
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import NoEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12Certificate, serialize_java_truststore


def options_of_java(folder: Path) -> list[str]:
    """Write a trust store into the folder and return the options that name it; none where the machine says nothing."""
    authorities = _authorities()
    if not authorities:
        return []
    store = folder / "trusted.p12"
    entries = [PKCS12Certificate(each, str(number).encode()) for number, each in enumerate(authorities)]
    store.write_bytes(serialize_java_truststore(entries, NoEncryption()))
    return [f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStoreType=PKCS12"]


def _authorities() -> list[x509.Certificate]:
    found = []
    for der in ssl.create_default_context().get_ca_certs(binary_form=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # certificates that are not as they should be are the machine's affair
            try:
                found.append(x509.load_der_x509_certificate(der))
            except ValueError:
                continue
    return found
