"""Get tokens of Microsoft Entra ID, for Purview's REST interfaces and for Event Hubs.

`tokens.EntraTokenSource.of(settings.entra).token(tokens.PURVIEW)`. The library azure-identity (extra `sac-kafka[entra]`)
implements the protocol; this package chooses the credential, limits waiting, and explains errors.
"""
