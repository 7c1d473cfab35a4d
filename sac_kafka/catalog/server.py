"""Client of the REST interface of an Atlas server, with one or more addresses."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sac_kafka.catalog.errors import COMMAND_OPTIONS, RestError, json_object, unanswered_error
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.rest import Rest
from sac_kafka.transport.http.addresses import addresses_of, tls_context
from sac_kafka.transport.http.client import REDIRECTIONS, HttpServer, UnansweredError
from sac_kafka.transport.http.failures import CONFIGURATION_KEYS, HttpAttempt, OptionNames, Use

NO_ADDRESS = (
    "atlas.rest.address is not set: set the address of the Atlas server, such as "
    "atlas.rest.address = https://atlas.example.org:21443 (for a command: --conf atlas.rest.address=URL)"
)


class JsonServer(ABC):
    """Server that answers requests with JSON over HTTP."""

    def get(self, path: str) -> dict[str, Any]:
        """Send a GET request and return the answer."""
        return self.request("GET", path, None)

    def post(self, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401 # any JSON value
        """Send a POST request and return the answer."""
        return self.request("POST", path, json.dumps(body).encode())

    def put(self, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401
        """Send a PUT request and return the answer."""
        return self.request("PUT", path, json.dumps(body).encode())

    @abstractmethod
    def request(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        """Send a request and return the answer.

        Raises:
            RestError: The server does not answer, answers with an error, or with anything but a JSON object.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Addresses and login of a server.

    Args:
        addresses: Validated addresses of one server; the next one is tried if one does not answer or redirects.
        user: The user, with `password`; alternatively `token`.
        ca_file: PEM certificates to trust; None for those of the system.
        timeout_seconds: Maximum duration of a request, over all addresses.
        names: Names of the options or settings, for errors.
    """

    addresses: tuple[str, ...]
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    ca_file: str | Path | None = None
    timeout_seconds: float = 60
    names: OptionNames = COMMAND_OPTIONS


class AtlasServer(JsonServer):
    """Atlas server; the address that answered last is tried first.

    Args:
        access: Its addresses and login.

    Raises:
        ConfigurationError: The file of CA certificates is invalid.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        tls = tls_context(access.ca_file, access.names.ca_file)
        self._servers = deque(
            HttpServer(address=address, user=access.user, password=access.password, token=access.token, tls=tls)
            for address in access.addresses
        )

    @property
    def http(self) -> HttpServer:
        """HTTP client of the current address."""
        return self._servers[0]

    @property
    def address(self) -> str:
        """Current address."""
        return self.http.address

    def request(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        """Return the answer of the first address that gives one, else raise the most useful of their errors."""
        deadline, failures = time.monotonic() + self._access.timeout_seconds, []
        for left in range(len(self._servers), 0, -1):
            try:
                return self._request(method, path, body, max(0.0, deadline - time.monotonic()) / left)
            except RestError as error:  # noqa: PERF203 the next address may succeed
                failures.append(error)
                if not error.is_elsewhere:
                    break
                self._servers.rotate(-1)
        raise next((failure for failure in failures if failure.status not in REDIRECTIONS), failures[0])

    def _request(self, method: str, path: str, body: bytes | None, timeout_seconds: float) -> dict[str, Any]:
        server = self.http
        attempt = HttpAttempt(use=Use.QUERY, server=server, names=self._access.names, method=method, path=path)
        try:
            answer = server.request(method, path, body, timeout_seconds)
        except UnansweredError as error:
            raise unanswered_error(attempt, error) from None
        return json_object(attempt, answer)


def access_of(rest: Rest, timeout_seconds: float, names: OptionNames = CONFIGURATION_KEYS) -> Access | None:
    """Return access to the Atlas server of the settings; None if none is configured.

    Args:
        rest: The settings.
        timeout_seconds: Maximum duration of a request.
        names: Names of the options or settings, for errors.

    Raises:
        ConfigurationError: An address is invalid.
    """
    names = replace(names, server=rest.query_address_key)
    addresses = addresses_of(rest.query_address or "", names.server, names.login)
    if not addresses:
        return None
    return Access(
        addresses=addresses,
        user=rest.user if rest.password else None,
        password=rest.password,
        token=rest.token,
        ca_file=rest.ca_file,
        timeout_seconds=timeout_seconds,
        names=names,
    )


def server_of(rest: Rest, timeout_seconds: float, names: OptionNames = CONFIGURATION_KEYS) -> AtlasServer:
    """Return the Atlas server of the settings; arguments as of `access_of`.

    Raises:
        ConfigurationError: No address is configured, or one is invalid.
    """
    access = access_of(rest, timeout_seconds, names)
    if access is None:
        raise ConfigurationError(NO_ADDRESS)
    return AtlasServer(access)
