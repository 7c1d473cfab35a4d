"""Which proxy of the environment (`http_proxy`, `https_proxy`, `no_proxy`) `urllib` goes through to a server."""

from __future__ import annotations

import urllib.request
from urllib.parse import urlsplit

from sac_kafka.transport.http import Why, shown_address


def proxy_of(address: str) -> str | None:
    """Give the proxy that requests to an address go through, without a log-in in it; None where they go straight."""
    parts = urlsplit(address)
    proxy = urllib.request.getproxies().get(parts.scheme)
    return shown_address(proxy) if proxy and not urllib.request.proxy_bypass(parts.netloc) else None


def through(proxy: str | None) -> str:
    """Return what is added to an error that the proxy may have caused; "" without one."""
    if proxy is None:
        return ""
    return f"; it is asked through the proxy {proxy} of the environment: check that, or name the server in no_proxy"


def no_proxy_there(proxy: str | None, why: Why) -> str | None:
    """Return what is wrong where the proxy itself cannot be reached, None where something else is wrong."""
    if proxy is None or why not in (Why.REFUSED, Why.NO_HOST):
        return None
    return f"its proxy {proxy} is not there: correct http_proxy or https_proxy, or name the server in no_proxy"
