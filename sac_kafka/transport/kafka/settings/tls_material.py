"""Read trust stores and key stores of Kafka's Java client and pass them to librdkafka as PEM in memory.

The type of a store is detected from its content, not from its name or `ssl.truststore.type`: `keytool` writes PKCS#12 to
`.jks` files. PEM is parsed here, all other types by the driver's JVM.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sac_kafka.errors import ConfigurationError, NeedsDriverError
from sac_kafka.transport.driver import Driver, StoreContents
from sac_kafka.transport.kafka.settings.context import Secured

_BEGIN = re.compile(r"-----BEGIN ([A-Z0-9 ]{1,60})-----")
_HEADER = re.compile(r"^[A-Za-z0-9-]+:.*$", re.MULTILINE)
_CERTIFICATES = ("CERTIFICATE", "X509 CERTIFICATE")


@dataclass(frozen=True, slots=True)
class PemBlock:
    """A PEM block (`-----BEGIN label-----` …); `der` is None if its content is not base64 or has encryption headers."""

    label: str
    text: str
    der: bytes | None

    @property
    def is_certificate(self) -> bool:
        """True for a certificate."""
        return self.label in _CERTIFICATES

    @property
    def is_key(self) -> bool:
        """True for a private key in any format."""
        return self.label.endswith("PRIVATE KEY")

    def __repr__(self) -> str:
        """Return only the label, because the content may be a private key."""
        return f"PemBlock({self.label})"


def blocks(text: str) -> tuple[PemBlock, ...]:
    r"""Return the PEM blocks of a text with the line breaks that OpenSSL requires.

    PEM in a properties file is often on one line or contains a literal `\n`, which Java accepts but OpenSSL does not.
    """
    return tuple(_blocks(text))


def pem(label: str, der: bytes) -> str:
    """Write DER as PEM."""
    return _wrap(label, base64.b64encode(der).decode("ascii"))


def join_blocks(found: Iterable[PemBlock]) -> str:
    """Join blocks to one text."""
    return "".join(block.text for block in found)


def is_self_signed(certificate: bytes) -> bool:
    """Return whether issuer and subject of a certificate are equal; True if it cannot be parsed, or without `cryptography`."""
    try:
        from cryptography.x509 import load_der_x509_certificate

        found = load_der_x509_certificate(certificate)
        return found.issuer == found.subject
    except (ImportError, ValueError):
        return True


def _blocks(text: str) -> Iterator[PemBlock]:
    for label, body in _bodies(text.replace("\\r", "\n").replace("\\n", "\n")):
        if _HEADER.search(body):  # a key encrypted in OpenSSL's traditional format, whose lines must be preserved
            lines = "\n".join(line.strip() for line in body.strip().splitlines())
            yield PemBlock(label, f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n", None)
            continue
        try:
            der = base64.b64decode("".join(body.split()), validate=True)
        except (binascii.Error, ValueError):
            der = None
        yield PemBlock(label, _wrap(label, "".join(body.split())), der)


def _bodies(text: str) -> Iterator[tuple[str, str]]:
    """Yield label and body of each block. A missing END line is searched for once per label, so that time is linear."""
    at, endless = 0, set[str]()
    while begin := _BEGIN.search(text, at):
        end_line = f"-----END {begin[1]}-----"
        end = -1 if begin[1] in endless else text.find(end_line, begin.end())
        if end < 0:
            endless.add(begin[1])
            at = begin.end() - 5  # the dashes may also begin the next block
        else:
            yield begin[1], text[begin.end() : end]
            at = end + len(end_line)


def _wrap(label: str, text: str) -> str:
    lines = "\n".join(text[start : start + 64] for start in range(0, len(text), 64))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n"


_JKS, _JCEKS, _PEM = b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce", b"-----BEGIN "
_SEQUENCE = b"\x30"  # first byte of PKCS#12, unlike the other types
_DRIVE = re.compile(r"[A-Za-z]:[^\\/]")  # a Windows path whose backslashes the properties file took as escapes
_DIGEST_BYTES = 20
_MAX_BYTES = 16 * 1024 * 1024
_PEM_COMMANDS = {
    "ssl.truststore": "keytool -list -rfc -keystore FILE > ca.pem",
    "ssl.keystore": "openssl pkcs12 -in FILE -nodes -out client.pem",
}
_JVM_TRUST_STORE = "javax.net.ssl.trustStore"
_JDK_PASSWORD = "changeit"  # noqa: S105 (the default password of every JDK's trust store)
SYSTEM_CERTIFICATES = (
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/certs/ca-bundle.crt",
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/etc/ssl/cacert.pem",
    "/etc/certs/ca-certificates.crt",
    "/usr/local/etc/openssl/cert.pem",
)
"""Paths where librdkafka searches for the operating system's CA certificates; slim images have none of them."""


