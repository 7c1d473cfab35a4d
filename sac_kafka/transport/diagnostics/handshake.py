"""Make a TLS handshake as the hook's clients do, and report the server's certificate and the failure.

A certificate is read with `cryptography` (the extra `tools`): Python's ssl module decodes only certificates that it trusts, but
untrusted ones need explaining most.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.x509 import Name

NEEDS_CRYPTOGRAPHY = "its details need the package cryptography: install the extra `tools`"
_MAX_SHOWN = 80
_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class PresentedCertificate:
    """The certificate of a server; names as in messages, times in UTC."""

    subject: str
    issuer: str
    starts: datetime
    ends: datetime

    @property
    def summary(self) -> str:
        """Subject, issuer and expiry."""
        return f"{self.subject}, issued by {self.issuer}, until {self.ends:%Y-%m-%d}"

    def days_left(self, now: datetime) -> int:
        """Return the whole days until expiry; negative if expired."""
        return (self.ends - now).days


def read_certificate(der: bytes) -> PresentedCertificate | str:
    """Read a certificate, or return why its details are unknown."""
    try:
        from cryptography.x509 import load_der_x509_certificate
    except ImportError:
        return NEEDS_CRYPTOGRAPHY
    if len(der) > _MAX_BYTES:
        return "it cannot be read"
    try:
        found = load_der_x509_certificate(der)
        starts, ends = found.not_valid_before_utc, found.not_valid_after_utc
        return PresentedCertificate(_common_name(found.subject), _common_name(found.issuer), starts, ends)
    except ValueError:
        return "it cannot be read"


def _common_name(name: Name) -> str:
    """Return the common name, else the organization or its unit, else "unnamed"."""
    from cryptography.x509.oid import NameOID

    for kind, oid in (
        ("CN", NameOID.COMMON_NAME),
        ("O", NameOID.ORGANIZATION_NAME),
        ("OU", NameOID.ORGANIZATIONAL_UNIT_NAME),
    ):
        if found := name.get_attributes_for_oid(oid):
            return f"{kind}={' '.join(str(found[-1].value).split())[:_MAX_SHOWN]}"
    return "unnamed"


class Fault(Enum):
    """Kind of a failed handshake.

    CLIENT: the server ended it with an alert, as if it requires a client certificate.
    """

    EXPIRED = "expired"
    EARLY = "not yet valid"
    OTHER_HOST = "for another host"
    UNTRUSTED = "not trusted"
    NO_TLS = "no TLS"
    SILENT = "no answer"
    CLIENT = "ended by the server"


_OF_CERTIFICATE = {9: Fault.EARLY, 10: Fault.EXPIRED, 62: Fault.OTHER_HOST, 64: Fault.OTHER_HOST}
"""X509_V_ERR_CERT_NOT_YET_VALID, …CERT_HAS_EXPIRED, …HOSTNAME_MISMATCH, …IP_ADDRESS_MISMATCH of OpenSSL's x509_vfy.h."""


@dataclass(frozen=True, slots=True)
class Handshake:
    """Result of a handshake: the server's certificate, or why its details are unknown; the failure with the library's text."""

    certificate: PresentedCertificate | str | None = None
    fault: Fault | None = None
    detail: str = ""


def tls_handshake(host: str, port: int, context: ssl.SSLContext, seconds: float) -> Handshake:
    """Connect and make a handshake, without sending application data; `seconds` is the timeout of each step."""
    try:
        return Handshake(_certificate(host, port, context, seconds))
    except ssl.SSLCertVerificationError as error:
        fault = _OF_CERTIFICATE.get(error.verify_code, Fault.UNTRUSTED)
        return Handshake(_unverified_certificate(host, port, seconds), fault, error.verify_message or "")
    except TimeoutError:
        return Handshake(None, Fault.SILENT)
    except ssl.SSLError as error:
        reason = error.reason or type(error).__name__
        return Handshake(None, Fault.CLIENT if "ALERT" in reason else Fault.NO_TLS, reason)
    except (OSError, ValueError) as error:  # The connection was cut, or the host name is invalid for TLS.
        return Handshake(None, Fault.NO_TLS, getattr(error, "strerror", None) or type(error).__name__)


def unverified_context() -> ssl.SSLContext:
    """Return a TLS context that accepts any certificate, to read it; no data is sent through it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _certificate(host: str, port: int, context: ssl.SSLContext, seconds: float) -> PresentedCertificate | str:
    with (
        socket.create_connection((host, port), timeout=seconds) as connection,
        context.wrap_socket(connection, server_hostname=host) as secured,
    ):
        return read_certificate(secured.getpeercert(binary_form=True) or b"")


def _unverified_certificate(host: str, port: int, seconds: float) -> PresentedCertificate | str | None:
    with contextlib.suppress(OSError, ValueError):
        return _certificate(host, port, unverified_context(), seconds)
    return None
