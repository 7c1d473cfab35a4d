"""What people give of a server over HTTP: its addresses, and whom to trust. Errors name the setting or the option."""

from __future__ import annotations

import ssl
from pathlib import Path

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.http import WITH_LOGIN, address_problem, shown_address, trusting


def given(name: str, value: object) -> str:
    """Say what was given, as people write it.

    >>> given("--server", "http://a"), given("atlas.rest.address", "http://a")
    ('--server http://a', 'atlas.rest.address = http://a')
    """
    return f"{name} {value}" if name.startswith("--") else f"{name} = {value}"


def address_of(text: str, name: str, login: str) -> str:
    """Give an address that credentials may go to.

    Args:
        text: The address.
        name: Of the setting or option that gives it.
        login: What errors call the ways to log in.

    Raises:
        ConfigurationError: It is none, or holds a log-in.
    """
    problem = address_problem(text)
    if problem is not None:
        cure = f": give them by {login}" if problem == WITH_LOGIN else ""
        raise ConfigurationError(f"{given(name, shown_address(text))}: {problem}{cure}")
    return text


def addresses_of(text: str, name: str, login: str) -> tuple[str, ...]:
    """Give the addresses of a setting, which are separated by commas; without a scheme one is http://.

    Arguments and errors are those of `address_of`.
    """
    if "@" in text:  # before it is divided: a comma may be a password's
        address_of(text, name, login)
    found = filter(None, map(str.strip, text.split(",")))  # http:// is what the Spark Atlas Connector's default has
    return tuple(address_of(each if "://" in each else f"http://{each}", name, login) for each in found)


def trusted(ca_file: str | Path | None, name: str) -> ssl.SSLContext:
    """Make what trusts the certificates of a PEM file, or those that the system trusts.

    Args:
        ca_file: The file.
        name: Of the setting or option that gives it.

    Raises:
        ConfigurationError: It cannot be read, or holds no certificate.
    """
    try:
        return trusting(Path(ca_file) if ca_file else None)
    except OSError as error:  # OpenSSL speaks of a file that is no PEM in its own way
        why = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror or error
        raise ConfigurationError(f"{given(name, ca_file)}: {why}; name a PEM file of certificates") from None