@dataclass(frozen=True, slots=True)
class Stores:
    """The `ssl.…` settings of one connection; `place` is the prefix of their keys in error messages."""

    settings: Mapping[str, str] = field(repr=False)
    place: str = "atlas.kafka."
    driver: Driver | None = None

    def trust(self, target: str = "ssl.ca.pem") -> Secured:
        """Return the trusted certificates; empty if not configured, so that the operating system's are trusted.

        Raises:
            ConfigurationError: A store cannot be read or contains no certificate.
        """
        location, inline = self._get("truststore.location"), self._get("truststore.certificates")
        if location and inline:
            raise ConfigurationError(
                f"{self.place}ssl.truststore.location and {self.place}ssl.truststore.certificates are both set; remove one"
            )
        if inline:
            return self._trusting(target, _certificates(inline), "ssl.truststore.certificates")
        if location:
            return self._trust_store(target, location, self._get("truststore.password"), "ssl.truststore.location")
        return self._jvm_trust(target)

    def identity(self) -> Secured:
        """Return the client's own key and certificates; empty if not configured.

        Raises:
            ConfigurationError: The store cannot be read or contains no key.
        """
        location, key = self._get("keystore.location"), self._get("keystore.key")
        chain = self._get("keystore.certificate.chain")
        if location and (key or chain):
            raise ConfigurationError(
                f"{self.place}ssl.keystore.location and {self.place}ssl.keystore.key are both set; remove one"
            )
        if bool(key) != bool(chain):
            raise ConfigurationError(
                f"only one of {self.place}ssl.keystore.key and {self.place}ssl.keystore.certificate.chain is set; set both"
            )
        if location:
            return self._key_store(location)
        if key and chain:
            return self._identity([*(b for b in blocks(key) if b.is_key), *_certificates(chain)], "ssl.keystore.key")
        return Secured()

    def _get(self, name: str) -> str | None:
        return self.settings.get(f"ssl.{name}") or None

    def _trust_store(
        self,
        target: str,
        location: str,
        password: str | None,
        key: str,
        password_key: str = "ssl.truststore.password",  # noqa: S107 (the name of a setting)
    ) -> Secured:
        content = self._read(key, location)
        if _is_pem(content):
            return self._trusting(target, _certificates(_text(content)), f"{key} = {location}")
        contents = self._contents(key, location, content, password, None)
        if not contents.trusted:
            hint = f"; set {self.place}{password_key}: without it Java cannot read the certificates of a PKCS#12 store"
            raise ConfigurationError(
                f"{self.place}{key} = {location}: contains no certificate{hint if not password else ''}"
            )
        found = [PemBlock("CERTIFICATE", pem("CERTIFICATE", each), each) for each in contents.trusted]
        return self._trusting(target, found, f"{key} = {location}")

    def _trusting(self, target: str, found: Sequence[PemBlock], key: str) -> Secured:
        if not found:
            raise ConfigurationError(
                f"{self.place}{key}: contains no PEM certificate (-----BEGIN CERTIFICATE----- …); add those of the CA"
            )
        warnings: tuple[str, ...] = ()
        if not any(is_self_signed(each.der) for each in found if each.der is not None):
            warnings = (
                f"{self.place}{key}: none of its {len(found)} certificates is self-signed; Java trusts them nevertheless, "
                "librdkafka requires the root certificate of the CA: add it",
            )
        return Secured({target: join_blocks(found)}, warnings=warnings)

    def _jvm_trust(self, target: str) -> Secured:
        """Return the certificates of the trust store configured for the driver's JVM, like Kafka's Java client.

        If the operating system has no certificates, those of the JDK are used. A configured store that cannot be read is an
        error, because trusting the operating system's certificates instead might trust more than intended.
        """
        if self.driver is None:
            return Secured()
        location = self.driver.system_property(_JVM_TRUST_STORE)
        if location == "NONE":
            return Secured()
        if not location:
            return _jdk_trust(self.driver, target) if not system_certificates() else Secured()
        password, kind = (self.driver.system_property(_JVM_TRUST_STORE + name) for name in ("Password", "Type"))
        stores = Stores({"ssl.truststore.type": kind} if kind else {}, "the driver's system property ", self.driver)
        try:
            return stores._trust_store(target, location, password, _JVM_TRUST_STORE, f"{_JVM_TRUST_STORE}Password")
        except ConfigurationError as error:
            raise ConfigurationError(f"{error}; or set {self.place}ssl.truststore.location") from None

    def _key_store(self, location: str) -> Secured:
        key, password = "ssl.keystore.location", self._get("keystore.password")
        content = self._read(key, location)
        if _is_pem(content):
            return self._identity(blocks(_text(content)), f"{key} = {location}")
        if self.driver is None and content.startswith(_SEQUENCE) and password:
            return Secured({"ssl.keystore.location": location, "ssl.keystore.password": password})
        contents = self._contents(key, location, content, password, self._get("key.password") or password)
        if contents.key is None:
            fix = "set it to the store with the client's key and certificate"
            raise ConfigurationError(
                f"{self.place}{key} = {location}: contains no private key; "
                + (fix if password else f"set {self.place}ssl.keystore.password, or {fix}")
            )
        chain = [pem("CERTIFICATE", each) for each in contents.chain]
        return Secured({"ssl.key.pem": pem("PRIVATE KEY", contents.key), "ssl.certificate.pem": "".join(chain)})

    def _identity(self, found: Sequence[PemBlock], key: str) -> Secured:
        keys = [block for block in found if block.is_key]
        chain = [block for block in found if block.is_certificate]
        if not keys or not chain:
            missing = "private key" if not keys else "certificate"
            raise ConfigurationError(
                f"{self.place}{key}: contains no PEM {missing}; a key and its certificates are required"
            )
        config = {"ssl.key.pem": keys[0].text, "ssl.certificate.pem": join_blocks(chain)}
        password = self._get("key.password")
        return Secured(config | ({"ssl.key.password": password} if password else {}))

    def _read(self, key: str, location: str) -> bytes:
        try:
            with Path(location).open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a valid path"
            fix = "correct the path (it is relative to the driver's working directory) or the permissions"
            if _DRIVE.match(location):
                fix = "double every backslash in a properties file, or write / instead"
            raise ConfigurationError(f"{self.place}{key} = {location}: cannot be read: {reason}; {fix}") from None
        if len(content) > _MAX_BYTES:
            raise ConfigurationError(f"{self.place}{key} = {location}: is larger than 16 MiB and not a key store")
        return content

    def _contents(
        self, key: str, location: str, content: bytes, password: str | None, key_password: str | None
    ) -> StoreContents:
        store = "keystore" if "keystore" in key else "truststore"
        kind = _kind(content) or self._get(f"{store}.type")
        if kind is None or kind.upper() == "PEM":
            raise ConfigurationError(
                f"{self.place}{key} = {location}: is neither PEM nor a JKS, JCEKS or PKCS#12 store; correct the path"
            )
        if self.driver is None:
            if password and kind in ("JKS", "JCEKS") and not _has_digest_of(content, password):
                raise ConfigurationError(
                    f"{self.place}{key} = {location} ({kind}): the password is wrong, or the file is damaged; correct "
                    f"{self.place}ssl.{store}.password"
                )
            command = _PEM_COMMANDS[f"ssl.{store}"]
            raise NeedsDriverError(
                f"{self.place}{key} = {location}: is a {kind} store, which only a Spark driver's JVM can read; outside a "
                f"driver use PEM ({command})"
            )
        try:
            return self.driver.read_store(kind, content, password, key_password)
        except ConfigurationError as error:
            raise ConfigurationError(f"{self.place}{key} = {location} ({kind}): {error}") from None


