"""Work that fails, at first and later, and what a real Atlas shows of it: no flow that did not happen, and the last status."""

from __future__ import annotations

import json
import sys

import pytest

from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import ServerJob
from tests.live.server.test_acceptance import Shown
from tests.live.server.test_lakes import NEEDS_PYTHON, PYTHON

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]

READ = {"in/orders"}
FLOWS = {
    "query": READ,
    "rdd": READ,
    "default.first": READ,
    "default.second": READ,
    "stream": READ,
    "function/one": READ,
    "function/two": READ,
    # What was done for the first time as it failed: what had been written by then.
    "default.first_new": READ,
    "function_new/one": READ,
}
"""Output → inputs."""

STATUSES = {
    "query": "failed",
    "rdd": "failed",
    "default.first": "succeeded",
    "default.second": "failed",
    "stream": "failed",
    "function/one function/two": "failed",
    "default.first_new": "succeeded",
    "function_new/one": "failed",
}
"""The outputs of each process → the status of its last run."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(sys.executable, id="newest"),
        pytest.param(str(PYTHON), marks=[NEEDS_PYTHON, pytest.mark.nightly], id="oldest"),
    ],
)
def shown(
    request: pytest.FixtureRequest, atlas_server: RunningAtlas, tmp_path_factory: pytest.TempPathFactory
) -> Shown:
    mark = atlas_server.logs.mark()
    job = ServerJob(
        server=atlas_server, work=tmp_path_factory.mktemp("failures"), namespace=f"failures{request.param_index}"
    )
    print(job.run("failures.py", python=request.param))
    atlas_server.assert_no_complaints(mark)
    return Shown(job)


def test_failed_flows_are_not_stored(shown: Shown) -> None:
    assert shown.flows("spark_process") == FLOWS


def test_each_process_has_the_status_of_its_last_run(shown: Shown) -> None:
    statuses = {}
    for name in shown.own("spark_process"):
        found = shown.rest.entity("spark_process", name)
        assert found is not None
        details = json.loads(found["attributes"]["details"])
        statuses[" ".join(sorted(shown.active_ends(found, "outputs")))] = details["status"]
        assert ("failure" in details) is (details["status"] == "failed")
        assert "1000" not in found["attributes"]["details"]
    assert statuses == STATUSES


def test_there_are_no_shells_and_no_deleted_entities(shown: Shown) -> None:
    assert [n for n in shown.rest.shells() if n.endswith(f"@{shown.job.namespace}")] == []
    assert shown.own("Referenceable", deleted=True) == shown.own("Referenceable")
