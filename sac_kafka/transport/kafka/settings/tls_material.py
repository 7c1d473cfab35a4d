"""Trust stores and key stores of Kafka's Java client, read and handed to librdkafka as PEM in memory.

The content of a store decides what it is, not its name nor `ssl.truststore.type`: `keytool` writes PKCS#12 into `.jks`.
PEM is read here, everything else by the driver's JVM.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sac_kafka.errors import ConfigurationError, NeedsDriverError
from sac_kafka.transport.driver import Driver, StoreContents
from sac_kafka.transport.kafka.settings.pem import PemBlock, blocks, is_self_signed, joined, pem
from sac_kafka.transport.kafka.settings.secured import Secured

_JKS, _JCEKS, _PEM = b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce", b"-----BEGIN "
_SEQUENCE = b"\x30"  # how PKCS#12 begins, and nothing else of these
_DRIVE = re.compile(r"[A-Za-z]:[^\\/]")  # of Windows, whose backslashes the properties file has taken
_DIGEST_BYTES = 20
_MAX_BYTES = 16 * 1024 * 1024
_PEM_CURE = {
    "ssl.truststore": "keytool -list -rfc -keystore FILE > ca.pem",
    "ssl.keystore": "openssl pkcs12 -in FILE -nodes -out client.pem",
}
_JVM_TRUST_STORE = "javax.net.ssl.trustStore"
_JDK_PASSWORD = "changeit"  # noqa: S105 (of the JDK's own store: every JDK has it)
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
"""Where librdkafka looks for what the operating system trusts; slim images have none of them."""


@dataclass(frozen=True, slots=True)
class Stores:
    """The `ssl.…` settings of one connection; `place` is what stands before their keys in error messages."""

    settings: Mapping[str, str] = field(repr=False)
    place: str = "atlas.kafka."
    driver: Driver | None = None

    def trust(self, target: str = "ssl.ca.pem") -> Secured:
        """Give the certificates that are trusted, none where the settings name none: then the system's are.

        Raises:
            ConfigurationError: A store cannot be read or holds nothing to trust.
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
        return self._trust_of_the_jvm(target)

    def identity(self) -> Secured:
        """Give the client's own key and certificates, none where the settings name none.

        Raises:
            ConfigurationError: The store cannot be read or holds no key.
        """
        location, key = self._get("keystore.location"), self._get("keystore.key")
        chain = self._get("keystore.certificate.chain")
        if location and (key or chain):
            raise ConfigurationError(
                f"{self.place}ssl.keystore.location and {self.place}ssl.keystore.key are both set; remove one"
            )
        if bool(key) != bool(chain):
            raise ConfigurationError(
                f"of {self.place}ssl.keystore.key and {self.place}ssl.keystore.certificate.chain only one is set; set both"
            )
        if location:
            return self._key_store(location)
        if key and chain:
            return self._identity([*_keys(key), *_certificates(chain)], "ssl.keystore.key")
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
            hint = f"; set {self.place}{password_key}: without it Java sees no certificate of a PKCS#12 store"
            raise ConfigurationError(
                f"{self.place}{key} = {location}: holds no certificate{hint if not password else ''}"
            )
        found = [PemBlock("CERTIFICATE", pem("CERTIFICATE", each), each) for each in contents.trusted]
        return self._trusting(target, found, f"{key} = {location}")

    def _trusting(self, target: str, found: Sequence[PemBlock], key: str) -> Secured:
        if not found:
            raise ConfigurationError(
                f"{self.place}{key}: holds no PEM certificate (-----BEGIN CERTIFICATE----- …); give those of the authority"
            )
        warnings: tuple[str, ...] = ()
        if not any(is_self_signed(each.der) for each in found if each.der is not None):
            warnings = (
                f"{self.place}{key}: none of its {len(found)} certificates is self-signed; Java trusts them as they are, "
                "librdkafka needs the root of the authority: add its certificate",
            )
        return Secured({target: joined(found)}, warnings=warnings)

    def _trust_of_the_jvm(self, target: str) -> Secured:
        """Give what the driver's JVM was told to trust, as Kafka's Java client would trust it.

        The JDK's own certificates count where the operating system has none. A store that was named and cannot be read
        is an error: the certificates that the operating system trusts may be more than its owner meant.
        """
        if self.driver is None:
            return Secured()
        location = self.driver.system_property(_JVM_TRUST_STORE)
        if location == "NONE":
            return Secured()
        if not location:
            return _trust_of_the_jdk(self.driver, target) if not system_certificates() else Secured()
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
            cure = "name the store that has the client's key and certificate"
            raise ConfigurationError(
                f"{self.place}{key} = {location}: holds no private key; "
                + (cure if password else f"set {self.place}ssl.keystore.password, or {cure}")
            )
        chain = [pem("CERTIFICATE", each) for each in contents.chain]
        return Secured({"ssl.key.pem": pem("PRIVATE KEY", contents.key), "ssl.certificate.pem": "".join(chain)})

    def _identity(self, found: Sequence[PemBlock], key: str) -> Secured:
        keys = [block for block in found if block.is_key]
        chain = [block for block in found if block.is_certificate]
        if not keys or not chain:
            missing = "private key" if not keys else "certificate"
            raise ConfigurationError(
                f"{self.place}{key}: holds no PEM {missing}; a key and its certificates are needed"
            )
        config = {"ssl.key.pem": keys[0].text, "ssl.certificate.pem": joined(chain)}
        password = self._get("key.password")
        return Secured(config | ({"ssl.key.password": password} if password else {}))

    def _read(self, key: str, location: str) -> bytes:
        try:
            with Path(location).open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "is no path"
            cure = "correct the path (it is relative to the driver's working directory) or the permissions"
            if _DRIVE.match(location):
                cure = "in a properties file every backslash is doubled; or write / instead"
            raise ConfigurationError(f"{self.place}{key} = {location}: cannot be read: {reason}; {cure}") from None
        if len(content) > _MAX_BYTES:
            raise ConfigurationError(f"{self.place}{key} = {location}: is larger than 16 MiB, so it is no key store")
        return content

    def _contents(
        self, key: str, location: str, content: bytes, password: str | None, key_password: str | None
    ) -> StoreContents:
        store = "keystore" if "keystore" in key else "truststore"
        kind = _kind(content) or self._get(f"{store}.type")
        if kind is None or kind.upper() == "PEM":
            raise ConfigurationError(
                f"{self.place}{key} = {location}: is neither PEM nor a JKS, JCEKS or PKCS#12 store; name the right file"
            )
        if self.driver is None:
            if password and kind in ("JKS", "JCEKS") and not _is_sealed_by(content, password):
                raise ConfigurationError(
                    f"{self.place}{key} = {location} ({kind}): its password is another one, or the file is damaged; correct "
                    f"{self.place}ssl.{store}.password"
                )
            cure = _PEM_CURE[f"ssl.{store}"]
            raise NeedsDriverError(
                f"{self.place}{key} = {location}: is a {kind} store, which only a Spark driver's JVM can read; outside of "
                f"one use PEM ({cure})"
            )
        try:
            return self.driver.read_store(kind, content, password, key_password)
        except ConfigurationError as error:
            raise ConfigurationError(f"{self.place}{key} = {location} ({kind}): {error}") from None


