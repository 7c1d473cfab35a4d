"""Provide tokens of Microsoft Entra ID for OAUTHBEARER with Event Hubs, if no other source of tokens is configured."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.errors import SacKafkaError
from sac_kafka.settings.entra import Entra
from sac_kafka.transport.http.entra import EntraTokenSource, event_hubs_scope
from sac_kafka.transport.kafka.settings.event_hubs import namespace_host
from sac_kafka.transport.kafka.settings.login import Login
from sac_kafka.transport.kafka.settings.oauth_tokens import TokenError, TokenSource

PLACE = "atlas.hook.spark.entra.*"


def from_entra(kafka: Mapping[str, str], login: Login | None, entra: Entra) -> TokenSource | None:
    """Return a source of tokens for an Event Hubs namespace; None for other brokers or if the login has options.

    Raises:
        ConfigurationError: The identity in the settings or the environment is invalid.
    """
    host = namespace_host(kafka.get("bootstrap.servers", "").split(","))
    if not host or (login is not None and login.entry.options):
        return None
    tokens, scope = EntraTokenSource.of(entra), event_hubs_scope(host)

    def fetch(_config: str) -> tuple[str, float]:
        try:
            token = tokens.token(scope)
        except SacKafkaError as error:  # its message is a sentence, so that the class name is not needed
            raise TokenError(str(error)) from None
        return token.text, token.expires_ms / 1000

    return TokenSource(fetch, PLACE)
