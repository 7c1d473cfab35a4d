"""Provide tokens that are cached until shortly before they expire, requested with a deadline, one call at a time.

No other module imports azure-identity, which is the extra `sac-kafka[entra]`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.declarations.choices import EntraCredential
from sac_kafka.transport.http.addresses import tls_context
from sac_kafka.transport.http.entra.identity import PREFIX, EntraIdentity

if TYPE_CHECKING:
    from azure.core.credentials import SupportsTokenInfo
import base64
import binascii
import json
import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.deadlines import SharedCalls
from sac_kafka.settings.entra import Entra
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.http.entra.errors import EntraError, explain
from sac_kafka.transport.http.entra.identity import identity_of

Fetch = Callable[[str], tuple[str, int]]
"""Request a token for a scope; returns its text and its expiry in epoch seconds."""

_MISSING = (
    "a token of Entra ID by {kind} needs the library azure-identity: pip install azure-identity where the driver runs"
)
_QUIET = logging.NullHandler()
_RETRIES = 1  # The caller has a deadline and a circuit breaker: by default the library retries for minutes.
_METADATA_CONNECT_SECONDS = 2.0  # The metadata service is local, or does not exist.
PURVIEW = "https://purview.azure.net/.default"
"""The scope of Purview's REST interfaces."""
_RENEW_EARLY_MS = 300_000  # azure-identity renews at five minutes before expiry, too.
_PAUSE_MS = 30_000  # After a failed renewal, while the old token is valid.


def fetch_of(identity: EntraIdentity, timeout_seconds: float) -> Fetch:
    """Return a function that requests tokens; azure-identity caches them.

    Raises:
        ConfigurationError: The library is not installed, or rejects the certificate.
    """
    try:
        credential = _credential(identity, timeout_seconds)
    except ImportError:
        raise ConfigurationError(_MISSING.format(kind=identity.kind.value)) from None

    def fetch(scope: str) -> tuple[str, int]:
        token = credential.get_token_info(scope)
        return token.token, token.expires_on

    return fetch


def _credential(identity: EntraIdentity, timeout_seconds: float) -> SupportsTokenInfo:
    import azure.identity as azure

    # Its log texts are in its exceptions, too. Without a handler, Python would print them to standard error.
    for library in ("azure.identity", "msal"):
        logging.getLogger(library).addHandler(_QUIET)
    options: dict[str, Any] = {"retry_total": _RETRIES, "read_timeout": timeout_seconds}
    if identity.ca_file:
        tls_context(identity.ca_file, f"{PREFIX}ca.file")  # A check, as the library's error would not name the file.
        options["connection_verify"] = identity.ca_file
    if identity.kind is EntraCredential.MANAGED_IDENTITY:
        # Workload identity has its own kind, so it must not replace the managed identity.
        return azure.ManagedIdentityCredential(
            client_id=identity.client or None,
            connection_timeout=min(timeout_seconds, _METADATA_CONNECT_SECONDS),
            _exclude_workload_identity_credential=True,
            **options,
        )
    application = {"tenant_id": identity.tenant, "client_id": identity.client}
    options |= {
        "authority": identity.authority,
        "connection_timeout": timeout_seconds,
        "disable_instance_discovery": True,  # The authority is a setting, so it is trusted.
    }
    match identity.kind:
        case EntraCredential.SECRET:
            return azure.ClientSecretCredential(**application, client_secret=identity.proof.text, **options)
        case EntraCredential.WORKLOAD_IDENTITY:
            return azure.WorkloadIdentityCredential(**application, token_file_path=identity.proof.text, **options)
        case _:
            return _certificate(identity, application, options)


def _certificate(identity: EntraIdentity, application: dict[str, str], options: dict[str, Any]) -> SupportsTokenInfo:
    import azure.identity as azure

    path, place = identity.proof.text, identity.proof.place
    try:
        return azure.CertificateCredential(**application, certificate_path=path, password=identity.password, **options)
    except OSError as error:
        raise ConfigurationError(
            f"{place} = {path}: it cannot be read: {error.strerror}; name a PEM or PKCS #12 file"
        ) from None
    except (ValueError, TypeError):  # Raised by cryptography; its texts do not distinguish the causes.
        raise ConfigurationError(
            f"{place} = {path}: it must hold a certificate and its RSA private key (PEM or PKCS #12), and the certificate's "
            "password must be right"
        ) from None


