"""Provide the tokens for the Data Map: a configured one, or those of Microsoft Entra ID."""

from __future__ import annotations

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.data_map.server import NoTokenError
from sac_kafka.transport.entra import PURVIEW, EntraError, EntraTokenSource


class ReadyToken:
    """A token from the settings, which cannot be renewed."""

    def __init__(self, text: str) -> None:
        self._text = text

    def token(self, timeout_seconds: float) -> str:  # noqa: ARG002 (of the protocol)
        """Return the token."""
        return self._text

    def renew(self) -> bool:
        """Return False: there is no other token."""
        return False


class EntraTokens:
    """Tokens of Entra ID for Purview, each renewed shortly before it expires."""

    def __init__(self, source: EntraTokenSource) -> None:
        self._source = source

    def token(self, timeout_seconds: float) -> str:
        """Return a valid token.

        Raises:
            NoTokenError: Entra ID gives none.
        """
        try:
            return self._source.token(PURVIEW, timeout_seconds).text
        except EntraError as error:
            raise NoTokenError(str(error), error.failure_kind) from None
        except ConfigurationError as error:
            raise NoTokenError(str(error), FailureKind.NEEDS_ACTION) from None

    def renew(self) -> bool:
        """Discard the current token, so that a new one is requested."""
        self._source.forget()
        return True
