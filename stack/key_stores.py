"""Key stores as Java's own tools make them, of a client's certificate and of the CA: JKS, JCEKS and PKCS#12."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12

from stack.certificates import Certificates
from stack.errors import StackError
from stack.files import write_private
from stack.java import find_java

KINDS = {"JKS": "jks", "JCEKS": "jceks", "PKCS12": "p12"}
"""The kinds, and how files of each end."""
_KEYTOOL_TIMEOUT_SECONDS = 300
_ALIAS = "client"


@dataclass(frozen=True, slots=True)
class KeyStores:
    """The stores in a folder, all with one password; `key_password` is that of the key in JKS and JCEKS stores."""

    folder: Path
    password: str
    key_password: str

    def trust(self, kind: str) -> Path:
        """Return the store that holds the CA."""
        return self.folder / f"trust.{KINDS[kind]}"

    def key(self, kind: str) -> Path:
        """Return the store that holds the client's key and its chain."""
        return self.folder / f"client.{KINDS[kind]}"


def make_key_stores(certificates: Certificates, folder: Path, password: str, key_password: str) -> KeyStores:
    """Make the stores of all kinds in an empty folder.

    Raises:
        StackError: There is no Java, or its keytool refuses.
    """
    stores = KeyStores(folder, password, key_password)
    folder.mkdir(parents=True, exist_ok=True)
    pem = certificates.key_store("client").read_bytes()
    chain = x509.load_pem_x509_certificates(pem)
    key = serialization.load_pem_private_key(pem, None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    content = pkcs12.serialize_key_and_certificates(
        _ALIAS.encode(), key, chain[0], chain[1:], serialization.BestAvailableEncryption(password.encode())
    )
    write_private(stores.key("PKCS12"), content)
    for kind in KINDS:
        _import_ca(certificates, stores, kind)
        if kind != "PKCS12":
            _import_key(stores, kind)
    return stores


def _import_ca(certificates: Certificates, stores: KeyStores, kind: str) -> None:
    target = ["-keystore", str(stores.trust(kind)), "-storetype", kind, "-storepass", stores.password]
    _keytool("-importcert", "-noprompt", "-alias", "ca", "-file", str(certificates.ca), *target)


def _import_key(stores: KeyStores, kind: str) -> None:
    source = ["-srckeystore", str(stores.key("PKCS12")), "-srcstoretype", "PKCS12", "-srcstorepass", stores.password]
    target = ["-destkeystore", str(stores.key(kind)), "-deststoretype", kind, "-deststorepass", stores.password]
    key = ["-srcalias", _ALIAS, "-srckeypass", stores.password, "-destkeypass", stores.key_password]
    _keytool("-importkeystore", "-noprompt", *source, *target, *key)


def _keytool(*arguments: str) -> None:
    command = [str(find_java().path.resolve().with_name("keytool")), *arguments]
    done = subprocess.run(
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_KEYTOOL_TIMEOUT_SECONDS,
    )
    if done.returncode != 0:
        raise StackError(f"keytool {arguments[0]}: {(done.stdout + done.stderr).strip()[-500:]}")
