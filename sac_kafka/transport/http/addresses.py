"""Check the addresses of HTTP servers, find their proxies, and read them from settings or options."""

from __future__ import annotations

import ipaddress
import re
import ssl
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import MASK, mask_text

HAS_CREDENTIALS = "holds a user name or password"
_NO_ADDRESS = "is no address: it is like https://atlas.example.org:21443"
_HIDDEN = re.compile(r"((?<!:):(?!:|\d{1,5}(?:[/?#,]|$))|[?#]).*", re.DOTALL)  # a port that is not numeric, parameters
_ENDS = ("/catalog", "/datamap")
"""Suffixes of an Atlas endpoint, after the account's address."""


def address_problem(address: str) -> str | None:
    """Return what is wrong with an address, without quoting it; None if it is valid."""
    if "@" in address:  # Anywhere: after an unescaped / in a password, urlsplit misses the user info.
        return HAS_CREDENTIALS
    try:
        parts = urllib.parse.urlsplit(address)
        _ = parts.port
    except ValueError:
        return _NO_ADDRESS
    if parts.scheme not in {"http", "https"} or not parts.hostname or any(each.isspace() for each in address):
        return _NO_ADDRESS
    if parts.query or parts.fragment:
        return "must be without parameters, like https://atlas.example.org:21443"
    if "/api/atlas" in parts.path:
        return "is a whole endpoint: give the part before /api/atlas"
    return _NO_ADDRESS if mask_text(address) != address else None


def masked_address(address: str) -> str:
    """Return an address with its user info, an invalid port and its parameters masked.

    >>> masked_address("https://ada:a/b?c@d@atlas:21443"), masked_address("atlas:secret"), masked_address("http://a?b=c")
    ('https://********@atlas:21443', 'atlas:********', 'http://a?********')
    """
    scheme, separator, rest = address.partition("://")
    start = scheme + separator if separator and scheme.isalnum() else ""
    _, is_at, rest = address[len(start) :].rpartition("@")
    return mask_text(start + (f"{MASK}@" if is_at else "") + _HIDDEN.sub(rf"\1{MASK}", rest))


def is_unencrypted(address: str) -> bool:
    """Return whether requests go unencrypted to another machine."""
    parts = urllib.parse.urlsplit(address)
    return parts.scheme == "http" and not _is_here(parts.hostname)


def _is_here(host: str | None) -> bool:
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost"


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


def trust_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return a TLS context that trusts the certificates of a PEM file, or those that the system trusts.

    Raises:
        OSError: The file cannot be read or holds no certificates (`ssl.SSLError` is one).
    """
    return ssl.create_default_context(cafile=str(ca_file) if ca_file else None)


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


def proxy_of(address: str) -> str | None:
    """Return the proxy for an address, without its credentials; None for a direct connection."""
    parts = urlsplit(address)
    proxy = urllib.request.getproxies().get(parts.scheme)
    return masked_address(proxy) if proxy and not urllib.request.proxy_bypass(parts.netloc) else None


def account_of(address: str) -> str:
    """Return an address without the parts after the account's.

    >>> account_of(" https://contoso.purview.azure.com/catalog/api/atlas/v2/ "), account_of("contoso.purview.azure.com/")
    ('https://contoso.purview.azure.com', 'contoso.purview.azure.com')
    """
    bare = address.strip().rstrip("/").partition("/api/atlas")[0]
    return next((bare.removesuffix(end) for end in _ENDS if bare.endswith(end)), bare)
