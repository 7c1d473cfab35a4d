"""Read a server's address and trusted CA from a setting or option. Errors name that setting or option."""

from __future__ import annotations

import ssl
from pathlib import Path

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.http import HAS_CREDENTIALS, address_problem, masked_address, trust_context


def format_setting(name: str, value: object) -> str:
    """Format a setting or option with its value, as the user wrote it.

    >>> format_setting("--server", "http://a"), format_setting("atlas.rest.address", "http://a")
    ('--server http://a', 'atlas.rest.address = http://a')
    """
    return f"{name} {value}" if name.startswith("--") else f"{name} = {value}"


def address_of(text: str, name: str, login: str) -> str:
    """Return an address that credentials may be sent to.

    Args:
        text: The address.
        name: Name of its setting or option.
        login: Settings or options for credentials, for the error text.

    Raises:
        ConfigurationError: The address is invalid, or contains credentials.
    """
    problem = address_problem(text)
    if problem is not None:
        fix = f": give them by {login}" if problem == HAS_CREDENTIALS else ""
        raise ConfigurationError(f"{format_setting(name, masked_address(text))}: {problem}{fix}")
    return text


def addresses_of(text: str, name: str, login: str) -> tuple[str, ...]:
    """Return the addresses of a comma-separated setting; the default scheme is http://.

    Arguments and errors are those of `address_of`.
    """
    if "@" in text:  # Before the split, as a password may contain a comma.
        address_of(text, name, login)
    found = filter(None, map(str.strip, text.split(",")))  # The Spark Atlas Connector's default has http://, too.
    return tuple(address_of(each if "://" in each else f"http://{each}", name, login) for each in found)


def tls_context(ca_file: str | Path | None, name: str) -> ssl.SSLContext:
    """Return a TLS context that trusts the certificates of a PEM file, or those that the system trusts.

    Args:
        ca_file: The PEM file; None for the system's CAs.
        name: Name of its setting or option.

    Raises:
        ConfigurationError: The file cannot be read, or has no certificate.
    """
    try:
        return trust_context(Path(ca_file) if ca_file else None)
    except OSError as error:  # OpenSSL's message for a file that is not PEM does not help a user.
        reason = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror or error
        raise ConfigurationError(
            f"{format_setting(name, ca_file)}: {reason}; name a PEM file of certificates"
        ) from None
