"""OpenLineage's own Python client sends to the bridge over HTTP; over Kafka in `tests/live/delivery/test_bridge.py`."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.helpers.bridges import BridgeProcess
from tests.helpers.openlineage_client import LABEL, TRANSPORTS, send
from tests.helpers.waiting import until


@pytest.mark.parametrize("transport", [*TRANSPORTS])
def test_transports_of_the_python_client(transport: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret-of-the-client", "utf-8")
    bridge = BridgeProcess(tmp_path, "--token-file", "token")
    try:
        send({**TRANSPORTS[transport], "url": f"http://127.0.0.1:{bridge.port}",
              "auth": {"type": "api_key", "apiKey": "secret-of-the-client"}})  # fmt: skip
        until(bridge.flows)
        assert dict(bridge.flows()) == {LABEL: 1}
    finally:
        bridge.end(signal.SIGTERM)
