"""Further listeners of the broker, a row each: every kind of security that a broker may demand.

The demo's broker has none of them; `KafkaBroker(work, listeners=ALL)` does. A row for another mechanism brings its own
JAAS line and settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from stack.properties import login_module
from stack.server_properties import ADVERTISED_HOST, PLAIN_LOGIN_MODULE

SCRAM_MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512")
OAUTHBEARER = "OAUTHBEARER"
_PASSWORD_MECHANISMS = ("PLAIN", *SCRAM_MECHANISMS)
_SCRAM_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule"
_OAUTH_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
_OAUTH_VALIDATOR = "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
_ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """One listener for clients.

    `jaas` has the JAAS line of mechanisms that are not made of the broker's passwords, `properties` are settings of this
    listener alone (without `listener.name.<name>.`), `principals` who logs in here, in addition to the broker's users.
    """

    name: str
    protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
    mechanisms: tuple[str, ...] = ()
    requires_certificate: bool = False
    jaas: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    principals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenIssuer:
    """Whose tokens OAUTHBEARER takes: signed by a key of `jwks_url`, of this issuer, for this audience."""

    jwks_url: str
    issuer: str
    audience: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Who may come in: users and passwords, whose certificates, whose tokens; `refused` are users that may do nothing."""

    passwords: Mapping[str, str]
    ca: str
    tokens: TokenIssuer | None = None
    refused: Sequence[str] = ()


TLS = Listener(name="TLS", protocol="SSL")
MUTUAL = Listener(name="MUTUAL", protocol="SSL", requires_certificate=True, principals=("CN=client",))
LOGIN = Listener(
    name="LOGIN",
    protocol="SASL_PLAINTEXT",
    mechanisms=(*_PASSWORD_MECHANISMS, OAUTHBEARER),
    principals=("lineage",),
)
SECURE_LOGIN = Listener(
    name="SECURE_LOGIN",
    protocol="SASL_SSL",
    mechanisms=(*_PASSWORD_MECHANISMS, OAUTHBEARER),
    principals=("lineage",),
)
ALL = (TLS, MUTUAL, LOGIN, SECURE_LOGIN)


def with_listeners(
    properties: Mapping[str, str], listeners: Sequence[tuple[Listener, int]], admission: Admission, bind_host: str
) -> dict[str, str]:
    """Return a broker's settings with these listeners, each with its port, added."""
    added = dict(properties)
    for listener, port in listeners:
        added["listeners"] += f",{listener.name}://{bind_host}:{port}"
        added["advertised.listeners"] += f",{listener.name}://{ADVERTISED_HOST}:{port}"
        added["listener.security.protocol.map"] += f",{listener.name}:{listener.protocol}"
        added |= _of_listener(listener, admission)
    if any(OAUTHBEARER in _mechanisms(listener, admission) for listener, _ in listeners):
        added |= _oauth(admission.tokens)
    if admission.refused:
        added |= _authorizer(listeners, admission)
    return added


def scram_users(listeners: Sequence[Listener], passwords: Mapping[str, str]) -> list[str]:
    """Return the arguments of `kafka.tools.StorageTool format` for the users of SCRAM, which are part of the data."""
    used = [each for each in SCRAM_MECHANISMS if any(each in listener.mechanisms for listener in listeners)]
    # The tool's form has no quotes: a name or password with its signs is for PLAIN alone.
    plain = {user: password for user, password in passwords.items() if not set(",=[]") & set(user + password)}
    return [
        argument
        for mechanism in used
        for user, password in plain.items()
        for argument in ("--add-scram", f"{mechanism}=[name={user},password={password}]")
    ]


def java_options(admission: Admission) -> list[str]:
    """Return the system properties without which the broker fetches no key to check tokens with."""
    return [f"-D{_ALLOWED_URLS}={admission.tokens.jwks_url}"] if admission.tokens else []


def _mechanisms(listener: Listener, admission: Admission) -> tuple[str, ...]:
    """Return the available ones: without an issuer no tokens are accepted."""
    return tuple(
        each for each in listener.mechanisms if each != OAUTHBEARER or admission.tokens or each in listener.jaas
    )


def _of_listener(listener: Listener, admission: Admission) -> dict[str, str]:
    settings = dict(listener.properties)
    if listener.requires_certificate:
        settings |= {
            "ssl.client.auth": "required",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": admission.ca,
        }
    mechanisms = _mechanisms(listener, admission)
    if mechanisms:
        settings["sasl.enabled.mechanisms"] = ",".join(mechanisms)
    for mechanism in mechanisms:
        line = listener.jaas.get(mechanism) or _jaas(mechanism, admission.passwords)
        settings[f"{mechanism.lower()}.sasl.jaas.config"] = line
    if OAUTHBEARER in mechanisms:
        settings["oauthbearer.sasl.server.callback.handler.class"] = _OAUTH_VALIDATOR
    return {f"listener.name.{listener.name.lower()}.{key}": value for key, value in settings.items()}


def _jaas(mechanism: str, passwords: Mapping[str, str]) -> str:
    if mechanism == "PLAIN":
        return login_module(PLAIN_LOGIN_MODULE, {f"user_{user}": password for user, password in passwords.items()})
    return login_module(_OAUTH_MODULE if mechanism == OAUTHBEARER else _SCRAM_MODULE, {})


def _oauth(tokens: TokenIssuer | None) -> dict[str, str]:
    return (
        {
            "sasl.oauthbearer.jwks.endpoint.url": tokens.jwks_url,
            "sasl.oauthbearer.expected.issuer": tokens.issuer,
            "sasl.oauthbearer.expected.audience": tokens.audience,
        }
        if tokens
        else {}
    )


def _authorizer(listeners: Sequence[tuple[Listener, int]], admission: Admission) -> dict[str, str]:
    """Everybody may do everything, but for the refused: the other nodes and the tests come in without a name."""
    users = {"ANONYMOUS", *admission.passwords, *(name for each, _ in listeners for name in each.principals)}
    return {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": ";".join(f"User:{user}" for user in sorted(users - set(admission.refused))),
    }
