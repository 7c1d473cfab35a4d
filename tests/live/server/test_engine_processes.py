"""Our own type of process on a real Atlas: applied, sent by the bridge with column lineage, updated, and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.tools.cli.main import main
from tests.live.server.live_atlas import RunningAtlas
from tests.unit.openlineage.small_events import dataset, event, lineage, parent, schema

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]

NAMESPACE, TYPE = "engines", "sac_kafka_engine_process"
OWN = "atlas.bridge.process.types=own"
ORDERS = dataset("mart.flink_orders", schema=schema("amount"))
REPORT = dataset(
    "mart.flink_report", schema=schema("total"), columnLineage=lineage("total", ("mart.flink_orders", "amount", "SUM"))
)
FLINK, OF_AIRFLOW = {"name": "Flink", "version": "2.3.0"}, parent("dag-1", "nightly")
FIRST = event(
    run="run-1", inputs=[ORDERS], outputs=[REPORT], run_facets={"processing_engine": FLINK, "parent": OF_AIRFLOW}
)
SECOND = event(
    run="run-2", second=9, inputs=[ORDERS], outputs=[REPORT], run_facets={"processing_engine": {"name": "Flink"}}
)


def test_flows_of_flink_are_our_own_processes(
    atlas_server: RunningAtlas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    conf = {
        "atlas.client.type": "kafka",
        "atlas.kafka.bootstrap.servers": atlas_server.bootstrap,
        "atlas.rest.address": atlas_server.url,
        "atlas.rest.basic.auth.username": atlas_server.user,
        "atlas.rest.basic.auth.password": atlas_server.password,
        "atlas.metadata.namespace": NAMESPACE,
        "atlas.hook.spool.dir": str(tmp_path / "spool"),
    }
    (tmp_path / "atlas-application.properties").write_text(
        "".join(f"{key}={value}\n" for key, value in conf.items()), "utf-8"
    )
    mark = atlas_server.logs.mark()

    def run(*words: str, own: bool = True) -> tuple[int, str]:
        status = main([*words, "--conf-dir", str(tmp_path), *(("--conf", OWN) if own else ())])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    def send(given: dict[str, Any]) -> dict[str, Any]:
        (tmp_path / "events.jsonl").write_text(json.dumps(given), "utf-8")
        assert run("bridge", "--file", str(tmp_path / "events.jsonl"))[0] == 0
        atlas_server.wait_consumed()
        (name,) = [each for each in atlas_server.rest.names(TYPE) if each.endswith(f"@{NAMESPACE}")]
        found = atlas_server.rest.entity(TYPE, name)
        assert found is not None
        assert atlas_server.rest.related(TYPE, name, "columnLineages") == ["mart.flink_report.total"]
        assert atlas_server.rest.related(TYPE, name, "application")
        return found

    assert run("types", "apply", own=False) == (0, "no differences\n")
    assert f"lacks {TYPE}; run sac-kafka types apply" in run("doctor")[1]
    status, printed = run("types", "apply")
    assert (status, f"bridge: created {TYPE}" in printed) == (0, True)
    assert f"lacks {TYPE}" not in run("doctor")[1]

    first, second = send(FIRST), send(SECOND)
    assert first["guid"] == second["guid"]
    texts = ("job", "engine", "engineVersion", "runId", "parentJob", "parentRunId", "status")
    assert [first["attributes"][key] for key in texts] == [
        *("prod/load", "Flink", "2.3.0", "run-1", "nightly", "dag-1", "succeeded")
    ]
    assert [second["attributes"][key] for key in texts] == [
        *("prod/load", "Flink", None, "run-2", None, None, "succeeded")
    ]
    assert atlas_server.rest.names("spark_process").count(first["attributes"]["qualifiedName"]) == 1  # a subtype's
    shown = run("show", "server")[1]
    assert "mart.flink_orders ──▶ mart.flink_report" in shown
    assert "total ◀─ mart.flink_orders.amount" in shown
    assert "mart.flink_report" in run("impact", "server", "mart.flink_orders")[1]
    atlas_server.assert_no_complaints(mark)
