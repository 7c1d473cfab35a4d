"""Provide OAUTHBEARER tokens to librdkafka: from a user's function, or from a file.

librdkafka requests a token in its own thread at the start and before a token expires, and blocks until it gets one.
Functions are therefore called with a timeout.
"""

from __future__ import annotations

import base64
import binascii
import importlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sac_kafka.deadlines import SharedCalls
from sac_kafka.errors import ConfigurationError, LateError, SacKafkaError
from sac_kafka.masking import mask_text

OAuthToken = tuple[str, float, str, dict[str, str]]
"""Token, expiry (epoch seconds), principal and SASL extensions, as required by confluent-kafka."""

_TIMEOUT_SECONDS = 8.0  # librdkafka's own timeout is 10 s
_FORMS = "a JWT as str, or (token, expiry in epoch seconds[, principal[, extensions]])"


class TokenError(SacKafkaError):
    """Raised if there is no token; the message is one line with the reason, without secrets."""


class TokenSource:
    """A source of tokens that calls a function with a timeout; calls never run concurrently.

    Args:
        fetch: Called with librdkafka's `sasl.oauthbearer.config`; returns one of the forms accepted by `token_of`.
        place: Name of the source in errors.
        timeout_seconds: Maximum time to wait for the function.
    """

    def __init__(self, fetch: Callable[[str], Any], place: str, timeout_seconds: float = _TIMEOUT_SECONDS) -> None:
        self._fetch = fetch
        self._place = place
        self._timeout_seconds = timeout_seconds
        self._calls = SharedCalls[Any]()  # librdkafka's thread calls, and the worker before a client is created
        self._prepared: OAuthToken | None = None
        self.problem: str | None = None

    def prepare(self, config: str = "") -> None:
        """Get the first token before the producer is created; without one it would block 10 s and not report the reason.

        Raises:
            ConfigurationError: There is no token; the message is `problem`.
        """
        try:
            self._prepared = self(config)
        except TokenError as error:
            raise ConfigurationError(str(error)) from None

    def __call__(self, config: str) -> OAuthToken:
        """Return a token, or set `problem` to the reason why there is not one.

        Raises:
            TokenError: There is no token.
        """
        prepared, self._prepared = self._prepared, None
        if prepared is not None and prepared[1] > time.time():
            return prepared
        try:
            token = token_of(self._call_function(config))
            if token[1] <= time.time():
                raise TokenError("the returned token has expired; check this machine's clock")
        except Exception as error:  # noqa: BLE001 (a user's function may raise anything; librdkafka gets one line)
            reason = str(error) if isinstance(error, TokenError) else f"{type(error).__name__}: {error}"
            self.problem = f"{self._place}: {mask_text(' '.join(reason.split()))[:300]}"
            raise TokenError(self.problem) from None
        self.problem = None
        return token

    def _call_function(self, config: str) -> Any:  # noqa: ANN401 (the result of a user's function)
        try:
            return self._calls.result("", lambda: self._fetch(config), self._timeout_seconds)
        except LateError:
            raise TokenError(f"timed out after {self._timeout_seconds:g} s; make the function faster") from None


def import_function(name: str, key: str) -> Callable[[str], Any]:
    """Import the function `module:function`, which is the value of the setting `key`.

    Raises:
        ConfigurationError: The function cannot be imported.
    """
    module, _, attribute = name.partition(":")
    if not module or not attribute.isidentifier():
        raise ConfigurationError(f"{key} = {name}: must be module:function, as in company.tokens:kafka_token")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # noqa: BLE001 (importing a user's module can raise anything)
        raise ConfigurationError(
            f"{key} = {name}: cannot be loaded: {type(error).__name__}: {mask_text(str(error))[:200]}; ship the module with "
            "the job (--py-files)"
        ) from None
    if not callable(found):
        raise ConfigurationError(f"{key} = {name}: is not a function")
    return found  # type: ignore[no-any-return]


def from_file(path: str) -> Callable[[str], str]:
    """Return a function that reads a JWT from a file at each call, because the file is replaced at renewal."""

    def read(_config: str) -> str:
        try:
            return Path(path).read_text("utf-8").strip()
        except OSError as error:
            raise TokenError(f"the file cannot be read: {error.strerror}") from None

    return read


def token_of(answer: Any) -> OAuthToken:  # noqa: ANN401 (the result of a user's function)
    """Convert a JWT, or a tuple like that of confluent-kafka's `oauth_cb`, to a token for librdkafka.

    Raises:
        TokenError: The value is neither.
    """
    if isinstance(answer, str):
        claims = _claims(answer)
        end = claims.get("exp")
        if not isinstance(end, (int, float)):
            raise TokenError("the token has no claim exp; return (token, expiry in epoch seconds)")
        return answer, float(end), str(claims.get("sub", "")), {}
    if not isinstance(answer, (tuple, list)) or not 2 <= len(answer) <= 4 or not isinstance(answer[0], str):
        raise TokenError(f"must return {_FORMS}, not {type(answer).__name__}")
    token, end = answer[0], answer[1]
    principal = answer[2] if len(answer) > 2 else ""
    extensions = (answer[3] if len(answer) > 3 else None) or {}
    if not token or not isinstance(end, (int, float)) or not isinstance(extensions, Mapping):
        raise TokenError(f"must return {_FORMS}")
    return token, float(end), str(principal or ""), {str(k): str(v) for k, v in extensions.items()}


def _claims(token: str) -> Mapping[str, Any]:
    parts = token.split(".")
    try:
        text = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        claims = json.loads(text)
    except (IndexError, binascii.Error, ValueError):
        raise TokenError("the token is not a JWT; return (token, expiry in epoch seconds)") from None
    if not isinstance(claims, dict):
        raise TokenError("the token is not a JWT; return (token, expiry in epoch seconds)")
    return claims
