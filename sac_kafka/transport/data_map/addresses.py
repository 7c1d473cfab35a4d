"""Find the address of an account in the forms in which the portal shows it."""

from __future__ import annotations

_ENDS = ("/catalog", "/datamap")
"""Suffixes of an Atlas endpoint, after the account's address."""


def account_of(address: str) -> str:
    """Return an address without the parts after the account's.

    >>> account_of(" https://contoso.purview.azure.com/catalog/api/atlas/v2/ "), account_of("contoso.purview.azure.com/")
    ('https://contoso.purview.azure.com', 'contoso.purview.azure.com')
    """
    bare = address.strip().rstrip("/").partition("/api/atlas")[0]
    return next((bare.removesuffix(end) for end in _ENDS if bare.endswith(end)), bare)
