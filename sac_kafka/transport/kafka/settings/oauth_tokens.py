"""Tokens for OAUTHBEARER that Python gets for librdkafka: from a user's function, or from a file.

librdkafka calls on a thread of its own, when it starts and before a token ends. It waits for the answer, so a function
that does not come back is not waited for.
"""

from __future__ import annotations

import base64
import binascii
import importlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sac_kafka.config.secrets import mask_text
from sac_kafka.errors import ConfigurationError, SacKafkaError

OAuthToken = tuple[str, float, str, dict[str, str]]
"""A token, when it ends (epoch seconds), whose it is, and SASL extensions: what confluent-kafka wants."""

_TIMEOUT_SECONDS = 8.0  # librdkafka gives up after 10
_FORMS = "a JWT as text, or (token, epoch seconds of its end[, principal[, extensions]])"


class TokenError(SacKafkaError):
    """There is no token: one line that says why, without secrets."""


class TokenSource:
    """A function that gives tokens, called with a deadline; no two calls run at once.

    Args:
        fetch: Called with the text of librdkafka's `sasl.oauthbearer.config`; gives one of the forms of `token_of`.
        place: What errors call it.
        timeout_seconds: How long an answer is waited for.
    """

    def __init__(self, fetch: Callable[[str], Any], place: str, timeout_seconds: float = _TIMEOUT_SECONDS) -> None:
        self._fetch = fetch
        self._place = place
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()  # librdkafka's thread asks, and the worker's before a client is made
        self._call: _Call | None = None
        self._prepared: OAuthToken | None = None
        self.problem: str | None = None

    def prepare(self, config: str = "") -> None:
        """Get the first token before the producer is made, which would wait 10 s for one and then not say why.

        Raises:
            ConfigurationError: There is none; the message is `problem`.
        """
        try:
            self._prepared = self(config)
        except TokenError as error:
            raise ConfigurationError(str(error)) from None

    def __call__(self, config: str) -> OAuthToken:
        """Give a token; `problem` tells afterwards why there was none.

        Raises:
            TokenError: There is none.
        """
        prepared, self._prepared = self._prepared, None
        if prepared is not None and prepared[1] > time.time():
            return prepared
        try:
            token = token_of(self._answer(config))
            if token[1] <= time.time():
                raise TokenError("the token that it gives has ended already; is the clock right?")
        except Exception as error:  # noqa: BLE001 (a user's function raises what it likes; librdkafka gets one line)
            said = str(error) if isinstance(error, TokenError) else f"{type(error).__name__}: {error}"
            self.problem = f"{self._place}: {mask_text(' '.join(said.split()))[:300]}"
            raise TokenError(self.problem) from None
        self.problem = None
        return token

    def _answer(self, config: str) -> Any:  # noqa: ANN401 (what a user's function gives)
        with self._lock:
            call = self._call = self._call or _Call(self._fetch, config)
        if not call.wait(self._timeout_seconds):
            raise TokenError(f"it has not answered within {self._timeout_seconds:g} s; make it quicker")
        with self._lock:
            if self._call is call:
                self._call = None
        if call.error is not None:
            raise call.error
        return call.answer


class _Call:
    """One call on a thread of its own, which does not hold up the end of the process."""

    def __init__(self, fetch: Callable[[str], Any], config: str) -> None:
        self.answer: Any = None
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(fetch, config), name="sac-kafka-token", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self, fetch: Callable[[str], Any], config: str) -> None:
        try:
            self.answer = fetch(config)
        except Exception as error:  # noqa: BLE001 (raised again where the call is waited for)
            self.error = error


def function_named(name: str, key: str) -> Callable[[str], Any]:
    """Give the function `module:function`.

    Raises:
        ConfigurationError: There is none of that name.
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
        raise ConfigurationError(f"{key} = {name}: is no function")
    return found  # type: ignore[no-any-return]


def from_file(path: str) -> Callable[[str], str]:
    """Give a function that reads a JWT from a file, anew each time: who renews it writes it there."""

    def read(_config: str) -> str:
        try:
            return Path(path).read_text("utf-8").strip()
        except OSError as error:
            raise TokenError(f"the file cannot be read: {error.strerror}") from None

    return read


def token_of(answer: Any) -> OAuthToken:  # noqa: ANN401 (what a user's function gives)
    """Make of an answer, a JWT alone or a tuple as of confluent-kafka's `oauth_cb`, what librdkafka wants.

    Raises:
        TokenError: It is neither.
    """
    if isinstance(answer, str):
        claims = _claims(answer)
        end = claims.get("exp")
        if not isinstance(end, (int, float)):
            raise TokenError("the token has no claim exp; give (token, epoch seconds of its end)")
        return answer, float(end), str(claims.get("sub", "")), {}
    if not isinstance(answer, (tuple, list)) or not 2 <= len(answer) <= 4 or not isinstance(answer[0], str):
        raise TokenError(f"it gives a {type(answer).__name__}, but must give {_FORMS}")
    token, end = answer[0], answer[1]
    principal = answer[2] if len(answer) > 2 else ""
    extensions = (answer[3] if len(answer) > 3 else None) or {}
    if not token or not isinstance(end, (int, float)) or not isinstance(extensions, Mapping):
        raise TokenError(f"it must give {_FORMS}")
    return token, float(end), str(principal or ""), {str(k): str(v) for k, v in extensions.items()}


def _claims(token: str) -> Mapping[str, Any]:
    parts = token.split(".")
    try:
        text = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        claims = json.loads(text)
    except (IndexError, binascii.Error, ValueError):
        raise TokenError("the token is no JWT; give (token, epoch seconds of its end)") from None
    if not isinstance(claims, dict):
        raise TokenError("the token is no JWT; give (token, epoch seconds of its end)")
    return claims
