"""Asks local servers over HTTP for JSON, never through a proxy that the environment names."""

from __future__ import annotations

import base64
import json
import urllib.request
from typing import Any

from stack.kafka import Credentials

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get_json(url: str, path: str, timeout_seconds: float, credentials: Credentials | None = None) -> Any:  # noqa: ANN401
    """Return the JSON that the Atlas at `url` answers to a GET of a path below `/api/atlas`.

    Raises:
        OSError: It does not answer, or with an error status (`urllib.error.HTTPError`).
        ValueError: What it answers is not JSON.
    """
    request = urllib.request.Request(f"{url}/api/atlas{path}")
    if credentials:
        request.add_header("Authorization", "Basic " + base64.b64encode(":".join(credentials).encode()).decode())
    return read_json(request, timeout_seconds)


def read_json(request: urllib.request.Request | str, timeout_seconds: float) -> Any:  # noqa: ANN401
    """Return the JSON that any server answers to a request or a URL; raises as `get_json`."""
    with _direct.open(request, timeout=timeout_seconds) as answer:
        return json.load(answer)
