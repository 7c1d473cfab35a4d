"""Create credentials of azure-identity. No other module imports that library, which is the extra `sac-kafka[entra]`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.declarations.choices import EntraCredential
from sac_kafka.transport.endpoints import tls_context
from sac_kafka.transport.entra.identity import PREFIX, EntraIdentity

if TYPE_CHECKING:
    from azure.core.credentials import SupportsTokenInfo

Fetch = Callable[[str], tuple[str, int]]
"""Request a token for a scope; returns its text and its expiry in epoch seconds."""

_MISSING = "a token of Entra ID by {kind} needs the library azure-identity: pip install 'sac-kafka[entra]' where the driver runs"
_QUIET = logging.NullHandler()
_RETRIES = 1  # The caller has a deadline and a circuit breaker: by default the library retries for minutes.
_METADATA_CONNECT_SECONDS = 2.0  # The metadata service is local, or does not exist.


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
        options["connection_verify"] = _checked(identity.ca_file)
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


def _checked(ca_file: str) -> str:
    """Check the CA file, as the library's error would not name it."""
    tls_context(ca_file, f"{PREFIX}ca.file")
    return ca_file


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
