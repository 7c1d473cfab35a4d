"""Tokens of Microsoft Entra ID, for whatever asks for them: Purview's REST interfaces, Event Hubs.

`TokenSource.of(settings.entra).token(PURVIEW)`. The library azure-identity (the extra `sac-kafka[entra]`) does the
protocol; here is which credential it is given, how long anybody waits, and what its errors mean.
"""

from sac_kafka.transport.entra.errors import EntraError
from sac_kafka.transport.entra.identity import EntraIdentity, identity_of
from sac_kafka.transport.entra.tokens import PURVIEW, EntraToken, EntraTokenSource, event_hubs_scope

__all__ = [
    "PURVIEW",
    "EntraError",
    "EntraIdentity",
    "EntraToken",
    "EntraTokenSource",
    "event_hubs_scope",
    "identity_of",
]