def _trust_of_the_jdk(driver: Driver, target: str) -> Secured:
    """Give the JDK's own certificates; where it has none librdkafka's own search is left."""
    place = "java.home"
    stores = Stores({}, "the driver's system property ", driver)
    location = f"{driver.system_property(place)}/lib/security/cacerts"
    try:
        found = stores._trust_store(target, location, _JDK_PASSWORD, place)
    except ConfigurationError as error:
        return Secured(warnings=(f"{error}; certificates that the operating system trusts are taken instead",))
    # An old root may be known by the certificate that another signed: no reason to warn of the JDK's own store.
    return Secured(found.config)


def system_certificates() -> str | None:
    """Give the file of certificates that the operating system trusts, None where it has none."""
    return next((each for each in SYSTEM_CERTIFICATES if Path(each).is_file()), None)


def _kind(content: bytes) -> str | None:
    if content.startswith(_JKS):
        return "JKS"
    if content.startswith(_JCEKS):
        return "JCEKS"
    return "PKCS12" if content.startswith(_SEQUENCE) else None


def _is_sealed_by(content: bytes, password: str) -> bool:
    """Whether a JKS or JCEKS store ends in the digest that this password gives (`sun.security.provider.JavaKeyStore`)."""
    sealed = password.encode("utf-16-be", "surrogatepass") + b"Mighty Aphrodite" + content[:-_DIGEST_BYTES]
    return hashlib.sha1(sealed).digest() == content[-_DIGEST_BYTES:]  # noqa: S324 the format's own


def _is_pem(content: bytes) -> bool:
    return _PEM in content and _kind(content) not in ("JKS", "JCEKS")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _certificates(text: str) -> list[PemBlock]:
    return [block for block in blocks(text) if block.is_certificate]


def _keys(text: str) -> list[PemBlock]:
    return [block for block in blocks(text) if block.is_key]
