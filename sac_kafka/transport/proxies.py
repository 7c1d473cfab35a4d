"""Which proxy of the environment (`http_proxy`, `https_proxy`, `no_proxy`) `urllib` goes through to a server."""

from __future__ import annotations

import urllib.request
from urllib.parse import urlsplit

from sac_kafka.transport.http import shown_address


def proxy_of(address: str) -> str | None:
    """Give the proxy that requests to an address go through, without a log-in in it; None where they go straight."""
    parts = urlsplit(address)
    proxy = urllib.request.getproxies().get(parts.scheme)
    return shown_address(proxy) if proxy and not urllib.request.proxy_bypass(parts.netloc) else None
