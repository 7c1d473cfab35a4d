"""Find the fault of a broker's certificate with Python's own TLS.

librdkafka has one error text for an untrusted CA, a certificate for another host, and an expired certificate.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Mapping
from typing import Any

_TIMEOUT_SECONDS = 2.0
_ADDRESS = re.compile(r"(?:sasl_)?ssl://(\[[^\[\]]+\]|[^:/\s]+):(\d+)")


def fault_of_certificate(text: str, config: Mapping[str, Any]) -> str | None:
    """Return the broker's address and OpenSSL's reason why its certificate is not trusted; None if it is unknown.

    Args:
        text: librdkafka's error, which begins with the broker's address.
        config: librdkafka's settings.
    """
    address = _ADDRESS.search(text)
    if address is None:
        return None
    host, port = address[1].strip("[]"), int(address[2])
    try:
        context = trust_of(config)
        with (
            socket.create_connection((host, port), timeout=_TIMEOUT_SECONDS) as connection,
            context.wrap_socket(connection, server_hostname=host),
        ):
            return None
    except ssl.SSLCertVerificationError as error:
        return f"{address[0]}: certificate verify failed: {error.verify_message}" if error.verify_message else None
    except (OSError, ValueError):
        return None


def trust_of(config: Mapping[str, Any]) -> ssl.SSLContext:
    """Return a TLS context with the same trust as librdkafka has with these settings; raises OSError for unreadable files."""
    pem, location = config.get("ssl.ca.pem"), config.get("ssl.ca.location")
    if pem:
        context = ssl.create_default_context(cadata=str(pem))
    else:
        context = ssl.create_default_context(cafile=str(location) if location else None)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # librdkafka does not set this flag
    context.check_hostname = str(config.get("ssl.endpoint.identification.algorithm", "https")).lower() != "none"
    return context
