"""Log-ins at the endpoint: connection strings by SASL PLAIN, tokens of Entra ID by OAUTHBEARER."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from tests.live.event_hubs.namespace import USER, Namespace, Visitor
from tests.live.event_hubs.wire import Error

_NEEDED = ("endpoint", "sharedaccesskeyname", "sharedaccesskey")
_RIGHTS = frozenset({"Send"})


class RefusedError(Exception):
    """A log-in that is refused, with Kafka's number and the service's words."""

    def __init__(self, text: str, error: Error = Error.SASL_AUTHENTICATION_FAILED) -> None:
        super().__init__(text)
        self.error = error


def log_in(namespace: Namespace, mechanism: str, data: bytes) -> Visitor:
    """Say who logs in with the first message of a mechanism.

    Raises:
        RefusedError: Nobody may.
    """
    if namespace.has_firewall:
        raise RefusedError("The request was rejected by firewall checks.", Error.TOPIC_AUTHORIZATION_FAILED)
    return _MECHANISMS[mechanism](namespace, data)


def _plain(namespace: Namespace, data: bytes) -> Visitor:
    _, user, password = data.decode().split("\0")
    if user != USER:
        raise RefusedError("The user name is not $ConnectionString.")
    pairs = (part.partition("=") for part in password.split(";"))
    parts = {name.lower(): value for name, _, value in pairs if name}
    if any(not parts.get(name) for name in _NEEDED):
        raise RefusedError("The Service Bus connection string is not of the expected format.")
    if parts["endpoint"].rstrip("/") != f"sb://{namespace.host}":
        raise RefusedError("The endpoint of the connection string is not this namespace.")
    hub = parts.get("entitypath", "")
    for policy in namespace.policies:
        if (policy.name, policy.key) == (parts["sharedaccesskeyname"], parts["sharedaccesskey"]):
            return Visitor(policy.name, policy.rights, policy.hub or hub)
    raise RefusedError("The shared access key is not that of the policy.")


def _bearer(namespace: Namespace, data: bytes) -> Visitor:
    """RFC 7628: `n,,^Aauth=Bearer TOKEN^A…^A^A`. Nobody checks the signature here."""
    fields = dict(field.split("=", 1) for field in data.decode().split("\x01") if "=" in field)
    claims = _claims(fields.get("auth", "").removeprefix("Bearer "))
    if str(claims.get("aud", "")).rstrip("/") != f"https://{namespace.host}":
        raise RefusedError("The token's audience is not this namespace.")
    if claims.get("exp", 0) <= time.time():
        raise RefusedError("The token has expired.")
    name = str(claims.get("sub", ""))
    hub = namespace.senders.get(name, "")
    return Visitor(name, _RIGHTS if name in namespace.senders else frozenset(), hub, may_list=not hub)


def _claims(token: str) -> dict[str, Any]:
    body = token.split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return found


_MECHANISMS = {"PLAIN": _plain, "OAUTHBEARER": _bearer}
MECHANISMS = tuple(_MECHANISMS)
