"""The credentials of azure-identity: the only file that imports it, as it comes with the extra `sac-kafka[entra]`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sac_kafka.config.choices import EntraCredential
from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.endpoints import tls_context
from sac_kafka.transport.entra.identity import PREFIX, EntraIdentity

if TYPE_CHECKING:
    from azure.core.credentials import SupportsTokenInfo

Fetch = Callable[[str], tuple[str, int]]
"""Asks for a token of a scope: gives its text, and when it ends in epoch seconds."""

_MISSING = "a token of Entra ID by {kind} needs the library azure-identity: pip install 'sac-kafka[entra]' where the driver runs"
_QUIET = logging.NullHandler()
_RETRIES = 1  # the caller's deadline and breaker are behind this: the library would go on for minutes
_METADATA_CONNECT_SECONDS = 2.0  # the metadata service is on the machine, or there is none


def fetch_of(identity: EntraIdentity, timeout_seconds: float) -> Fetch:
    """Give what asks for tokens; it keeps those of azure-identity's own cache.

    Raises:
        ConfigurationError: The library is not there, or cannot do with the certificate.
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

    # What it logs is in its exceptions, too. Without a handler Python would write it to standard error beside our sentence.
    for library in ("azure.identity", "msal"):
        logging.getLogger(library).addHandler(_QUIET)
    options: dict[str, Any] = {"retry_total": _RETRIES, "read_timeout": timeout_seconds}
    if identity.ca_file:
        options["connection_verify"] = _checked(identity.ca_file)
    if identity.kind is EntraCredential.MANAGED_IDENTITY:
        # Without the pod's identity in place of it: who wants that says so.
        return azure.ManagedIdentityCredential(
            client_id=identity.client or None,
            connection_timeout=min(timeout_seconds, _METADATA_CONNECT_SECONDS),
            _exclude_workload_identity_credential=True,
            **options,
        )
    who = {"tenant_id": identity.tenant, "client_id": identity.client}
    options |= {
        "authority": identity.authority,
        "connection_timeout": timeout_seconds,
        "disable_instance_discovery": True,  # the authority is a setting; who sets it knows his cloud
    }
    match identity.kind:
        case EntraCredential.SECRET:
            return azure.ClientSecretCredential(**who, client_secret=identity.proof.text, **options)
        case EntraCredential.WORKLOAD_IDENTITY:
            return azure.WorkloadIdentityCredential(**who, token_file_path=identity.proof.text, **options)
        case _:
            return _certificate(identity, who, options)


def _checked(ca_file: str) -> str:
    """The library would say that it cannot log in, and nothing of whose file it is."""
    tls_context(ca_file, f"{PREFIX}ca.file")
    return ca_file


def _certificate(identity: EntraIdentity, who: dict[str, str], options: dict[str, Any]) -> SupportsTokenInfo:
    import azure.identity as azure

    path, place = identity.proof.text, identity.proof.place
    try:
        return azure.CertificateCredential(**who, certificate_path=path, password=identity.password, **options)
    except OSError as error:
        raise ConfigurationError(
            f"{place} = {path}: it cannot be read: {error.strerror}; name a PEM or PKCS #12 file"
        ) from None
    except (ValueError, TypeError):  # of cryptography; its texts do not say which of these it is
        raise ConfigurationError(
            f"{place} = {path}: it must hold a certificate and its RSA private key (PEM or PKCS #12), and the certificate's "
            "password must be right"
        ) from None
