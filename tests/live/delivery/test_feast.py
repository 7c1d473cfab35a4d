"""A receiver by others, Feast's lineage server, answers with the edges of the flows that it was sent."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from stack.ports import free_port
from tests.helpers.engines import bin_of
from tests.helpers.recorded_flows import BATCHES, recorded_steps
from tests.helpers.waiting import until
from tests.replay.test_openlineage_replayed import events_of

pytestmark = pytest.mark.nightly

STORE = """
project: lineage
provider: local
registry: {{registry_type: sql, path: "sqlite:///{folder}/registry.db"}}
online_store: {{type: sqlite, path: "{folder}/online.db"}}
entity_key_serialization_version: 3
openlineage: {{consumer: {{enabled: true}}}}
"""
_EVERY = 40
"""One of so many batches is sent: the server takes four events a second."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    feast = bin_of("feast", "feast[openlineage,grpcio]==0.67.*") / "feast"
    folder, port = tmp_path_factory.mktemp("feast"), free_port()
    (folder / "feature_store.yaml").write_text(STORE.format(folder=folder), "utf-8")
    with subprocess.Popen([feast, "serve_lineage", "--port", str(port)], cwd=folder) as server:
        try:
            url = f"http://127.0.0.1:{port}"
            until(lambda: _graph(url) is not None, "the server does not answer".strip, 300)
            yield url
        finally:
            server.terminate()


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def _graph(url: str) -> Any:
    try:
        return _get(f"{url}/api/v1/lineage/openlineage/graph")
    except OSError:
        return None


def _post(url: str, event: Any) -> None:
    request = urllib.request.Request(f"{url}/api/v1/lineage", json.dumps(event).encode(), method="POST")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 201


def _name(end: Any, side: str = "") -> tuple[str, str]:
    return end[f"{side}namespace"], end[f"{side}name"]


def test_edges_are_those_of_the_flows(address: str) -> None:
    events = [event for batch in BATCHES[::_EVERY] for _, event in events_of(recorded_steps(batch))]
    complete = [each for each in events if each["eventType"] != "FAIL"]
    for event in complete:
        _post(address, event)
    meant = {
        (_name(source), _name(target)) for each in complete for source in each["inputs"] for target in each["outputs"]
    }
    edges = [each for each in _graph(address)["edges"] if each["edge_type"] == "derived"]
    shown = {(_name(each, "source_"), _name(each, "target_")) for each in edges}
    assert meant
    assert shown == meant
