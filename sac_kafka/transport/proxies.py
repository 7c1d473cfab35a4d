"""Find the proxy that `urllib` uses for a server (`http_proxy`, `https_proxy` and `no_proxy` of the environment)."""

from __future__ import annotations

import urllib.request
from urllib.parse import urlsplit

from sac_kafka.transport.http import UnansweredReason, masked_address


def proxy_of(address: str) -> str | None:
    """Return the proxy for an address, without its credentials; None for a direct connection."""
    parts = urlsplit(address)
    proxy = urllib.request.getproxies().get(parts.scheme)
    return masked_address(proxy) if proxy and not urllib.request.proxy_bypass(parts.netloc) else None


def proxy_hint(proxy: str | None) -> str:
    """Return the suffix of an error that the proxy may have caused; "" without a proxy."""
    if proxy is None:
        return ""
    return f"; the request went through the proxy {proxy} of the environment: check it, or add the server to no_proxy"


def proxy_problem(proxy: str | None, reason: UnansweredReason) -> str | None:
    """Return the error if the proxy itself cannot be reached, else None."""
    if proxy is None or reason not in (UnansweredReason.REFUSED, UnansweredReason.NO_HOST):
        return None
    return f"its proxy {proxy} cannot be reached: correct http_proxy or https_proxy, or add the server to no_proxy"
