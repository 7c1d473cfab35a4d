"""What the Data Map is logged in to with: a token that was given, or those of Microsoft Entra ID."""

from __future__ import annotations

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.data_map.server import NoTokenError
from sac_kafka.transport.entra import PURVIEW, EntraError, EntraTokenSource


class ReadyToken:
    """A token that the user has given: there is no other."""

    def __init__(self, text: str) -> None:
        self._text = text

    def token(self, timeout_seconds: float) -> str:  # noqa: ARG002 (the protocol's)
        """Give it."""
        return self._text

    def renew(self) -> bool:
        """Say that there is no other."""
        return False


class EntraTokens:
    """Tokens of Entra ID for Purview, each until shortly before its end."""

    def __init__(self, source: EntraTokenSource) -> None:
        self._source = source

    def token(self, timeout_seconds: float) -> str:
        """Give one that is good.

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
        """Forget the last one: the next is a new one."""
        self._source.forget()
        return True
