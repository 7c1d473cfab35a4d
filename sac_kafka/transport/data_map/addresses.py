"""The address of an account, out of the forms in which the portal shows it."""

from __future__ import annotations

_ENDS = ("/catalog", "/datamap")
"""What stands behind it in an Atlas endpoint."""


def account_of(address: str) -> str:
    """Give an address without what comes behind the account's.

    >>> account_of(" https://contoso.purview.azure.com/catalog/api/atlas/v2/ "), account_of("contoso.purview.azure.com/")
    ('https://contoso.purview.azure.com', 'contoso.purview.azure.com')
    """
    bare = address.strip().rstrip("/").partition("/api/atlas")[0]
    return next((bare.removesuffix(end) for end in _ENDS if bare.endswith(end)), bare)
