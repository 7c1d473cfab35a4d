"""A handshake of TLS as a client of ours would make it: the certificate that a server shows, and what is wrong with it."""

from __future__ import annotations

import contextlib
import socket
import ssl
from dataclasses import dataclass
from enum import Enum

from sac_kafka.transport.examining.certificates import PresentedCertificate, read_certificate


class Fault(Enum):
    """Why a handshake came to nothing.

    CLIENT: the server ends it by an alert, as it does where it wants a certificate of the client that has none here.
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
    """What came of it: the certificate, as far as one was shown, and the fault with what the library says of it."""

    certificate: PresentedCertificate | None = None
    fault: Fault | None = None
    detail: str = ""


def shake_hands(host: str, port: int, context: ssl.SSLContext, seconds: float) -> Handshake:
    """Connect and make a handshake; nothing is sent. Each step of it may take so many seconds.

    Args:
        host: The server, by the name that its certificate has to be for.
        port: Its port.
        context: Whom to trust.
        seconds: The longest wait for each answer.
    """
    try:
        return Handshake(_shown(host, port, context, seconds))
    except ssl.SSLCertVerificationError as error:
        fault = _OF_CERTIFICATE.get(error.verify_code, Fault.UNTRUSTED)
        return Handshake(_shown_to_anybody(host, port, seconds), fault, error.verify_message or "")
    except TimeoutError:
        return Handshake(None, Fault.SILENT)
    except ssl.SSLError as error:
        reason = error.reason or type(error).__name__
        return Handshake(None, Fault.CLIENT if "ALERT" in reason else Fault.NO_TLS, reason)
    except (OSError, ValueError) as error:  # it is cut, or the name is none that TLS knows
        return Handshake(None, Fault.NO_TLS, getattr(error, "strerror", None) or type(error).__name__)


def trusting_anybody() -> ssl.SSLContext:
    """A context that looks at certificates without judging them; nothing is ever sent through it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _shown(host: str, port: int, context: ssl.SSLContext, seconds: float) -> PresentedCertificate | None:
    with (
        socket.create_connection((host, port), timeout=seconds) as connection,
        context.wrap_socket(connection, server_hostname=host) as secured,
    ):
        return read_certificate(secured.getpeercert(binary_form=True) or b"")


def _shown_to_anybody(host: str, port: int, seconds: float) -> PresentedCertificate | None:
    with contextlib.suppress(OSError, ValueError):
        return _shown(host, port, trusting_anybody(), seconds)
    return None
