"""Get tokens of Microsoft Entra ID, for Purview's REST interfaces and for Event Hubs.

`EntraTokenSource.of(settings.entra).token(PURVIEW)`. The library azure-identity (extra `sac-kafka[entra]`) implements the
protocol; this package chooses the credential, limits waiting, and explains errors.
"""

from sac_kafka.transport.http.entra.errors import EntraError
from sac_kafka.transport.http.entra.identity import EntraIdentity, identity_of
from sac_kafka.transport.http.entra.tokens import PURVIEW, EntraToken, EntraTokenSource, event_hubs_scope

__all__ = [
    "PURVIEW",
    "EntraError",
    "EntraIdentity",
    "EntraToken",
    "EntraTokenSource",
    "event_hubs_scope",
    "identity_of",
]