@dataclass(frozen=True, slots=True)
class EntraToken:
    """A token, and its expiry in epoch milliseconds."""

    text: str = field(repr=False)
    expires_ms: int


class EntraTokenSource:
    """Thread-safe source of tokens of Entra ID.

    Args:
        identity: Identity of the requests.
        timeout_seconds: Maximum time that a caller waits.
        connect: Creates the function that requests tokens, initially and after `forget`.
        clock: Returns epoch seconds.
    """

    def __init__(
        self,
        identity: EntraIdentity,
        timeout_seconds: float = 10.0,
        *,
        connect: Callable[[EntraIdentity, float], Fetch] = fetch_of,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.identity = identity
        self._timeout = timeout_seconds
        self._connect = connect
        self._clock = clock
        self._lock = threading.Lock()
        self._fetch: Fetch | None = None
        self._cached: dict[str, tuple[EntraToken, int]] = {}  # by scope, with the time from which it is renewed
        self._calls = SharedCalls[tuple[str, int]]()

    @classmethod
    def of(cls, entra: Entra, environ: Mapping[str, str] | None = None) -> EntraTokenSource:
        """Return the source for the settings, without any request.

        Raises:
            ConfigurationError: A value is missing or invalid.
        """
        return cls(identity_of(entra, environ), entra.timeout_seconds)

    def token(self, scope: str, timeout_seconds: float = math.inf) -> EntraToken:
        """Return a token for a scope, renewed shortly before it expires.

        A failed renewal is not reported while the old token is valid. Waits `timeout_seconds` at most, and no longer than the
        source's own timeout.

        Raises:
            EntraError: No token is available.
            ConfigurationError: The library is missing, or a file is invalid.
        """
        with self._lock:
            cached, renew_ms = self._cached.get(scope, (None, 0))
        if cached is not None and self._now_ms() < renew_ms:
            return cached
        try:
            token = (
                self._configured_token()
                if self.identity.kind is EntraCredential.TOKEN
                else self._request(scope, timeout_seconds)
            )
        except (EntraError, ConfigurationError):
            now = self._now_ms()
            if cached is None or cached.expires_ms <= now:
                raise
            token, renew_ms = cached, now + _PAUSE_MS
        else:
            renew_ms = token.expires_ms - min(_RENEW_EARLY_MS, max(0, token.expires_ms - self._now_ms()) // 2)
        with self._lock:
            self._cached[scope] = token, min(renew_ms, token.expires_ms)
        return token

    def forget(self) -> None:
        """Discard all tokens, because a server refused one before its expiry."""
        self._calls.forget()
        with self._lock:
            self._cached.clear()
            self._fetch = None  # azure-identity caches tokens, too.

    def _request(self, scope: str, timeout_seconds: float) -> EntraToken:
        try:
            text, end = self._calls.result(scope, lambda: self._get_fetch()(scope), min(self._timeout, timeout_seconds))
        except ConfigurationError:
            raise
        except Exception as error:  # noqa: BLE001 (azure-identity and its dependencies may raise anything)
            raise explain(error, self.identity, scope) from None
        if end * 1000 <= self._now_ms():
            raise EntraError(
                "the token of Entra ID has already expired: set this machine's clock", FailureKind.NEEDS_ACTION
            )
        return EntraToken(text, end * 1000)

    def _get_fetch(self) -> Fetch:
        """Return the function that requests tokens. Called in the request's thread: importing the library is slow."""
        fetch = self._fetch
        if fetch is None:
            fetch = self._fetch = self._connect(self.identity, self._timeout)
        return fetch

    def _configured_token(self) -> EntraToken:
        proof = self.identity.proof
        token = EntraToken(proof.text, expiry_ms(proof.text, proof.place))
        if token.expires_ms <= self._now_ms():
            raise EntraError(f"the token in {proof.place} has expired: get a new one", FailureKind.NEEDS_ACTION)
        return token

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def expiry_ms(token: str, place: str) -> int:
    """Return the expiry of a token in epoch milliseconds.

    Raises:
        ConfigurationError: The text is no token of Entra ID.
    """
    try:
        payload = token.split(".", 2)[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return int(claims["exp"]) * 1000
    except (IndexError, KeyError, TypeError, ValueError, binascii.Error, RecursionError, OverflowError):
        raise ConfigurationError(
            f"{place}: holds no token of Entra ID (a JSON web token with the claim exp): give what "
            "az account get-access-token --resource https://purview.azure.net calls accessToken"
        ) from None