def _jdk_trust(driver: Driver, target: str) -> Secured:
    """Return the JDK's certificates; if they cannot be read, librdkafka searches for certificates itself."""
    place = "java.home"
    stores = Stores({}, "the driver's system property ", driver)
    location = f"{driver.system_property(place)}/lib/security/cacerts"
    try:
        found = stores._trust_store(target, location, _JDK_PASSWORD, place)
    except ConfigurationError as error:
        return Secured(warnings=(f"{error}; the certificates of the operating system are used instead",))
    # Warnings are omitted: the JDK's store may contain a cross-signed instead of a self-signed root.
    return Secured(found.config)


def system_certificates() -> str | None:
    """Return the file of the operating system's CA certificates, None without one."""
    return next((each for each in SYSTEM_CERTIFICATES if Path(each).is_file()), None)


def _kind(content: bytes) -> str | None:
    if content.startswith(_JKS):
        return "JKS"
    if content.startswith(_JCEKS):
        return "JCEKS"
    return "PKCS12" if content.startswith(_SEQUENCE) else None


def _has_digest_of(content: bytes, password: str) -> bool:
    """Return whether the digest of a JKS or JCEKS store matches a password (`sun.security.provider.JavaKeyStore`)."""
    digested = password.encode("utf-16-be", "surrogatepass") + b"Mighty Aphrodite" + content[:-_DIGEST_BYTES]
    return hashlib.sha1(digested).digest() == content[-_DIGEST_BYTES:]  # noqa: S324 required by the format


def _is_pem(content: bytes) -> bool:
    return _PEM in content and _kind(content) not in ("JKS", "JCEKS")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _certificates(text: str) -> list[PemBlock]:
    return [block for block in blocks(text) if block.is_certificate]
