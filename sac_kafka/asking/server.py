"""An Atlas server's REST interface: all who ask it for something ask here."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sac_kafka.asking.errors import Question, RestError, object_of, of_answer, of_none
from sac_kafka.asking.words import IN_THE_CONFIGURATION, ON_THE_COMMAND_LINE, Words
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.rest import Rest
from sac_kafka.transport.given import addresses_of, trusted
from sac_kafka.transport.http import REDIRECTIONS, HttpServer, UnansweredError
from sac_kafka.transport.proxies import proxy_of

NO_ADDRESS = (
    "atlas.rest.address is not set: it is the Atlas server that is asked; set it, as in "
    "atlas.rest.address = https://atlas.example.org:21443 (a command: --conf atlas.rest.address=URL)"
)


class JsonServer(ABC):
    """What is asked in JSON over HTTP."""

    def get(self, path: str) -> dict[str, Any]:
        """The answer to a GET."""
        return self.ask("GET", path, None)

    def post(self, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401 # whatever JSON can say
        """The answer to a POST."""
        return self.ask("POST", path, json.dumps(body).encode())

    def put(self, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401
        """The answer to a PUT."""
        return self.ask("PUT", path, json.dumps(body).encode())

    @abstractmethod
    def ask(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        """The answer to any request.

        Raises:
            RestError: The server does not answer, refuses, or answers no JSON object.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where a server is and who asks.

    Args:
        addresses: Of one server, checked; the next is asked where one does not answer, or leads elsewhere.
        user: Who asks, with `password`; or `token`.
        ca_file: PEM certificates to trust; None those of the system.
        timeout_seconds: How long a request may take, all addresses together.
        words: What errors call all this.
    """

    addresses: tuple[str, ...]
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    ca_file: str | Path | None = None
    timeout_seconds: float = 60
    words: Words = ON_THE_COMMAND_LINE


class AtlasServer(JsonServer):
    """Asks the address that has answered last, then the others.

    Args:
        access: Where it is and who asks.

    Raises:
        ConfigurationError: The file of certificates is none.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        tls = trusted(access.ca_file, access.words.ca_file)
        self._servers = deque(
            HttpServer(address=each, user=access.user, password=access.password, token=access.token, tls=tls)
            for each in access.addresses
        )

    @property
    def http(self) -> HttpServer:
        """The address that is asked first."""
        return self._servers[0]

    @property
    def address(self) -> str:
        """The address that is asked first."""
        return self.http.address

    def ask(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        """The answer of the first address that has one; without any what is wrong with the most telling."""
        deadline, failures = time.monotonic() + self._access.timeout_seconds, []
        for left in range(len(self._servers), 0, -1):
            try:
                return self._ask(method, path, body, max(0.0, deadline - time.monotonic()) / left)
            except RestError as error:  # noqa: PERF203 the next address may do
                failures.append(error)
                if not error.is_elsewhere:
                    break
                self._servers.rotate(-1)
        raise next((each for each in failures if each.status not in REDIRECTIONS), failures[0])

    def _ask(self, method: str, path: str, body: bytes | None, timeout_seconds: float) -> dict[str, Any]:
        server = self.http
        asked = Question(
            method=method,
            address=server.address,
            path=path,
            words=self._access.words,
            timeout_seconds=timeout_seconds,
            proxy=proxy_of(server.address),
            secrets=server.secrets,
        )
        try:
            answer = server.ask(method, path, body, timeout_seconds)
        except UnansweredError as error:
            raise of_none(asked, error) from None
        failure = of_answer(asked, answer)
        if failure is not None:
            raise failure
        return object_of(asked, answer)


def access_of(rest: Rest, timeout_seconds: float, words: Words = IN_THE_CONFIGURATION) -> Access | None:
    """Give the Atlas server of the settings, None where they name none.

    Args:
        rest: The settings.
        timeout_seconds: How long a request may take.
        words: What errors call them.

    Raises:
        ConfigurationError: An address is none.
    """
    words = replace(words, server=rest.query_address_key)
    addresses = addresses_of(rest.query_address or "", words.server, words.login)
    if not addresses:
        return None
    return Access(
        addresses=addresses,
        user=rest.user if rest.password else None,
        password=rest.password,
        token=rest.token,
        ca_file=rest.ca_file,
        timeout_seconds=timeout_seconds,
        words=words,
    )


def server_of(rest: Rest, timeout_seconds: float, words: Words = IN_THE_CONFIGURATION) -> AtlasServer:
    """Give the Atlas server of the settings.

    Arguments and errors are those of `access_of`; it is an error, too, that they name none.
    """
    access = access_of(rest, timeout_seconds, words)
    if access is None:
        raise ConfigurationError(NO_ADDRESS)
    return AtlasServer(access)
