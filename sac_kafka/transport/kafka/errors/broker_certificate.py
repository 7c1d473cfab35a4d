"""What is wrong with a broker's certificate, by looking at it with Python's own TLS.

librdkafka says the same of a certificate whose CA is not trusted, that is for another host, or that is expired.
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
    """Give broker and reason why its certificate is not trusted, in OpenSSL's words; None if that cannot be told.

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
    """Whom librdkafka trusts with these settings; raises OSError where that cannot be read."""
    pem, location = config.get("ssl.ca.pem"), config.get("ssl.ca.location")
    if pem:
        context = ssl.create_default_context(cadata=str(pem))
    else:
        context = ssl.create_default_context(cafile=str(location) if location else None)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # librdkafka is not that strict
    context.check_hostname = str(config.get("ssl.endpoint.identification.algorithm", "https")).lower() != "none"
    return context
